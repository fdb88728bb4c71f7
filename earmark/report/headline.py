"""The number of a run: which row and which metric, or none where no row speaks for all of it."""

from __future__ import annotations

from collections.abc import Sequence

from earmark.report.rows import Headline, Row


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
