"""Leaderboards as tables."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from earmark.report.rows import Row
from earmark.report.table import format_interval, format_number, format_p
from earmark.report.table_formats import DataTable
from earmark.types import rules_of

HEAD: Final = ("rank", "model", "score", "95 % interval", "p vs first", "n", "unparsed", "refused", "failed")

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
        counts = (entry.row.n, entry.row.states["unparsed"], entry.row.states["refused"], entry.row.failed)
        name = entry.model if entry.finished else f"{entry.model} (unfinished)"
        rest = (format_number(entry.others[task].headline[1].value) if task in entry.others else "-" for task in others)
        p = format_p(entry.p) if index else "-"
        low, high = entry.ranks or (entry.rank, entry.rank)
        rank = f"{entry.rank} ({low}-{high})" if low < high else str(entry.rank)
        lines.append(
            (rank, name, format_number(estimate.value), format_interval(estimate), p, *map(str, counts), *rest)
        )
    return (*HEAD, *others), lines


VALUES: Final = (
    "benchmark", "condition", "task", "metric", "rank", "rank_low", "rank_high", "model", "run", "finished", "value",
    "low", "high", "p", "n", "unparsed", "refused", "failed", "chance", "signature",
)  # fmt: skip


def board_table(board: Leaderboard) -> DataTable:
    """Make the table of a leaderboard for programs and papers: the column that ranks."""
    head = ("rank", "model", "score (95 % interval)", "p vs first", "n", "unparsed", "refused", "failed", "chance")
    lines, values = [], []
    for line, entry in zip(leaderboard_table(board)[1], board.entries, strict=True):
        rank, model, score, interval, p, *counts = line[: len(HEAD)]
        row, (name, estimate) = entry.row, entry.row.headline
        with_interval = score if interval == "-" else f"{score} ({interval})"
        lines.append((rank, model, with_interval, p, *counts, format_number(row.guess_rate)))
        low, high = entry.ranks or (entry.rank, entry.rank)
        key = (board.benchmark, board.condition, board.by, name, entry.rank, low, high, entry.model, entry.run)
        numbers = (entry.finished, estimate.value, estimate.low, estimate.high, entry.p, row.n)
        states = (row.states["unparsed"], row.states["refused"], row.failed, row.guess_rate)
        values.append((*key, *numbers, *states, row.signature))
    title = f"{board.benchmark}: {board.metric} of {board.by}, {board.condition}"
    signatures = dict.fromkeys(f"{entry.row.scorer}: {entry.row.signature}" for entry in board.entries)
    return DataTable(title, VALUES, values, head, lines, 2, (title, *footnotes(board), *signatures))


def footnotes(board: Leaderboard) -> list[str]:
    """Footnotes of a leaderboard, a line each."""
    notes = []
    if any(entry.ranks and entry.ranks[0] < entry.ranks[1] for entry in board.entries):
        notes.append("in brackets: range of the rank at 95 %; p vs first is adjusted for all pairs of models (Holm)")
    hidden = len(board.columns) - 1 - len(_other_columns(board))
    if board.columns and hidden:
        notes.append(f"{hidden} more columns are hidden: --by NAME ranks by one of them, --json shows all")
    return notes + rule_notes(board)


def rule_notes(board: Leaderboard) -> list[str]:
    """Note on models that were scored by different rules; none if all were scored alike."""
    rules: dict[str, list[str]] = {}
    for entry in board.entries:
        rules.setdefault(rules_of(entry.row.signature), []).append(entry.model)
    if len(rules) > 1:
        by_rule = "; ".join(f"{rule}: {', '.join(models)}" for rule, models in rules.items())
        return [f"scored by different rules, so the scores are not comparable: {by_rule}"]
    return []
