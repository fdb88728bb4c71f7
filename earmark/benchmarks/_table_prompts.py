"""Prompts of a table: texts in which names in braces are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from earmark.benchmarks._table_schema import PromptTemplate
from earmark.errors import BadData
from earmark.text.choices import LETTERS
from earmark.text.fields import FIELD, fill
from earmark.types import Item, Part, Prompt, Source, Turn

NAMES: Final = ("question", "choices", "choice_list", "letters", "count", "transcript")
CHOICE_NAMES: Final = ("letter", "text")
REPLIES: Final = "replies"  # of the assistant so far, in an item's extra, where the data has them


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
    system = (Turn("system", (template.system,)),) if template.system else ()
    shape = item.choices, item.labels, template.sampling
    if template.turns == "one":
        return Prompt((*system, Turn("user", _with_sound(template, item.clips, parts))), *shape)
    spoken = [Turn("user", _with_sound(template, (clip,), parts)) for clip in item.clips]
    if template.turns == "apart":
        return Prompt((*system, *spoken), *shape, "joined")
    replies = [Turn("assistant", (text,)) for text in item.extra.get(REPLIES, ())]
    if not replies:
        return Prompt((*system, *spoken), *shape, "each")
    turns = [turn for pair in zip_longest(spoken, replies) for turn in pair if turn is not None]
    return Prompt((*system, *turns), *shape)


def _with_sound(template: PromptTemplate, clips: Sequence[Source], parts: Sequence[Part]) -> tuple[Part, ...]:
    if template.sound == "none":
        return tuple(parts)
    return (*clips, *parts) if template.sound == "first" else (*parts, *clips)
