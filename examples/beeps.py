"""Beeps: how many beeps are in the clip?

Data      generated: 8 clips of one to four beeps
Tasks     count
Sound     16 kHz mono, 2 s
Scored    accuracy over four numbers

A whole benchmark in one file. Run it by its path: earmark run ./examples/beeps.py model=local
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, Context, Item, Prompt, SynthSpec, Turn

NUMBERS = ("one", "two", "three", "four")
LABELS = ("A", "B", "C", "D")
PITCHES = (500.0, 900.0)  # hertz


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set: earmark run ./examples/beeps.py level=-30."""

    level: float = -20.0  # of a beep, in decibels below full scale


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark: what it asks, how, and how answers are scored."""
    return Benchmark(
        version=1,
        tasks=context.tasks or ("count",),
        items=lambda: items(settings.level),
        prompt=prompt,
        scorers=lambda _: (ChoiceScorer(),),
    )


def items(level: float) -> Iterator[Item]:
    """Every number at every pitch, each beep a clip of its own."""
    for pitch in PITCHES:
        for at, number in enumerate(NUMBERS):
            name = f"{number}-{pitch:g}"
            beep = SynthSpec("tone", {"frequency": pitch, "seconds": 0.3, "level": level}, "beep")
            yield Item(
                name,
                "count",
                "How many beeps do you hear?",
                (beep,) * (at + 1),
                NUMBERS,
                LABELS,
                (LABELS[at],),
                group=name,
            )


def prompt(item: Item) -> Prompt:
    """The beeps in a row, then the question with its choices."""
    choices = "\n".join(f"{label}. {choice}" for label, choice in zip(item.labels, item.choices, strict=True))
    return Prompt(
        (Turn("user", (*item.clips, f"{item.question}\n{choices}\nAnswer with the letter only.")),),
        item.choices,
        item.labels,
    )
