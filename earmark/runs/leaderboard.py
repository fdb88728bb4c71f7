"""Many runs as one table: models ranked on each benchmark, and which of them chance alone would set apart.

Runs stand in one table if they were asked the same: the same benchmark, with the same settings, of the same data. Of a
model's runs the newest counts. Models are ranked by one column, an average over tasks where the benchmark has one;
equal scores share a rank. All pairs of models are compared, question by question, and the p-values are adjusted for the
number of pairs (Holm), since which model is the first is itself read from the scores. A model's rank lies, at 95 %,
between one more than the models that are shown to be better and one less for each that is shown to be worse (Mogstad
and others 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import msgspec

from earmark.errors import BadData, BadSetup
from earmark.journal import METRICS_FILE, ScoreLine
from earmark.report.averages import SEVERAL, tasks_of
from earmark.report.comparison import headline_difference
from earmark.report.files import read_metrics
from earmark.report.leaderboard import Leaderboard, LeaderboardEntry
from earmark.report.rows import Metrics, Row
from earmark.report.run_scores import RunScores
from earmark.runs import rundir
from earmark.runs.run_scores import load_run_scores
from earmark.runs.signature import RunSignature, load_signature
from earmark.stats.difference import holm
from earmark.types import replace

PAIRED: Final = 30  # models of a table, of which all pairs are compared; of more, only the first with each
SHOWN: Final = 0.05  # p-values below it
TASKS: Final = ("tasks", "experiments")  # settings that choose tasks: runs of other tasks may share some


def build_leaderboards(
    results: Path | Sequence[Path],
    *,
    benchmark: str = "",
    condition: str = "plain",
    by: str = "",
    metric: str = "",
    seed: int = 0,
) -> list[Leaderboard]:
    """The tables of all runs under a folder, or of some runs, the newest last; of tasks that are scored several ways by
    `metric`, else by the first.
    """
    groups: dict[str, dict[str, Path]] = {}
    for run in rundir.find_runs(results) if isinstance(results, Path) else results:
        signature = load_signature(run)
        if (run / METRICS_FILE).exists() and not signature.shard and benchmark in ("", signature.benchmark["name"]):
            groups.setdefault(_comparison_key(signature), {})[signature.model["name"]] = run  # the newest comes last
    made = [_build_leaderboard(runs, condition, by, metric, seed) for runs in groups.values()]
    return [board for board in made if board.entries]


def _comparison_key(signature: RunSignature) -> str:
    """Key that two runs must share to be compared."""
    settings = {name: value for name, value in signature.benchmark["settings"].items() if name not in TASKS}
    about = {"name": signature.benchmark["name"], "version": signature.benchmark["version"], "settings": settings}
    return msgspec.json.encode([about, signature.data, signature.limit], order="sorted").decode()


def _build_leaderboard(runs: Mapping[str, Path], condition: str, by: str, metric: str, seed: int) -> Leaderboard:
    metrics_of_model = {model: read_metrics(run) for model, run in runs.items()}
    rows = {model: _rows(metrics, condition, metric) for model, metrics in metrics_of_model.items()}
    columns = list(dict.fromkeys(task for rows_of_model in rows.values() for task in rows_of_model))
    chosen = by or _ranking_column(columns, metrics_of_model.values(), rows)
    if by and by not in columns:
        columns, chosen = [], by
    entries = [
        LeaderboardEntry(
            model, str(runs[model]), metrics_of_model[model].finished, rows_of_model[chosen], rows_of_model
        )
        for model, rows_of_model in rows.items()
        if chosen in rows_of_model
    ]
    signature = load_signature(next(iter(runs.values())))
    metric = entries[0].row.headline[0] if entries else ""
    ranked = sorted(entries, key=_sort_key)
    told_apart: dict[str, Any] = {"limit": signature.limit} if signature.limit else {}
    told_apart |= {"data": commits} if (commits := _commits(runs.values())) else {}
    return Leaderboard(
        signature.benchmark["name"], signature.benchmark["settings"] | told_apart, condition, metric, chosen, columns,
        _against_each_other(ranked, condition, seed),
    )  # fmt: skip


def _commits(runs: Iterable[Path]) -> str:
    """The commits of the data of some runs, of which several hold the same files."""
    commits = {
        f"{repository}@{commit[:12]}": None
        for run in runs
        for repository, commit in load_signature(run).revisions.items()
    }
    return " ".join(commits)


def _rows(metrics: Metrics, condition: str, metric: str) -> dict[str, Row]:
    """The rows of whole tasks and of averages under a condition, by name; of several scorers the one of a metric, or
    the first.
    """
    selected: dict[str, Row] = {}
    for row in metrics.rows:
        if row.condition == condition and not row.slice and metric in ("", row.headline[0]):
            selected.setdefault(row.task, row)
    return selected


def _ranking_column(
    columns: Sequence[str], all_metrics: Iterable[Metrics], rows: Mapping[str, Mapping[str, Row]]
) -> str:
    """The last average that every model has; else the column that most models have."""
    averages = dict.fromkeys(name for metrics in all_metrics for name in metrics.averages)
    shared = [name for name in averages if all(_has_number(of_model.get(name)) for of_model in rows.values())]
    if shared:
        return shared[-1]
    return max(columns, key=lambda name: sum(name in rows_of_model for rows_of_model in rows.values()), default="")


def _has_number(row: Row | None) -> bool:
    return row is not None and row.headline[1].value is not None


def _sort_key(entry: LeaderboardEntry) -> tuple[bool, float]:
    """Sort key of an entry: the best first, those without a number last."""
    _, estimate = entry.row.headline
    if estimate.value is None:
        return True, 0.0
    return False, -estimate.value if entry.row.better == "higher" else estimate.value


def _against_each_other(ranked: Sequence[LeaderboardEntry], condition: str, seed: int) -> list[LeaderboardEntry]:
    """Entries with their ranks, and what comparing them tells."""
    places = [_sort_key(entry) for entry in ranked]
    sides = [_side_of(entry) for entry in ranked]
    many = len(ranked)
    whole = 1 < many <= PAIRED
    pairs = list(combinations(range(many), 2)) if whole else [(0, other) for other in range(1, many)]
    values = [_p(ranked[a], sides[a], sides[b], condition, seed) for a, b in pairs]
    shown = dict(zip(pairs, holm(values, many * (many - 1) // 2), strict=True))
    better = [
        sum(_below(shown.get((other, index))) and places[other] < places[index] for other in range(index))
        for index in range(many)
    ]
    worse = [
        sum(_below(shown.get((index, other))) and places[index] < places[other] for other in range(index + 1, many))
        for index in range(many)
    ]
    return [
        replace(
            entry, p=shown.get((0, index)), rank=1 + sum(place < places[index] for place in places),
            ranks=(1 + better[index], many - worse[index]) if whole and any(p is not None for p in values) else None,
        )
        for index, entry in enumerate(ranked)
    ]  # fmt: skip


def _below(p: float | None) -> bool:
    return p is not None and p < SHOWN


def _side_of(entry: LeaderboardEntry) -> RunScores | None:
    """The scores of the row that ranks; None of an audiogram, of answers that only a judge could score, or of a run
    that names code and is not trusted.
    """
    row = entry.row
    tasks = tasks_of(read_metrics(Path(entry.run)).average_tree, row.task)

    def ranks(line: ScoreLine) -> bool:
        is_scorer = row.scorer in (line.scorer, SEVERAL)
        return line.condition == row.condition and is_scorer and line.task in tasks

    try:
        return load_run_scores(Path(entry.run), ranks)
    except (BadData, BadSetup):
        return None


def _p(
    entry: LeaderboardEntry, first: RunScores | None, second: RunScores | None, condition: str, seed: int
) -> float | None:
    if first is None or second is None:
        return None
    found = headline_difference(first, second, (entry.row.task, condition, entry.row.scorer), seed)
    return found.p if found else None
