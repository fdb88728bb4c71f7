"""Reports as files: metrics.json, summary.csv and tables of CSV.

CSV files are UTF-8 without a byte order mark, with a header and minimal quoting. A text that a spreadsheet would run as
a formula is prefixed with an apostrophe, except in the tables of a benchmark, whose format is fixed. JSON is exact.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from earmark.data.cache import atomic_open, atomic_write, read_hash64
from earmark.errors import BadData
from earmark.journal import METRICS_FILE, SCORES_FILE
from earmark.report.rows import Metrics, Row
from earmark.types import Table, Usage

SUMMARY: Final = (
    "model", "benchmark", "task", "condition", "scorer", "metric", "value", "low", "high", "n",
    "answered", "unparsed", "refused", "request_failed", "sound_failed", "chance", "worst", "best", "method",
    "signature", "trusted", "p_guess",
)  # fmt: skip
EXPORT_PREFIX: Final = ".export-"  # prefix of the folders that hold an export until it is whole
STAGING_PREFIX: Final = ".scoring-"  # prefix of the folders that hold scores until all are written
COMPLETE: Final = ".complete"  # marks a staging folder whose files are all written
FORMULA_STARTS: Final = frozenset("'=+-@\t\r")  # the first character of one
FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")  # also after apostrophes, so that the prefix can be removed
SOLVED_BY_CONTROLS: Final = ("task", "scorer", "id")


def write_metrics(folder: Path, metrics: Metrics) -> None:
    """Write metrics.json. Undefined numbers are null, with a reason in `why`."""
    atomic_write(folder / "metrics.json", msgspec.json.format(msgspec.json.encode(metrics)))


def read_metrics(folder: Path) -> Metrics:
    """Read metrics.json. Raises BadData if it is missing, malformed, or of other scores than those beside it."""
    metrics, scores = load_metrics(folder), folder / SCORES_FILE
    if metrics.scored.scores and scores.exists() and read_hash64(scores) != metrics.scored.scores:
        raise BadData(
            f"{folder / METRICS_FILE}: its numbers are of other scores than those in {SCORES_FILE}, as an interrupted "
            f"rescore leaves them; score again with: earmark rescore {folder}"
        )
    return metrics


def load_metrics(folder: Path) -> Metrics:
    """Read metrics.json, whatever scores lie beside it. Raises BadData if it is missing or malformed."""
    path = folder / METRICS_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Metrics)
    except FileNotFoundError as error:
        raise BadData(
            f"{folder}: found no metrics.json; rerun the original command to finish the run, or score it as it is: "
            f"earmark rescore {folder}"
        ) from error
    except msgspec.DecodeError as error:
        raise BadData(f"{path}: cannot be read ({error}); delete it and type: earmark rescore {folder}") from error


def read_judge_usage(folder: Path) -> Usage:
    """Read the usage of judges so far; empty if metrics.json is missing or malformed."""
    try:
        return load_metrics(folder).judge_usage
    except BadData:
        return Usage()


def write_csv(path: Path, head: Sequence[str], lines: Iterable[Sequence[Any]], *, exact: bool = False) -> None:
    """Write a table atomically; `exact` leaves formulas as they are."""
    with atomic_open(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(head)
        writer.writerows(lines if exact else map(escape_formulas, lines))


def escape_formulas(line: Sequence[Any]) -> list[Any]:
    """Prefix texts that a spreadsheet would run as formulas with an apostrophe.

    >>> escape_formulas(["=1+1", "'-x", "a=b", -1.5])
    ["'=1+1", "''-x", 'a=b', -1.5]
    """
    return [escape_formula(cell) if isinstance(cell, str) else cell for cell in line]


def escape_formula(text: str) -> str:
    """Prefix a text that a spreadsheet would run as a formula with an apostrophe."""
    return f"'{text}" if text[:1] in FORMULA_STARTS and FORMULA.match(text) else text


def write_tables(folder: Path, tables: Iterable[Table]) -> None:
    """Write the extra tables of a benchmark."""
    for table in tables:
        write_csv(folder / table.path, table.head, table.rows, exact=True)


def write_summary(path: Path, model: str, benchmark: str, rows: Sequence[Row]) -> None:
    """Write every metric of every row."""
    write_csv(path, SUMMARY, (line[:-1] for line in summary_lines(model, benchmark, rows, everything=True)))


def summary_lines(model: str, benchmark: str, rows: Sequence[Row], *, everything: bool) -> Iterator[tuple[Any, ...]]:
    """Lines with the columns `SUMMARY` and the slice: the headline of every row, or every metric."""
    for row in rows:
        states = (row.states[state] for state in ("answered", "unparsed", "refused", "request-failed", "sound-failed"))
        key = (model, benchmark, row.task, row.condition, row.scorer)
        counts = (row.n, *states, row.guess_rate)
        for name, estimate in row.metrics.items() if everything else [row.headline]:
            p_guess = row.p_guess if name == row.headline[0] else None
            bounds = (estimate.worst, estimate.best, estimate.method)
            value = (estimate.value, estimate.low, estimate.high)
            yield (*key, name, *value, *counts, *bounds, str(row.signature), estimate.trusted, p_guess, row.slice)


def remove_leftovers(folder: Path) -> None:
    """Finish what a killed command had written whole, and remove what it had not; the run is locked."""
    for staged in folder.glob(f"{STAGING_PREFIX}*"):
        if (staged / COMPLETE).exists():
            _move_files(staged, folder)
        shutil.rmtree(staged, ignore_errors=True)
    for exported in folder.glob(f"{EXPORT_PREFIX}*"):
        shutil.rmtree(exported, ignore_errors=True)
    for part in folder.rglob(".*.part"):
        part.unlink(missing_ok=True)


def publish_files(staged: Path, folder: Path) -> None:
    """Move staged files to their final paths, replacing older ones; from the mark on, the change is finished later."""
    (staged / COMPLETE).touch()
    _move_files(staged, folder)


def _move_files(staged: Path, folder: Path) -> None:
    files = [path for path in staged.rglob("*") if path.is_file() and path.name != COMPLETE]
    for path in sorted(files, key=lambda path: (path.name == METRICS_FILE, path)):
        target = folder / path.relative_to(staged)
        target.parent.mkdir(exist_ok=True)
        path.replace(target)
