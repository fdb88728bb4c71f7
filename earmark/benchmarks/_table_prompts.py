"""Prompts of a table: texts in which names in braces are replaced."""

from __future__ import annotations

from typing import Final

from earmark.benchmarks._table_items import FIELD, fill
from earmark.benchmarks._table_schema import PromptTemplate
from earmark.errors import BadData
from earmark.text.choices import LETTERS
from earmark.types import Item, Part, Prompt, Turn

NAMES: Final = ("question", "choices", "choice_list", "letters", "count", "transcript")
CHOICE_NAMES: Final = ("letter", "text")


def check_template(template: PromptTemplate, place: str) -> None:
    """Raise BadData where a text names what is not there."""
    for text, names in ((template.text, NAMES), (template.choice, CHOICE_NAMES)):
        if unknown := next((name for name in FIELD.findall(text) if name not in names), None):
            expected = ", ".join(f"{{{name}}}" for name in names)
            raise BadData(f"{place}: nothing is called {{{unknown}}} there; expected {expected}")


def prompt_of(template: PromptTemplate, item: Item) -> Prompt:
    """The prompt of an item: its sound, then the text, or the other way round."""
    parts: tuple[Part, ...] = ()
    if template.text:
        shown = [
            fill(template.choice, {"letter": letter, "text": text})
            for letter, text in zip(item.labels, item.choices, strict=True)
        ]
        missing = range(len(shown), template.slots if shown else 0)
        shown += [fill(template.choice, {"letter": LETTERS[slot], "text": "None"}) for slot in missing]
        values = {
            "question": item.question,
            "choices": template.separator.join(shown),
            "choice_list": str(list(item.choices)),  # as Python writes a list, which is how one protocol has it
            "letters": ", ".join(item.labels),
            "count": str(len(item.choices)),
            "transcript": " ".join(clip.transcript for clip in item.clips if clip.transcript),
        }
        parts = (fill(template.text, values),)
    if template.sound != "none":
        parts = (*item.clips, *parts) if template.sound == "first" else (*parts, *item.clips)
    system = (Turn("system", (template.system,)),) if template.system else ()
    return Prompt((*system, Turn("user", parts)), item.choices, item.labels, template.sampling)
