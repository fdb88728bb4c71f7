"""A run in progress: what was added to its journal since, scored as it comes by the scorers that ask nobody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from earmark.errors import EarmarkError
from earmark.journal import SCORES_FILE, Record, ScoreLine
from earmark.report.aggregates import labels
from earmark.runs.rescore import reopen
from earmark.runs.scoring import score_line, score_record
from earmark.runs.signature import is_finished
from earmark.types import Benchmark, Opens, Scorer
from earmark.viewer.results import Results
from earmark.viewer.table import RunTable

MAX_SECONDS: Final = 0.5  # of scoring, for one look at a run
MAX_ROWS: Final = 200  # new items that one look returns


class LiveRun:
    """Follows one run."""

    def __init__(
        self, run: Path, table: RunTable, check: Callable[[Path], str], open_benchmark: Callable[[Path], Benchmark]
    ) -> None:
        """`check` says why the run's benchmark may not be imported, or nothing."""
        self.run, self.table = run, table
        self._check, self._open_benchmark = check, open_benchmark
        self._scored = len(table.lines) if table.n_written_scores else 0
        self._scorers: dict[str, tuple[tuple[str, Scorer], ...]] = {}
        self._benchmark: Benchmark | None = None
        self.why = ""  # answers are not scored

    def follow(self) -> list[int]:
        """Take in what is new and score it; return the numbers of the lines that are new or newly scored."""
        self.table.refresh()
        first, until = self._scored, time.monotonic() + MAX_SECONDS
        scores: list[ScoreLine] = []
        while self._scored < len(self.table.lines) and time.monotonic() < until:
            self._scored += 1
            scores += self._score(self.table.record(self._scored))
        if scores:
            self.table.add_scores(scores)
        return list(range(first + 1, self._scored + 1))

    def _score(self, record: Record) -> list[ScoreLine]:
        scorers = () if self.why else self._open(record.item.task)
        return [
            score_line(record, label, scorer, asyncio.run(score_record(record, scorer))) for label, scorer in scorers
        ]

    def _open(self, task: str) -> tuple[tuple[str, Scorer], ...]:
        """Return the scorers of a task that ask nobody, with their labels."""
        if task not in self._scorers:
            try:
                self.why = self._check(self.run)
                if self.why:
                    return ()
                self._benchmark = self._benchmark or self._open_benchmark(self.run)
                scorers = self._benchmark.scorers(task)
            except EarmarkError as error:
                self.why = str(error)
                return ()
            named = zip(labels(scorers), scorers, strict=True)
            self._scorers[task] = tuple((label, scorer) for label, scorer in named if not isinstance(scorer, Opens))
        return self._scorers[task]


class LiveRuns:
    """The runs that are followed."""

    def __init__(
        self,
        results: Results,
        check: Callable[[Path], str],
        open_benchmark: Callable[[Path], Benchmark] = lambda run: reopen(run)[0],
    ) -> None:
        self._results, self._check, self._open_benchmark = results, check, open_benchmark
        self._runs: dict[str, LiveRun] = {}

    def look(self, name: str) -> dict[str, Any]:
        """Look at a run again: how far it is, and the items that are new since the last look at it."""
        run, table = self._results.path(name), self._results.table(name)
        live = self._runs.get(name)
        if live is None or live.table is not table:
            live = self._runs[name] = LiveRun(run, table, self._check, self._open_benchmark)
        finished = is_finished(run)
        new = [] if finished and (run / SCORES_FILE).exists() else live.follow()
        return {
            "finished": finished,
            "n": table.count(),
            "new": table.rows(new[-MAX_ROWS:]),
            "lines": len(table.lines),
            "right": _share(table),
            "why": live.why,
        }


def _share(table: RunTable) -> list[dict[str, Any]]:
    """Count answers and right ones so far, by task and condition."""
    rest = "group by task, condition order by min(line)"
    rows = table.query("task, condition, count(*), count(right_), count(*) filter (right_)", rest=rest)
    names = ("task", "condition", "n", "marked", "right")
    return [dict(zip(names, row, strict=True)) for row in rows]
