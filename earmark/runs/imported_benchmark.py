"""Imported: what stands behind a run that came from elsewhere and that no packaged benchmark describes.

Nothing can be asked: the questions are those of the run's own journal, and their sound is not here. What scores each
task was worked out when the run was imported and is kept in its config.yaml, so that it can be scored anew, shown and
compared as any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

from msgspec import Struct

from earmark.engine.load import load_scorer
from earmark.errors import UsageError
from earmark.types import Average, Benchmark, Item, Prompt, Scorer


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings that an import writes."""

    benchmark: str = "imported"  # the benchmark, as the source calls it
    scorers: dict[str, tuple[dict[str, Any], ...]] = {}  # of each task, by name, with their settings
    slices: tuple[str, ...] = ()
    average: bool = False  # a further row is the mean over the tasks
    warnings: tuple[str, ...] = ()


def load(settings: Settings, tasks: tuple[str, ...] = ()) -> Benchmark:
    """The benchmark."""
    names = tasks or tuple(settings.scorers)
    return Benchmark(
        name=settings.benchmark,
        version=0,
        tasks=names,
        items=partial(_items, settings.benchmark),
        prompt=partial(_prompt, settings.benchmark),
        scorers=partial(scorers, settings),
        averages={"mean": Average(names)} if settings.average and len(names) > 1 else {},
        slices=settings.slices,
        warnings=settings.warnings,
    )


def scorers(settings: Settings, task: str) -> tuple[Scorer, ...]:
    """The scorers of a task, made from their settings."""
    return tuple(_scorer(dict(spec)) for spec in settings.scorers.get(task, ()))


def _scorer(spec: dict[str, Any]) -> Scorer:
    return load_scorer(str(spec.pop("name", "")), spec)


def _items(name: str) -> Iterator[Item]:
    _cannot_ask(name)


def _prompt(name: str, item: Item) -> Prompt:  # noqa: ARG001 - no item can be asked about
    _cannot_ask(name)


def _cannot_ask(name: str) -> NoReturn:
    raise UsageError(
        f"{name} was imported: there are answers to score, and nothing to ask; run it where it came from, and import "
        "that"
    )
