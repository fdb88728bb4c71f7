"""Quantiles as the lines of a table, a bound that is not known as a dash."""

from __future__ import annotations

from earmark.report.latency import LatencyRow
from earmark.report.latency_table import HEAD, latency_table


def test_a_line_for_each_row() -> None:
    rows = [
        LatencyRow("a", "plain", "seconds", 1200, 0.51234, 0.5, 0.6, 2.0, 1.5, None),
        LatencyRow("a", "plain", "tokens_out", 2, 7.0, None, None, 8.0, None, None),
    ]
    first, second = latency_table(rows)
    assert first == ("a", "plain", "seconds", "1,200", "0.512", "0.5-0.6", "2", "1.5--")
    assert second == ("a", "plain", "tokens_out", "2", "7", "-", "8", "-")
    assert len(HEAD) == len(first)
