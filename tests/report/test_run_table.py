"""The table of several runs: columns that are the same are left out of the texts."""

from __future__ import annotations

from noise_rows import ROWS

from earmark.report.files import SUMMARY
from earmark.report.run_table import RunRows, run_table


def test_models_and_conditions_have_columns_where_they_differ() -> None:
    rows = [row for row in ROWS if not row.slice]
    one, two = run_table([RunRows("m", "b", rows[:1])]), run_table([RunRows("m", "b", rows), RunRows("n", "b", rows)])
    assert one.head == ("task", "score (95 % interval)", "n", "chance")
    assert (one.words, two.words) == (1, 3)
    assert two.head[:3] == ("model", "task", "condition")
    assert two.columns == (*SUMMARY, "slice")
    assert [line[0] for line in two.values] == ["m"] * len(rows) + ["n"] * len(rows)
    assert f"{rows[0].scorer}: {rows[0].signature}" in two.comments
    everything = run_table([RunRows("m", "b", rows)], everything=True)
    assert len(everything.lines) == sum(len(row.metrics) for row in rows)
