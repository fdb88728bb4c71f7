"""A benchmark for tests that is scored as a test says: several tasks, several scorers a task."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from earmark.config import parse_settings
from earmark.plugins import find_plugin
from earmark.types import Average, Benchmark, Item, Prompt, Scorer, SynthSpec, Turn


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test may set."""

    scorers: tuple[dict[str, Any], ...] = ({"name": "choice"},)  # each by name, with its settings
    items: int = 10
    tasks: int = 1


def load(settings: Settings, tasks: tuple[str, ...] = ()) -> Benchmark:
    """The benchmark."""
    names = tasks or tuple(f"task-{number}" for number in range(settings.tasks))
    return Benchmark(
        "mine.scored",
        1,
        names,
        partial(items, settings, names),
        prompt,
        lambda _: tuple(map(scorer, settings.scorers)),
        settings={"scorers": settings.scorers, "items": settings.items, "tasks": settings.tasks},
        averages={"mean over tasks": Average(names)} if len(names) > 1 else {},
    )


def scorer(spec: dict[str, Any]) -> Scorer:
    """A scorer from its name and settings."""
    module = find_plugin("scorers", spec["name"])
    made: Scorer = module.load(
        parse_settings(module.Settings, {name: spec[name] for name in spec if name != "name"}, "")
    )
    return made


def items(settings: Settings, tasks: tuple[str, ...]) -> Iterator[Item]:
    """The items: the right answer of every second one is B."""
    clip = SynthSpec("silence", {"seconds": 0.01}, "silence", "nothing")
    for task in tasks:
        for at in range(settings.items):
            yield Item(f"{task}-{at}", task, f"Which? ({at})", (clip,), ("yes", "no"), ("A", "B"), ("AB"[at % 2],))


def prompt(item: Item) -> Prompt:
    """One clip, one question."""
    return Prompt((Turn("user", (*item.clips, f"{item.question}\nA. yes\nB. no")),), item.choices, item.labels)
