"""Stop a run once its headline is known to a half-width (`until=0.03`), and keep the fact in RUN/until.json.

Answers are scored as they come, and at every look the headline has the confidence sequence that the report will print
(`stats/confidence_sequence.py`). What is under way when it is narrow enough comes to its end and counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from earmark.config.settings import RunSettings
from earmark.data.cache import atomic_write
from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, Record, read_keys
from earmark.report.aggregates import Aggregates
from earmark.report.averages import average_rows, tasks_of
from earmark.report.headline import find_headline
from earmark.report.rows import Headline, Row
from earmark.runs.open_scorers import OpenScorers
from earmark.runs.scoring import latest_records, score_record
from earmark.stats.confidence_sequence import limits_of
from earmark.types import Benchmark

FILE: Final = "until.json"
GROWTH: Final = 1.02  # answers from one look to the next, at least 5 more


class Stopped(Struct, frozen=True):
    """A run that was stopped because its headline was known."""

    asked: int  # questions


def check_until(benchmark: Benchmark, settings: RunSettings) -> None:
    """Raise UsageError where no rule to stop is known to hold."""
    until = f"until={settings.until:g}"
    if settings.batch or settings.shard:
        other = "batch=true, which sends every question" if settings.batch else "shard=, whose parts are joined"
        raise UsageError(f"{until} stops a run, and does not go with {other}; leave out one of the two")
    if len(benchmark.tasks) > 1 and not benchmark.averages:
        raise UsageError(f"{until} needs one number, and {benchmark.name} has no average of its tasks; name one task")
    name = [*benchmark.tasks[:1], *benchmark.averages][-1]
    for task in tasks_of(benchmark.averages, name):
        scorers = benchmark.scorers(task) if task in benchmark.tasks else ()
        for metric_name, metric in [*scorers[0].metrics.items()][:1] if scorers else ():
            if limits_of(metric) is None or (metric.caveat and not metric.share) or metric.smallest:
                raise UsageError(
                    f"{until}: no rule to stop is known to hold for {metric_name} of {task}; it is for shares and for "
                    "means of marks between two bounds; use sample= or limit= instead"
                )


class StopRule:
    """Decides whether the headline of a run is known to a half-width."""

    def __init__(self, benchmark: Benchmark, conditions: Sequence[str], scorers: OpenScorers, until: float) -> None:
        self._benchmark, self._conditions, self._scorers, self._until = benchmark, conditions, scorers, until
        self._cells, self._new, self._count, self._next = Aggregates(), list[Record](), 0, 0
        self.is_stopped = False

    def load(self, run: Path, in_flight: int) -> None:
        """Enter the answers of earlier sittings; so many that were under way are asked before the first look."""
        if (run / JOURNAL_FILE).exists():
            self._new += latest_records(run / JOURNAL_FILE)
            self._count = len(self._new)
            self._next = self._count + in_flight if self._count else 0

    def add(self, record: Record) -> None:
        """Enter a record that is on disk."""
        self._new.append(record)
        self._count += 1

    async def is_reached(self) -> bool:
        """True once the headline is known well enough; looks where enough answers have come since the last look."""
        if self.is_stopped or self._count < self._next:
            return self.is_stopped
        self._next = max(self._count + 5, int(self._count * GROWTH))
        records, self._new = self._new, []
        for record in records:
            for opened in await self._scorers.of(record.item.task):
                self._cells.add(record, opened.scorer, await score_record(record, opened.scorer), opened.label)
        half = half_width(*self._headline())
        self.is_stopped = half is not None and half <= self._until
        return self.is_stopped

    def _headline(self) -> tuple[list[Row], Headline | None]:
        rows = self._cells.to_rows(until=self._until)
        rows += average_rows(self._benchmark.averages, self._cells.whole, until=self._until)
        return rows, find_headline(rows, self._conditions, tuple(self._benchmark.averages))

    def write(self, run: Path) -> None:
        """Write until.json where the run was stopped."""
        if self.is_stopped:
            asked = len({line.question_id() for line in read_keys(run / JOURNAL_FILE)})
            atomic_write(run / FILE, msgspec.json.encode(Stopped(asked)))


def half_width(rows: Sequence[Row], headline: Headline | None) -> float | None:
    """Half-width of the headline; None where it has no interval."""
    if headline is None:
        return None
    estimate = rows[headline.row].metrics[headline.metric]
    return None if estimate.low is None or estimate.high is None else (estimate.high - estimate.low) / 2


def describe_stop(
    run: Path, rows: Sequence[Row], headline: Headline | None, until: float, questions: int
) -> tuple[int, str]:
    """Number of questions of a run that were asked by its until.json, and a notice of where it stopped."""
    path = run / FILE
    asked = msgspec.json.decode(path.read_bytes(), type=Stopped).asked if path.exists() else questions
    half = half_width(rows, headline)
    width = "no interval" if half is None else f"half-width {half:.3f}"
    if asked >= questions:
        text = f"until={until:g}: not stopped; {width} after {questions:,} questions"
    else:
        text = f"until={until:g}: stopped at {asked:,} of {questions:,}: {width}; {questions - asked:,} were not asked"
    return asked, f"{text}; the intervals are confidence sequences, which hold at every look (docs/error-bars.md)"
