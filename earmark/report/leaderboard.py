"""Leaderboards as tables."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from earmark.report.rows import Row
from earmark.report.table import format_interval, format_number, format_p

HEAD: Final = ("rank", "model", "score", "95 % interval", "p to first", "n", "unparsed", "failed")

MAX_COLUMNS: Final = 16  # columns beside the one that ranks


class LeaderboardEntry(Struct, frozen=True):
    """One model's run on a board."""

    model: str
    run: str
    finished: bool
    row: Row  # of the column that ranks
    others: dict[str, Row]  # every column
    p: float | None = None  # against the first, adjusted for all pairs
    rank: int = 0
    ranks: tuple[int, int] | None = None  # between which it lies, at 95 %


class Leaderboard(Struct, frozen=True):
    """One table."""

    benchmark: str
    settings: dict[str, Any]
    condition: str
    metric: str
    by: str  # the column that ranks
    columns: list[str]
    entries: list[LeaderboardEntry]


def _other_columns(board: Leaderboard) -> list[str]:
    """The columns that are shown beside the one that ranks: none where there are too many to read."""
    others = [name for name in board.columns if name != board.by]
    return others if len(others) <= MAX_COLUMNS else []


def table(board: Leaderboard) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the lines of a board."""
    others = _other_columns(board)
    lines = []
    for at, entry in enumerate(board.entries):
        _, estimate = entry.row.headline
        counts = (entry.row.n, entry.row.states["unparsed"], entry.row.failed)
        name = entry.model if entry.finished else f"{entry.model} (unfinished)"
        rest = (format_number(entry.others[task].headline[1].value) if task in entry.others else "-" for task in others)
        p = format_p(entry.p) if at else "-"
        low, high = entry.ranks or (entry.rank, entry.rank)
        rank = f"{entry.rank} ({low}-{high})" if low < high else str(entry.rank)
        lines.append(
            (rank, name, format_number(estimate.value), format_interval(estimate), p, *map(str, counts), *rest)
        )
    return (*HEAD, *others), lines


def footnotes(board: Leaderboard) -> list[str]:
    """Footnotes of a leaderboard, a line each."""
    notes = []
    if any(entry.ranks and entry.ranks[0] < entry.ranks[1] for entry in board.entries):
        notes.append(
            "in brackets: the ranks that a model may have, at 95 %; p to first is adjusted for all pairs of models "
            "(Holm)"
        )
    hidden = len(board.columns) - 1 - len(_other_columns(board))
    if board.columns and hidden:
        notes.append(f"{hidden} more columns are left out: --by NAME ranks by another, --json has all")
    rules: dict[str, list[str]] = {}
    for entry in board.entries:
        rules.setdefault(entry.row.signature.partition("|v:")[0], []).append(entry.model)
    if len(rules) > 1:
        by_rule = "; ".join(f"{rule}: {', '.join(models)}" for rule, models in rules.items())
        notes.append(f"scored by different rules, so that the numbers do not compare: {by_rule}")
    return notes
