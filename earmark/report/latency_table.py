"""Seconds and tokens of the answers of a run as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from earmark.report.latency import LatencyRow, format_measure

HEAD: Final = ("task", "condition", "measure", "n", "p50", "95 % interval", "p95", "95 % interval")


def latency_table(rows: Sequence[LatencyRow]) -> list[tuple[str, ...]]:
    """Format rows as the lines of a table with the columns `HEAD`."""
    return [
        (
            row.task, row.condition, row.measure, f"{row.n:,}", format_measure(row.p50),
            _interval(row.p50_low, row.p50_high), format_measure(row.p95), _interval(row.p95_low, row.p95_high),
        )
        for row in rows
    ]  # fmt: skip


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None and high is None else f"{format_measure(low)}-{format_measure(high)}"
