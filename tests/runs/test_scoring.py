"""In which order the rows of a report stand, whichever answer came first."""

from __future__ import annotations

from earmark.report.rows import Row
from earmark.runs.scoring import sort_rows


def test_rows_stand_by_task_condition_and_slice() -> None:
    def row(task: str, condition: str, of: str = "") -> Row:
        return Row(task, condition, "choice", "", 1, {}, {}, slice=of)

    wanted = [
        row("one", "plain"),
        row("one", "plain", "level=9"),
        row("one", "plain", "level=10"),
        row("one", "plain", "word=a"),
        row("one", "silence"),
        row("two", "plain", "user=003"),
        row("two", "plain", "user=b2"),
        row("mean over tasks", "plain"),
    ]
    tasks = ("one", "two", "mean over tasks")
    assert sort_rows(wanted[::-1], tasks, ("plain", "silence")) == wanted
