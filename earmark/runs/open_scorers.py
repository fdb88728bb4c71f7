"""Scorers that are ready to score: opened once, with a judge or without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from earmark.engine.open import ModelNotAskedError, refuse_models
from earmark.report.aggregates import labels
from earmark.types import Benchmark, NeedsSetup, Opens, Scorer

if TYPE_CHECKING:
    from earmark.runs.kept_scores import KeptScores

NOT_ASKED: Final = "not asked"  # the rule of a score that a judge has yet to give
Scorers: TypeAlias = Callable[[str], tuple[Scorer, ...]]


class OpenScorer(NamedTuple):
    """A scorer that is ready to score."""

    label: str  # what it is called on its task
    scorer: Scorer
    asks: bool  # a judge or a program: several answers are scored at a time
    kept: KeptScores | None = None  # its scores of earlier, where it is not to ask


class OpenScorers:
    """The scorers of each task, opened when they are first needed; equal ones are opened once.

    With `kept`, no model is asked: a scorer that opens one keeps the scores that it gave earlier.
    """

    def __init__(self, scorers: Scorers, stack: AsyncExitStack, kept: KeptScores | None = None) -> None:
        self._scorers, self._stack, self._kept = scorers, stack, kept
        self._tasks: dict[str, tuple[OpenScorer, ...]] = {}
        self._known: list[tuple[Scorer, Scorer]] = []  # as a benchmark names it, and open

    @property
    def asks_nobody(self) -> bool:
        """True if scorers that open a model keep their earlier scores instead."""
        return self._kept is not None

    def scorers_of(self, task: str) -> tuple[Scorer, ...]:
        """The scorers of a task as its benchmark names them."""
        return self._scorers(task)

    def opened(self, task: str) -> tuple[OpenScorer, ...] | None:
        """The scorers of a task, where they are open."""
        return self._tasks.get(task)

    async def of(self, task: str) -> tuple[OpenScorer, ...]:
        """The scorers of a task; of two that are equal one."""
        if task not in self._tasks:
            named = self._scorers(task)
            by_label = dict(zip(labels(named), named, strict=True))
            self._tasks[task] = tuple([await self._open(task, label, scorer) for label, scorer in by_label.items()])
        return self._tasks[task]

    async def _open(self, task: str, label: str, scorer: Scorer) -> OpenScorer:
        opened = next((found for known, found in self._known if known == scorer), None)
        if opened is None:
            try:
                opened = await enter_scorer(scorer, self._stack, asks_nobody=self._kept is not None)
            except ModelNotAskedError:
                if self._kept is None:
                    raise
                return OpenScorer(label, self._kept.keep(scorer, task, label), asks=False, kept=self._kept)
            self._known.append((scorer, opened))
        return OpenScorer(label, opened, isinstance(scorer, Opens))


@asynccontextmanager
async def open_scorers(benchmark: Benchmark) -> AsyncIterator[OpenScorers]:
    """All scorers of a benchmark, open. Raises BadSetup where the judge or a package of one is not there."""
    async with AsyncExitStack() as stack:
        scorers = OpenScorers(benchmark.scorers, stack)
        for task in benchmark.tasks:
            await scorers.of(task)
        yield scorers


async def enter_scorer(scorer: Scorer, stack: AsyncExitStack, *, asks_nobody: bool = False) -> Scorer:
    """A scorer, ready until the stack is left."""
    if isinstance(scorer, NeedsSetup):
        await asyncio.to_thread(scorer.check)
    if not isinstance(scorer, Opens):
        return scorer
    with refuse_models() if asks_nobody else nullcontext():
        open_scorer: Scorer = await stack.enter_async_context(scorer.open())
    return open_scorer
