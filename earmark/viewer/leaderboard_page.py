"""The page of leaderboards as data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from earmark.report.leaderboard import Leaderboard, LeaderboardEntry, footnotes
from earmark.runs.leaderboard import build_leaderboards
from earmark.viewer.results import Results, fields_of, metrics_of, row_headline


def leaderboard_page(
    results: Results,
    condition: str = "plain",
    by: str = "",
    benchmark: str = "",
    check: Callable[[Path], str] = lambda _: "",
) -> dict[str, Any]:
    """Return the table of every benchmark, and the runs that are in none; `check` says why one may not be opened."""
    left_out = {}
    runs = []
    for name in reversed(results.names()):
        run = results.path(name)
        if why := check(run):
            left_out[name] = why
        else:
            runs.append(run)
    boards = build_leaderboards(runs, benchmark=benchmark, condition=condition, by=by)
    return {"boards": [_board(results, board) for board in boards], "left_out": left_out}


def _board(results: Results, board: Leaderboard) -> dict[str, Any]:
    return {
        "benchmark": board.benchmark,
        "settings": {name: value for name, value in board.settings.items() if value not in ("", [], None)},
        "condition": board.condition,
        "metric": board.metric,
        "by": board.by,
        "columns": board.columns,
        "entries": [_entry(results, board, entry) for entry in board.entries],
        "notes": footnotes(board),
    }


def _entry(results: Results, board: Leaderboard, entry: LeaderboardEntry) -> dict[str, Any]:
    run = results.root.joinpath(entry.run).resolve()
    metrics = metrics_of(run)
    gain = next((gain for gain in metrics.gains if gain.task == board.by and not gain.slice), None) if metrics else None
    others = {name: row.headline[1].value for name, row in entry.others.items()}
    return {
        "model": entry.model,
        "run": run.relative_to(results.root).as_posix(),
        "finished": entry.finished,
        "rank": entry.rank,
        "ranks": entry.ranks,
        "p": entry.p,
        "refused": entry.row.states.get("refused", 0),
        "unparsed": entry.row.states.get("unparsed", 0),
        "failed": entry.row.failed,
        "others": others,
        "gain": {"control": gain.control, "value": gain.value, "low": gain.low, "high": gain.high,
                 "controls": gain.controls} if gain else None,
    } | fields_of(row_headline(entry.row))  # fmt: skip
