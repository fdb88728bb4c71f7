"""Runs under one folder: found, summed up in a line each, opened as tables. Links out of it are not followed."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from earmark.errors import BadData, EarmarkError
from earmark.journal import JOURNAL_FILE, METRICS_FILE, SCORES_FILE, SIGNATURE_FILE
from earmark.report.files import read_metrics
from earmark.report.headline import find_headline
from earmark.report.rows import Metrics, Row
from earmark.report.run_scores import RunScores
from earmark.runs.run_scores import load_run_scores
from earmark.runs.rundir import AUDIOGRAM_NAME
from earmark.runs.signature import RunSignature, load_signature
from earmark.types import Benchmark
from earmark.viewer.table import RunTable

OPEN_TABLES: Final = 24  # tables in memory, at most; the one that was used longest ago goes first,
OPEN_LINES: Final = 600_000  # answers in all of them; the newest stays, whatever its size
COMPARED_RUNS: Final = 12  # whose scores stay in memory
RunState = Literal["finished", "unfinished", "not scored", "audiogram"]


class Audiograms(NamedTuple):
    """Access to audiograms, which only the command line knows."""

    describe: Callable[[Path], dict[str, Any]]
    open: Callable[[Path], Benchmark]


def is_audiogram(run: Path) -> bool:
    """True if the trials of a run depend on the answers before."""
    return bool(load_signature(run).benchmark["name"] == AUDIOGRAM_NAME)


class RunHeadline(Struct, frozen=True):
    """The number of a run."""

    task: str
    condition: str
    scorer: str
    metric: str
    better: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    guess_rate: float | None = None
    trusted: bool = True


class RunSummary(Struct, frozen=True):
    """A run in a line."""

    run: str  # its folder, below the one that is shown
    model: str
    benchmark: str
    conditions: list[str]
    tasks: int
    date: str
    state: RunState
    imported: bool
    headline: RunHeadline | None
    n: int | None
    refused: int
    failed: int
    cost: float
    answers: int
    seconds: float
    why: str = ""  # there is no headline, or the run cannot be read


class OpenedRun(NamedTuple):
    """A table and the state of the files that it was made of."""

    table: RunTable
    scores: tuple[int, int]


class Results:
    """The runs under a folder."""

    def __init__(self, folder: Path) -> None:
        """`folder` is one of results, or a run."""
        is_run = (folder / SIGNATURE_FILE).is_file()
        self.root = (folder.parent if is_run else folder).resolve()
        self._only = folder.resolve() if is_run else None
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._tables: OrderedDict[str, OpenedRun] = OrderedDict()
        self._summaries: dict[str, tuple[tuple[int, ...], RunSummary]] = {}
        self._scores: OrderedDict[tuple[str, tuple[int, int]], RunScores] = OrderedDict()

    def names(self) -> list[str]:
        """Return the names of all runs, the newest first."""
        return sorted(self._walk(), key=lambda name: (name.rpartition("/")[2], name), reverse=True)

    def _walk(self) -> Iterator[str]:
        for parent, folders, files in os.walk(self._only or self.root, followlinks=False):
            folders[:] = [name for name in folders if not name.startswith(".")]
            path = Path(parent)
            if SIGNATURE_FILE in files and self.is_inside(path):
                yield path.relative_to(self.root).as_posix()

    def is_inside(self, run: Path) -> bool:
        """True if none of a run's own files leads out of the folder."""
        names = (SIGNATURE_FILE, JOURNAL_FILE, METRICS_FILE, SCORES_FILE, "config.yaml", "words.jsonl", "speech")
        return all((run / name).resolve().is_relative_to(self.root) for name in names)

    def path(self, name: str) -> Path:
        """Return the folder of a run by its name. Raises BadData for anything else."""
        parts = name.split("/")
        if not name or "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
            raise BadData(f"run={name[:200]}: is no run here; the list of runs names them")
        run = self.root.joinpath(*parts)
        linked = any(folder.is_symlink() for folder in (run, *run.parents) if folder.is_relative_to(self.root))
        if linked or not (run / SIGNATURE_FILE).is_file() or not self.is_inside(run):
            raise BadData(f"run={name[:200]}: is no run here; the list of runs names them")
        if self._only and run != self._only:
            raise BadData(f"run={name[:200]}: only {self._only.name} is shown")
        return run

    def table(self, name: str) -> RunTable:
        """Return the table of a run, made once; made again where the run was scored again."""
        run = self.path(name)
        with self._lock:
            lock = self._opening.setdefault(name, threading.Lock())
        with lock:
            stamp = _stamp(run / SCORES_FILE)
            opened = self._tables.get(name)
            if opened is None or opened.scores != stamp:
                opened = OpenedRun(open_table(run), stamp)
            with self._lock:
                self._tables[name] = opened
                self._tables.move_to_end(name)
                while len(self._tables) > OPEN_TABLES or (len(self._tables) > 1 and self._n_lines() > OPEN_LINES):
                    self._tables.popitem(last=False)
            return opened.table

    def _n_lines(self) -> int:
        return sum(len(opened.table.lines) for opened in self._tables.values())

    def scores(self, name: str) -> RunScores:
        """Return the scores of a run in columns, read once for all the runs that it is compared with."""
        run = self.path(name)
        key = (name, _stamp(run / SCORES_FILE))
        scores = self._scores.pop(key, None) or load_run_scores(run)
        with self._lock:
            self._scores[key] = scores
            while len(self._scores) > COMPARED_RUNS:
                self._scores.popitem(last=False)
        return scores

    def is_open(self, name: str) -> bool:
        """True if the table of a run is there already."""
        return name in self._tables

    def summaries(self) -> list[RunSummary]:
        """Sum up every run; one that cannot be read says why."""
        return [self.summary(name) for name in self.names()]

    def summary(self, name: str) -> RunSummary:
        """Sum up a run; what was read of it is kept until its files change."""
        run = self.path(name)
        stamp = (*_stamp(run / SIGNATURE_FILE), *_stamp(run / METRICS_FILE))
        known = self._summaries.get(name)
        if known is None or known[0] != stamp:
            known = self._summaries[name] = (stamp, _summarize(name, run))
        return known[1]


def open_table(run: Path) -> RunTable:
    """Read the table of a run."""
    benchmark = load_signature(run).benchmark
    labels = [] if benchmark["name"] == AUDIOGRAM_NAME else scorer_labels(run)
    return RunTable(run, labels, imported=bool(benchmark.get("imported")))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _summarize(name: str, run: Path) -> RunSummary:
    try:
        signature = load_signature(run)
        metrics = metrics_of(run)
        return _summary(name, signature, metrics)
    except (EarmarkError, KeyError, TypeError) as error:
        date = format_date(run.name)
        return RunSummary(name, run.parent.parent.name, run.parent.name, [], 0, date, "not scored", False, None, None,
                          0, 0, 0.0, 0, 0.0, f"cannot be read: {error}")  # fmt: skip


def _summary(name: str, signature: RunSignature, metrics: Metrics | None) -> RunSummary:
    is_audiogram = signature.benchmark["name"] == AUDIOGRAM_NAME
    state: RunState = "audiogram" if is_audiogram else "not scored"
    if metrics and not is_audiogram:
        state = "finished" if metrics.finished else "unfinished"
    headline = run_headline(metrics, signature.condition) if metrics else None
    whole = rows_per_item(metrics) if metrics else []
    usage = metrics.usage if metrics else None
    return RunSummary(
        run=name,
        model=str(signature.model["name"]),
        benchmark=str(signature.benchmark["name"]),
        conditions=signature.condition,
        tasks=len(signature.benchmark.get("tasks", ())),
        date=format_date(name.rpartition("/")[2]),
        state=state,
        imported=bool(signature.benchmark.get("imported")),
        headline=headline,
        n=sum(row.n for row in whole) if metrics else None,
        refused=sum(row.states.get("refused", 0) for row in whole),
        failed=sum(row.failed for row in whole),
        cost=usage.usage.cost if usage else 0.0,
        answers=usage.answers if usage else 0,
        seconds=usage.seconds if usage else 0.0,
        why="" if headline else _no_headline(state, metrics),
    )


def _no_headline(state: RunState, metrics: Metrics | None) -> str:
    if state == "audiogram":
        return "an audiogram has thresholds"
    if metrics is None:
        return "not scored yet"
    tasks = len({row.task for row in metrics.rows})
    return f"{tasks} tasks and no average over them" if tasks > 1 else "no scores"


def format_date(folder: str) -> str:
    """Read the time that names a run's folder.

    >>> format_date("2026-01-31_12-00-59.2"), format_date("mine")
    ('2026-01-31 12:00', '')
    """
    day, _, clock = folder.partition("_")
    is_time = len(day) == 10 and len(clock) >= 8 and day.replace("-", "").isdecimal()
    return f"{day} {clock[:5].replace('-', ':')}" if is_time else ""


def metrics_of(run: Path) -> Metrics | None:
    """Read the metrics of a run, or None if it was never scored."""
    return read_metrics(run) if (run / METRICS_FILE).exists() else None


def rows_per_item(metrics: Metrics) -> list[Row]:
    """Rows in which each item is counted once: whole tasks, by their first scorer."""
    rows: dict[tuple[str, str], Row] = {}
    for row in metrics.rows:
        if not row.slice and row.task not in metrics.averages and "|mean:" not in str(row.signature):
            rows.setdefault((row.task, row.condition), row)
    return list(rows.values())


def run_headline(metrics: Metrics, conditions: Sequence[str]) -> RunHeadline | None:
    """Return the number of a run; of version 0.1, which did not tell, the one that it would be today."""
    headline = metrics.headline or find_headline(metrics.rows, conditions, tuple(metrics.averages))
    return row_headline(metrics.rows[headline.row]) if headline else None


def row_headline(row: Row) -> RunHeadline:
    """Return the first metric of a row."""
    metric, estimate = row.headline
    return RunHeadline(
        row.task, row.condition, row.scorer, metric, row.better, estimate.value, estimate.low, estimate.high, row.n,
        row.guess_rate, estimate.trusted,
    )  # fmt: skip


def scorer_labels(run: Path) -> list[str]:
    """Labels of a run's scorers, in the order of its report."""
    try:
        metrics = metrics_of(run)
    except BadData:
        return []
    return list(dict.fromkeys(row.scorer for row in metrics.rows)) if metrics else []


def scorer_files(run: Path) -> list[str]:
    """Files of a run's scorers, of those that were given by their path."""
    try:
        metrics = metrics_of(run)
    except BadData:
        return []
    return list(dict.fromkeys(row.file for row in metrics.rows if row.file)) if metrics else []


def to_plain(value: Any) -> Any:
    """Turn structs into what JSON holds."""
    return msgspec.to_builtins(value)


def fields_of(value: Struct) -> dict[str, Any]:
    """Turn a struct into what JSON holds."""
    fields: dict[str, Any] = msgspec.to_builtins(value)
    return fields
