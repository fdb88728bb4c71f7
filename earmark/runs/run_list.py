"""Runs below a folder, a line each: of which model and benchmark, how far, and their number; and the newest of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from earmark.errors import BadData
from earmark.journal import JOURNAL_FILE, SIGNATURE_FILE, read_keys
from earmark.report.files import read_metrics
from earmark.report.table import format_interval, format_number
from earmark.runs.rundir import find_runs
from earmark.runs.signature import is_finished, load_signature
from earmark.stats.estimate import Estimate

HEAD: Final = ("model", "benchmark", "run", "condition", "n", "score (95 % interval)")

NEWEST: Final = "@"  # the newest run under results, in the place of a path
NUMBERED: Final = re.compile(rf"{NEWEST}(\d*)")  # and those before it


class ListedRun(Struct, frozen=True):
    """A run in a list. `score` is that of its headline, if it has one."""

    run: str
    model: str = ""
    benchmark: str = ""
    conditions: tuple[str, ...] = ()
    state: str = "finished"
    metric: str = ""
    score: Estimate | None = None
    n: int = 0  # of the headline, or answers of an unfinished run


def list_runs(folder: str | Path) -> list[ListedRun]:
    """List the runs below a folder, the newest last."""
    return [_describe(run) for run in find_runs(folder)]


def _describe(run: Path) -> ListedRun:
    try:
        signature = load_signature(run)
    except BadData as error:
        return ListedRun(str(run), state=str(error))
    described = ListedRun(
        str(run), signature.model["name"], signature.benchmark["name"], tuple(signature.condition), "finished"
    )
    return _with_score(run, described)


def _with_score(run: Path, described: ListedRun) -> ListedRun:
    if not is_finished(run):
        return replace(described, state="unfinished", n=sum(1 for _ in read_keys(run / JOURNAL_FILE)))
    metrics = read_metrics(run)
    if metrics.headline is None:
        return replace(described, n=metrics.usage.answers)
    row = metrics.rows[metrics.headline.row]
    return replace(described, metric=metrics.headline.metric, score=row.metrics[metrics.headline.metric], n=row.n)


def run_lines(runs: Sequence[ListedRun]) -> list[tuple[str, ...]]:
    """Format runs as lines of a table with the columns `HEAD`; the metric is told where not all have the same."""
    is_told = len({run.metric for run in runs if run.metric}) > 1
    return [
        (run.model, run.benchmark, Path(run.run).name, ", ".join(run.conditions), f"{run.n:,}", _score(run, is_told))
        for run in runs
    ]


def _score(run: ListedRun, is_told: bool) -> str:
    if run.score is None:
        return run.state if run.state != "finished" else "several tasks"
    name = f"{run.metric} " if is_told else ""
    return f"{name}{format_number(run.score.value)} ({format_interval(run.score)})"


def has_answers(run: Path) -> bool:
    """True if anything was answered, or failed: a run whose model could not be asked at all has nothing to show."""
    journal = run / JOURNAL_FILE
    return journal.exists() and journal.stat().st_size > 0


def newest_run(path: Path) -> Path:
    """Return the run that a path stands for: a run itself, the newest one below a folder, or @ for the newest under
    results, @2 for the one before it and so on.

    Runs that have no answer yet do not count. A path that is none of these is returned as it is. Raises BadData for a
    folder without runs.
    """
    numbered = NUMBERED.fullmatch(str(path))
    folder = Path("results") if numbered else path
    if (not folder.is_dir() and not numbered) or (folder / SIGNATURE_FILE).exists():
        return folder
    runs = [run for run in find_runs(folder) if has_answers(run)] if folder.is_dir() else []
    back = int(numbered[1] or 1) if numbered else 1
    if not 0 < back <= len(runs):
        count = f"{len(runs)} runs lie" if runs else "no run lies"
        raise BadData(f"{path}: {count} in {folder}; `earmark list runs {folder}` lists those below a folder")
    return runs[-back]
