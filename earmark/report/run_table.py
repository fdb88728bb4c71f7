"""The scores of one or several runs as a table for programs and papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from earmark.report.files import SUMMARY, summary_lines
from earmark.report.rows import Row
from earmark.report.table import format_interval, format_number
from earmark.report.table_formats import DataTable
from earmark.stats.estimate import Estimate


class RunRows(NamedTuple):
    """Rows of a run, and whose they are."""

    model: str
    benchmark: str
    rows: Sequence[Row]


def run_table(runs: Sequence[RunRows], *, everything: bool = False) -> DataTable:
    """Make the table of the headlines of runs, or of every metric.

    A column that is the same in every line is left out of the texts, the score, its interval, n and chance excepted.
    """
    lines: list[tuple[str, ...]] = []
    values: list[Sequence[object]] = []
    comments: dict[str, None] = {}
    for run in runs:
        for row in run.rows:
            metrics = row.metrics if everything else dict([row.headline])
            comments[f"{row.scorer}: {row.signature}"] = None
            lines += [_line(run, row, name, estimate) for name, estimate in metrics.items()]
        values += summary_lines(run.model, run.benchmark, run.rows, everything=everything)
    head = ("model", "benchmark", "task", "condition", "metric", "score (95 % interval)", "n", "chance")
    words = 5
    kept = [
        index for index in range(len(head)) if index >= words or index == 2 or len({line[index] for line in lines}) > 1
    ]
    same = [f"{head[index]}: {lines[0][index]}" for index in range(words) if index not in kept and lines]
    return DataTable(
        ", ".join(same),
        (*SUMMARY, "slice"),
        values,
        tuple(head[index] for index in kept),
        [tuple(line[index] for index in kept) for line in lines],
        sum(index < words for index in kept),
        (*same, *comments),
    )


def _line(run: RunRows, row: Row, metric: str, estimate: Estimate) -> tuple[str, ...]:
    score = format_number(estimate.value)
    interval = format_interval(estimate)
    with_interval = score if interval == "-" else f"{score} ({interval})"
    chance = format_number(row.guess_rate) if metric == row.headline[0] else "-"
    return run.model, run.benchmark, row.title, row.condition, metric, with_interval, str(row.n), chance
