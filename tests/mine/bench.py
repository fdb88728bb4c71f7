"""A small benchmark for tests: as many items as wanted, silence for sound."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from msgspec import Struct

from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, Clip, Item, Prompt, Source, SynthSpec, Turn


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test may set."""

    items: int = 10
    question: str = "Which?"
    data: str = ""  # a folder with clip-0.wav, clip-1.wav, ...
    needs_ears: bool = True
    twice: bool = False  # one id stands for two items
    seed: int = 0


def load(settings: Settings, tasks: tuple[str, ...] = ()) -> Benchmark:
    """The benchmark."""
    signed = {"items": settings.items, "seed": settings.seed}
    return Benchmark(
        "mine.bench",
        1,
        tasks or ("all",),
        functools.partial(items, settings),
        prompt,
        lambda _: (ChoiceScorer(),),
        settings=signed,
        needs_ears=settings.needs_ears,
    )


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
