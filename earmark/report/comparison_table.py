"""Comparisons as tables, with their footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from earmark.report.comparison import Comparison, ComparisonRow
from earmark.report.table import format_number, format_p, format_signed, format_signed_interval, reasons
from earmark.report.table_formats import DataTable
from earmark.stats.planning import items_to_find

HEAD: Final = (
    "task", "condition", "baseline", "candidate", "difference", "95 % interval", "p", "p, Holm", "test",
    "n", "only baseline right", "only candidate right", "not in candidate", "not in baseline",
)  # fmt: skip


def comparison_table(rows: Sequence[ComparisonRow]) -> list[tuple[str, ...]]:
    """Format rows as the lines of a table with the columns `HEAD`."""
    return [_table_line(row) for row in rows]


def _table_line(row: ComparisonRow) -> tuple[str, ...]:
    difference = row.difference
    return (
        row.title,
        row.condition,
        format_number(difference.baseline),
        format_number(difference.candidate),
        format_signed(difference.value),
        format_signed_interval(difference),
        format_p(difference.p),
        format_p(row.p_holm),
        difference.test or "-",
        str(difference.n),
        *("-" if count is None else str(count) for count in (row.right_only_baseline, row.right_only_candidate)),
        str(row.not_in_candidate),
        str(row.not_in_baseline),
    )


VALUES: Final = (
    "baseline_model", "candidate_model", "task", "condition", "scorer", "metric", "better",
    "baseline", "candidate", "difference", "low", "high", "p",
    "p_holm", "test", "n", "right_only_baseline", "right_only_candidate", "not_in_candidate", "not_in_baseline",
    "failed_baseline", "failed_candidate",
)  # fmt: skip


def difference_table(comparison: Comparison) -> DataTable:
    """Make the table of a comparison for programs and papers."""
    head = (
        "task",
        "condition",
        "metric",
        "baseline",
        "candidate",
        "difference (95 % interval)",
        "p, Holm",
        *HEAD[9:12],
    )
    lines, values = [], []
    for row, line in zip(comparison.rows, comparison_table(comparison.rows), strict=True):
        task, condition, baseline, candidate, value, interval, _, p_holm, _, *counts = line
        with_interval = value if interval == "-" else f"{value} ({interval})"
        lines.append((task, condition, row.metric, baseline, candidate, with_interval, p_holm, *counts[:3]))
        change = row.difference
        numbers = (change.baseline, change.candidate, change.value, change.low, change.high, change.p, row.p_holm)
        key = (comparison.baseline, comparison.candidate, row.task, row.condition, row.scorer, row.metric, row.better)
        right = (row.right_only_baseline, row.right_only_candidate)
        others = (row.not_in_candidate, row.not_in_baseline, row.failed_baseline, row.failed_candidate)
        values.append((*key, *numbers, change.test, change.n, *right, *others))
    title = f"{comparison.candidate} minus {comparison.baseline}"
    return DataTable(title, VALUES, values, head, lines, 3, (title, *comparison.signatures, *footnotes(comparison)))


def pairs_for_difference(rows: Sequence[ComparisonRow], difference: float) -> list[str]:
    """Estimate the number of pairs needed to detect a true difference, from the disagreement of each row."""
    return [
        f"{row.title} {row.condition}: {row.metric}, detecting a true difference of {difference:g} needs about {n:,} "
        f"pairs, if runs disagree as these do; there are {row.difference.n:,}"
        for row in rows
        if (n := items_to_find(row.difference, difference)) is not None
    ]


def footnotes(comparison: Comparison) -> list[str]:
    """Footnotes of the table, a line each."""
    notes = list(comparison.notes)
    for row in comparison.rows:
        title = f"{row.title} {row.condition}"
        if row.failed_baseline or row.failed_candidate:
            notes.append(
                f"{title}: {row.failed_baseline} of the pairs failed in the baseline and {row.failed_candidate} in the "
                f"candidate; without them the difference is {format_signed(row.without_failed)}"
            )
    rows = comparison.rows
    notes += reasons((f"{row.title} {row.condition}", row.metric, row.difference.why) for row in rows)
    return list(dict.fromkeys(notes))
