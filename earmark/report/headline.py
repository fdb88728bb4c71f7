"""The number of a run: which row and which metric, or none where no row speaks for all of it."""

from __future__ import annotations

from collections.abc import Sequence

from earmark.report.rows import Headline, Metrics, Row
from earmark.report.table import format_interval, format_number, format_signed


def find_headline(rows: Sequence[Row], conditions: Sequence[str], averages: Sequence[str]) -> Headline | None:
    """Find the row and the metric that are the number of a run.

    The condition is plain, or the first of a run that has no plain one. The row is that of the last average that has
    a number, of the first scorer; of a run without averages that of its only task. A run of several tasks without an
    average has no headline.
    """
    condition = "plain" if "plain" in conditions else next(iter(conditions), "")
    whole = {index: row for index, row in enumerate(rows) if row.condition == condition and not row.slice}
    tasks = list(dict.fromkeys(row.task for row in whole.values() if row.task not in averages))
    numbers = {row.task for row in whole.values() if row.metrics and row.headline[1].value is not None}
    present = [name for name in averages if name in numbers]
    task = present[-1] if present else tasks[0] if len(tasks) == 1 else None
    index = next((index for index, row in whole.items() if row.task == task and row.metrics), None)
    return None if index is None else Headline(index, rows[index].headline[0])


def headline_sentence(metrics: Metrics, benchmark: str, model: str) -> str:
    """Say the number of a run in a sentence, with its interval, chance and listening gain; empty where nothing was
    scored.
    """
    if not metrics.rows:
        return ""
    if metrics.headline is None:
        tasks = len({row.task for row in metrics.rows})
        return f"{model} on {benchmark}: {tasks} tasks and no number for all of them; see the table."
    row, metric = metrics.rows[metrics.headline.row], metrics.headline.metric
    estimate = row.metrics[metric]
    parts = [f"95 % interval {format_interval(estimate)}", f"{row.n:,} items"]
    parts += [f"chance {format_number(row.guess_rate)}"] if row.guess_rate is not None else []
    parts += [f"{row.better} is better"] if row.better == "lower" else []
    parts += [] if row.condition == "plain" else [f"under {row.condition}"]
    gain = next(
        (gain for gain in metrics.gains if (gain.task, gain.scorer, gain.slice) == (row.task, row.scorer, "")), None
    )
    listening = f"; listening gain {format_signed(gain.value)}" if gain and gain.value is not None else ""
    return f"{model} on {benchmark}: {metric} {format_number(estimate.value)} ({', '.join(parts)}){listening}."
