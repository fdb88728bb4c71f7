"""A benchmark for measuring the asking alone: as many items as wanted, each with a wav file of its own size."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from earmark.scorers.choice import ChoiceScorer
from earmark.types import UNSIGNED, Benchmark, Clip, Context, Item, Prompt, SynthSpec, Turn


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which files, and how many items."""

    data: Annotated[str, UNSIGNED] = ""  # a folder with clip-0.wav, clip-1.wav, ...; empty: sound is made
    items: Annotated[int, UNSIGNED] = 2000


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    return Benchmark(
        version=1,
        tasks=context.tasks or ("all",),
        items=functools.partial(items, settings),
        prompt=prompt,
        scorers=lambda _: (ChoiceScorer(),),
    )


def items(settings: Settings) -> Iterator[Item]:
    """The items, one after the other."""
    silence = SynthSpec("silence", {"seconds": 0.01}, "silence")
    for index in range(settings.items):
        clip = Clip(f"{settings.data}/clip-{index}.wav", name=f"clip-{index}.wav") if settings.data else silence
        yield Item(
            f"item-{index}",
            "all",
            f"Which? ({index})",
            (clip,),
            (f"dog {index}", "cat"),
            ("A", "B"),
            ("A",),
            group=f"item-{index}",
        )


def prompt(item: Item) -> Prompt:
    """One clip, one question."""
    return Prompt(
        (
            Turn(
                "user",
                (
                    *item.clips,
                    f"{item.question}\nA. {item.choices[0]}\nB. {item.choices[1]}\nAnswer with the letter only.",
                ),
            ),
        ),
        item.choices,
        item.labels,
    )
