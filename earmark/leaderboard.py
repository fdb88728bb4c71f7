"""Many runs as one table: models ranked on each benchmark, and which of them chance alone would set apart.

Runs stand in one table if they were asked the same: the same benchmark, with the same settings, of the same data. Of a
model's runs the newest counts. Models are ranked by one column, an average over tasks where the benchmark has one; equal
scores share a rank. All pairs of models are compared, question by question, and the p-values are adjusted for the number of
pairs (Holm), since which model is the first is itself read from the scores. A model's rank lies, at 95 %, between one more
than the models that are shown to be better and one less for each that is shown to be worse (Mogstad and others 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark import folder
from earmark.errors import BadData
from earmark.report.comparison import headline_difference
from earmark.report.files import read_metrics
from earmark.report.gathered import Side
from earmark.report.rows import Metrics, Row
from earmark.report.table import chance, interval, number
from earmark.sides import side
from earmark.stats.compare import holm
from earmark.types import replace

HEAD: Final = ("rank", "model", "score", "95 % interval", "p to first", "n", "unparsed", "failed")
MOST: Final = 16  # columns beside the one that ranks
PAIRED: Final = 30  # models of a table, of which all pairs are compared; of more, only the first with each
SHOWN: Final = 0.05  # p-values below it
TASKS: Final = ("tasks", "experiments")  # settings that choose tasks: runs of other tasks may share some


class Entry(Struct, frozen=True):
    """One model's run on a board."""

    model: str
    run: str
    finished: bool
    row: Row  # of the column that ranks
    others: dict[str, Row]  # every column
    p: float | None = None  # against the first, adjusted for all pairs
    rank: int = 0
    ranks: tuple[int, int] | None = None  # between which it lies, at 95 %


class Board(Struct, frozen=True):
    """One table."""

    benchmark: str
    settings: dict[str, Any]
    condition: str
    metric: str
    by: str  # the column that ranks
    columns: list[str]
    entries: list[Entry]


def boards(
    results: Path, *, benchmark: str = "", condition: str = "plain", by: str = "", metric: str = "", seed: int = 0
) -> list[Board]:
    """The tables of all runs under a folder; of tasks that are scored several ways by `metric`, else by the first."""
    groups: dict[str, dict[str, Path]] = {}
    for run in folder.runs(results):
        signed = folder.signed(run)
        if (run / folder.METRICS).exists() and benchmark in ("", signed.benchmark["name"]):
            groups.setdefault(_asked(signed), {})[signed.model["name"]] = run  # the newest comes last
    made = [_board(runs, condition, by, metric, seed) for runs in groups.values()]
    return [board for board in made if board.entries]


def _asked(signed: folder.Signed) -> str:
    """What two runs must have in common to be compared."""
    settings = {name: value for name, value in signed.benchmark["settings"].items() if name not in TASKS}
    about = {"name": signed.benchmark["name"], "version": signed.benchmark["version"], "settings": settings}
    return msgspec.json.encode([about, signed.data, signed.limit], order="sorted").decode()


def _board(runs: Mapping[str, Path], condition: str, by: str, metric: str, seed: int) -> Board:
    told = {model: read_metrics(run) for model, run in runs.items()}
    rows = {model: _rows(metrics, condition, metric) for model, metrics in told.items()}
    columns = list(dict.fromkeys(task for found in rows.values() for task in found))
    chosen = by or _ranking(columns, told.values(), rows)
    if by and by not in columns:
        columns, chosen = [], by
    entries = [
        Entry(model, str(runs[model]), told[model].finished, found[chosen], found)
        for model, found in rows.items()
        if chosen in found
    ]
    signed = folder.signed(next(iter(runs.values())))
    metric = entries[0].row.headline[0] if entries else ""
    ranked = sorted(entries, key=_place)
    told_apart = {"limit": signed.limit} if signed.limit else {}
    return Board(
        signed.benchmark["name"], signed.benchmark["settings"] | told_apart, condition, metric, chosen, columns,
        _against_each_other(ranked, condition, seed),
    )  # fmt: skip


def _rows(metrics: Metrics, condition: str, metric: str) -> dict[str, Row]:
    """The rows of whole tasks and of averages under a condition, by name; of several scorers the one of a metric, or the first."""
    found: dict[str, Row] = {}
    for row in metrics.rows:
        if row.condition == condition and not row.slice and metric in ("", row.headline[0]):
            found.setdefault(row.task, row)
    return found


def _ranking(columns: Sequence[str], told: Iterable[Metrics], rows: Mapping[str, Mapping[str, Row]]) -> str:
    """The last average that every model has; else the column that most models have."""
    averages = dict.fromkeys(name for metrics in told for name in metrics.averages)
    shared = [name for name in averages if all(name in found for found in rows.values())]
    if shared:
        return shared[-1]
    return max(columns, key=lambda name: sum(name in found for found in rows.values()), default="")


def _place(entry: Entry) -> tuple[bool, float]:
    """Where an entry belongs: the best first, those without a number last."""
    _, found = entry.row.headline
    if found.value is None:
        return True, 0.0
    return False, -found.value if entry.row.better == "higher" else found.value


def _against_each_other(ranked: Sequence[Entry], condition: str, seed: int) -> list[Entry]:
    """Entries with their ranks, and what comparing them tells."""
    places = [_place(entry) for entry in ranked]
    sides = [_side_of(entry) for entry in ranked]
    many = len(ranked)
    whole = 1 < many <= PAIRED
    pairs = list(combinations(range(many), 2)) if whole else [(0, other) for other in range(1, many)]
    values = [_p(ranked[a], sides[a], sides[b], condition, seed) for a, b in pairs]
    shown = dict(zip(pairs, holm(values, many * (many - 1) // 2), strict=True))
    better = [
        sum(_below(shown.get((other, at))) and places[other] < places[at] for other in range(at)) for at in range(many)
    ]
    worse = [
        sum(_below(shown.get((at, other))) and places[at] < places[other] for other in range(at + 1, many))
        for at in range(many)
    ]
    return [
        replace(
            entry, p=shown.get((0, at)), rank=1 + sum(place < places[at] for place in places),
            ranks=(1 + better[at], many - worse[at]) if whole and any(p is not None for p in values) else None,
        )
        for at, entry in enumerate(ranked)
    ]  # fmt: skip


def _below(p: float | None) -> bool:
    return p is not None and p < SHOWN


def _side_of(entry: Entry) -> Side | None:
    """A run to be compared; None of an audiogram, or of answers that only a judge could score: its numbers stand."""
    try:
        return side(Path(entry.run))
    except BadData:
        return None


def _p(entry: Entry, first: Side | None, second: Side | None, condition: str, seed: int) -> float | None:
    if first is None or second is None:
        return None
    found = headline_difference(first, second, (entry.row.task, condition, entry.row.scorer), seed)
    return found.p if found else None


def _others(board: Board) -> list[str]:
    """The columns that are shown beside the one that ranks: none where there are too many to read."""
    others = [name for name in board.columns if name != board.by]
    return others if len(others) <= MOST else []


def table(board: Board) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the lines of a board."""
    others = _others(board)
    lines = []
    for at, entry in enumerate(board.entries):
        _, found = entry.row.headline
        counts = (entry.row.n, entry.row.states["unparsed"], entry.row.failed)
        name = entry.model if entry.finished else f"{entry.model} (unfinished)"
        rest = (number(entry.others[task].headline[1].value) if task in entry.others else "-" for task in others)
        p = chance(entry.p) if at else "-"
        low, high = entry.ranks or (entry.rank, entry.rank)
        rank = f"{entry.rank} ({low}-{high})" if low < high else str(entry.rank)
        lines.append((rank, name, number(found.value), interval(found), p, *map(str, counts), *rest))
    return (*HEAD, *others), lines


def footnotes(board: Board) -> list[str]:
    """What must be known about a board, in a line each."""
    told = []
    if any(entry.ranks and entry.ranks[0] < entry.ranks[1] for entry in board.entries):
        told.append(
            "in brackets: the ranks that a model may have, at 95 %; p to first is adjusted for all pairs of models (Holm)"
        )
    hidden = len(board.columns) - 1 - len(_others(board))
    if board.columns and hidden:
        told.append(f"{hidden} more columns are left out: --by NAME ranks by another, --json has all")
    rules: dict[str, list[str]] = {}
    for entry in board.entries:
        rules.setdefault(entry.row.signature.partition("|v:")[0], []).append(entry.model)
    if len(rules) > 1:
        by_rule = "; ".join(f"{rule}: {', '.join(models)}" for rule, models in rules.items())
        told.append(f"scored by different rules, so that the numbers do not compare: {by_rule}")
    return told
