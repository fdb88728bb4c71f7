"""A benchmark for tests that is scored as a test says: several tasks, several scorers a task."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from earmark.engine.load import load_scorer
from earmark.types import Average, Benchmark, Context, Item, Prompt, Scorer, SynthSpec, Turn


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test may set."""

    scorers: tuple[dict[str, Any], ...] = ({"name": "choice"},)  # each by name, with its settings
    items: int = 10
    tasks: int = 1


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    names = context.tasks or tuple(f"task-{number}" for number in range(settings.tasks))
    return Benchmark(
        version=1,
        tasks=names,
        items=partial(items, settings, names),
        prompt=prompt,
        scorers=lambda _: tuple(map(scorer, settings.scorers)),
        averages={"mean over tasks": Average(names)} if len(names) > 1 else {},
    )


def scorer(spec: dict[str, Any]) -> Scorer:
    """A scorer from its name and settings."""
    return load_scorer(spec["name"], {name: spec[name] for name in spec if name != "name"})


def items(settings: Settings, tasks: tuple[str, ...]) -> Iterator[Item]:
    """The items: the right answer of every second one is B."""
    clip = SynthSpec("silence", {"seconds": 0.01}, "silence", "nothing")
    for task in tasks:
        for at in range(settings.items):
            yield Item(f"{task}-{at}", task, f"Which? ({at})", (clip,), ("yes", "no"), ("A", "B"), ("AB"[at % 2],))


def prompt(item: Item) -> Prompt:
    """One clip, one question."""
    return Prompt((Turn("user", (*item.clips, f"{item.question}\nA. yes\nB. no")),), item.choices, item.labels)
