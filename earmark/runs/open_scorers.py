"""The scorers of a run, open: each ready to score until all are closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple, TypeAlias

from earmark.report.aggregates import labels
from earmark.types import Benchmark, NeedsSetup, Opens, Scorer

Scorers: TypeAlias = Callable[[str], tuple[Scorer, ...]]


class OpenScorer(NamedTuple):
    """A scorer that is ready to score."""

    label: str  # what it is called on its task
    scorer: Scorer
    asks: bool  # a judge or a program: several answers are scored at a time


class OpenScorers:
    """The scorers of each task, opened when they are first needed; equal ones are opened once."""

    def __init__(self, scorers: Scorers, stack: AsyncExitStack) -> None:
        self._scorers, self._stack = scorers, stack
        self._tasks: dict[str, tuple[OpenScorer, ...]] = {}
        self._known: list[tuple[Scorer, Scorer]] = []  # as a benchmark names it, and open

    def scorers_of(self, task: str) -> tuple[Scorer, ...]:
        """The scorers of a task as its benchmark names them."""
        return self._scorers(task)

    async def of(self, task: str) -> tuple[OpenScorer, ...]:
        """The scorers of a task; of two that are equal one."""
        if task not in self._tasks:
            named = self._scorers(task)
            by_label = dict(zip(labels(named), named, strict=True))
            opened = [
                OpenScorer(label, await self._open(one), isinstance(one, Opens)) for label, one in by_label.items()
            ]
            self._tasks[task] = tuple(opened)
        return self._tasks[task]

    async def _open(self, scorer: Scorer) -> Scorer:
        opened = next((found for known, found in self._known if known == scorer), None)
        if opened is None:
            opened = await enter_scorer(scorer, self._stack)
            self._known.append((scorer, opened))
        return opened


@asynccontextmanager
async def open_scorers(benchmark: Benchmark) -> AsyncIterator[OpenScorers]:
    """All scorers of a benchmark, open. Raises BadSetup where the judge or a package of one is not there."""
    async with AsyncExitStack() as stack:
        scorers = OpenScorers(benchmark.scorers, stack)
        for task in benchmark.tasks:
            await scorers.of(task)
        yield scorers


async def enter_scorer(scorer: Scorer, stack: AsyncExitStack) -> Scorer:
    """A scorer, ready until the stack is left."""
    if isinstance(scorer, NeedsSetup):
        await asyncio.to_thread(scorer.check)
    if not isinstance(scorer, Opens):
        return scorer
    open_scorer: Scorer = await stack.enter_async_context(scorer.open())
    return open_scorer
