"""The page of leaderboards as data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from earmark.report.leaderboard import Leaderboard, LeaderboardEntry, rule_notes
from earmark.runs.leaderboard import build_leaderboards
from earmark.runs.signature import RunSignature, load_signature
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
    of_entries = [metrics_of(results.root.joinpath(entry.run)) for entry in board.entries]
    all_metrics = [metrics for metrics in of_entries if metrics]
    rows = (row for metrics in all_metrics for row in metrics.rows)
    controls = {name for metrics in all_metrics for gain in metrics.gains for name in gain.controls}
    return {
        "conditions": list(dict.fromkeys(row.condition for row in rows)),
        "controls": sorted(controls),  # conditions in which what is asked about cannot be heard
        "benchmark": board.benchmark,
        "settings": {name: value for name, value in board.settings.items() if value not in ("", [], None)},
        "condition": board.condition,
        "metric": board.metric,
        "by": board.by,
        "columns": board.columns,
        "entries": [_entry(results, board, entry) for entry in board.entries],
        "notes": rule_notes(board),
    }


def model_kind(signature: RunSignature) -> str:
    """Return what a model is if it does not listen by itself: a cascade, a model of words alone, or fixed replies."""
    backend, capabilities = signature.model.get("backend"), signature.capabilities
    if backend == "cascade":
        return "cascade"
    if backend == "fake":
        return "control: fixed replies"
    return "control: takes no sound" if capabilities and capabilities.clips == 0 else ""


def _entry(results: Results, board: Leaderboard, entry: LeaderboardEntry) -> dict[str, Any]:
    run = results.root.joinpath(entry.run).resolve()
    metrics = metrics_of(run)
    gain = (
        next((gain for gain in metrics.gains if gain.task == board.by and not gain.slice), None)
        if metrics and board.condition == "plain"
        else None
    )
    others = {name: row.headline[1].value for name, row in entry.others.items()}
    return {
        "model": entry.model,
        "kind": model_kind(load_signature(run)),
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
