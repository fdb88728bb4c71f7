"""A small benchmark for tests: as many items as wanted, silence for sound."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Struct

from earmark.engine.load import load_benchmark
from earmark.scorers.choice import ChoiceScorer
from earmark.types import UNSIGNED, Benchmark, Clip, Context, Item, Prompt, Source, SynthSpec, Turn


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test may set."""

    items: int = 10
    question: Annotated[str, UNSIGNED] = "Which?"
    data: Annotated[str, UNSIGNED] = ""  # a folder with clip-0.wav, clip-1.wav, ...
    needs_ears: Annotated[bool, UNSIGNED] = True
    twice: Annotated[bool, UNSIGNED] = False  # one id stands for two items
    seed: int = 0


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    return Benchmark(
        version=1,
        tasks=context.tasks or ("all",),
        items=functools.partial(items, settings),
        prompt=prompt,
        scorers=lambda _: (ChoiceScorer(),),
        needs_ears=settings.needs_ears,
    )


def make(**settings: Any) -> Benchmark:
    """The benchmark, as a run loads it."""
    return load_benchmark("mine.bench", (), settings)


def items(settings: Settings) -> Iterator[Item]:
    """The items: the right answer of every second one is B."""
    for at in range(settings.items):
        clip: Source = SynthSpec("silence", {"seconds": 0.01}, f"silence-{at}", "nothing")
        if settings.data:
            clip = Clip(f"{settings.data}/clip-{at}.wav", name=f"clip-{at}.wav")
        name = "item-0" if settings.twice else f"item-{at}"
        yield Item(
            name, "all", f"{settings.question} ({at})", (clip,), ("yes", "no"), ("A", "B"), ("AB"[at % 2],), group=name
        )


def prompt(item: Item) -> Prompt:
    """One clip, one question."""
    return Prompt((Turn("user", (*item.clips, f"{item.question}\nA. yes\nB. no")),), item.choices, item.labels)
