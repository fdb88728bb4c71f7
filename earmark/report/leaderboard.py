"""Leaderboards as tables."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from earmark.report.rows import Row
from earmark.report.table import format_interval, format_number, format_p
from earmark.types import rules_of

HEAD: Final = ("rank", "model", "score", "95 % interval", "p vs first", "n", "unparsed", "failed")

MAX_COLUMNS: Final = 16  # columns shown besides the ranking one


class LeaderboardEntry(Struct, frozen=True):
    """One model's run."""

    model: str
    run: str
    finished: bool
    row: Row  # of the ranking column
    others: dict[str, Row]  # every column
    p: float | None = None  # against the first model, adjusted for all pairs
    rank: int = 0
    ranks: tuple[int, int] | None = None  # lowest and highest rank, at 95 %


class Leaderboard(Struct, frozen=True):
    """Ranking of the models of one benchmark."""

    benchmark: str
    settings: dict[str, Any]
    condition: str
    metric: str
    by: str  # the ranking column
    columns: list[str]
    entries: list[LeaderboardEntry]


def _other_columns(board: Leaderboard) -> list[str]:
    """Select the columns shown besides the ranking one: none if there are too many to read."""
    others = [name for name in board.columns if name != board.by]
    return others if len(others) <= MAX_COLUMNS else []


def leaderboard_table(board: Leaderboard) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the head and the lines of a leaderboard."""
    others = _other_columns(board)
    lines = []
    for index, entry in enumerate(board.entries):
        _, estimate = entry.row.headline
        counts = (entry.row.n, entry.row.states["unparsed"], entry.row.failed)
        name = entry.model if entry.finished else f"{entry.model} (unfinished)"
        rest = (format_number(entry.others[task].headline[1].value) if task in entry.others else "-" for task in others)
        p = format_p(entry.p) if index else "-"
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
        notes.append("in brackets: range of the rank at 95 %; p vs first is adjusted for all pairs of models (Holm)")
    hidden = len(board.columns) - 1 - len(_other_columns(board))
    if board.columns and hidden:
        notes.append(f"{hidden} more columns are hidden: --by NAME ranks by one of them, --json shows all")
    rules: dict[str, list[str]] = {}
    for entry in board.entries:
        rules.setdefault(rules_of(entry.row.signature), []).append(entry.model)
    if len(rules) > 1:
        by_rule = "; ".join(f"{rule}: {', '.join(models)}" for rule, models in rules.items())
        notes.append(f"scored by different rules, so the scores are not comparable: {by_rule}")
    return notes
