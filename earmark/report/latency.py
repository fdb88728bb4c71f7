"""Time and tokens of the answers, as quantiles with intervals.

seconds       from sending a request to its whole answer
first_token   to its first word, first_audio to its first sound: of answers that are streamed
tokens_out    tokens of the answer, as the server counted them
real_time     seconds for each second of audio that was sent

Of the answers that stand: failures and retries are not among them, nor is what a server did not tell. The intervals
hold for any distribution (`stats/order_statistics.py`), and describe this run: another load gives other times.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.journal import Record
from earmark.stats.order_statistics import Quantile, sample_quantile
from earmark.types import Response

MEASURES: Final = ("seconds", "first_token", "first_audio", "tokens_out", "real_time")
CSV_HEAD: Final = ("task", "condition", "measure", "n", "p50", "p50_low", "p50_high", "p95", "p95_low", "p95_high")


class LatencyRow(Struct, frozen=True):
    """Quantiles of one measure; a bound is None where too few answers were measured."""

    task: str
    condition: str
    measure: str
    n: int
    p50: float
    p50_low: float | None
    p50_high: float | None
    p95: float
    p95_low: float | None
    p95_high: float | None


class LatencyCounter:
    """The measures of the answers of a journal, by task and condition."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], dict[str, array[float]]] = {}  # by task and condition, then by measure

    def add(self, record: Record) -> None:
        """Add a record that stands."""
        if record.response is None:
            return
        measured = measures_of(record.response, sum([sent.seconds for sent in record.audio_sent]))
        if not measured:
            return
        by_measure = self._values.setdefault((record.item.task, record.condition), {})
        for measure, value in measured:
            if measure not in by_measure:
                by_measure[measure] = array("d")
            by_measure[measure].append(value)

    def extend(self, other: LatencyCounter) -> None:
        """Add the measures of another part of the journal."""
        for key, by_measure in other._values.items():
            known = self._values.setdefault(key, {})
            for measure, values in by_measure.items():
                known.setdefault(measure, array("d")).extend(values)

    def to_rows(self) -> list[LatencyRow]:
        """A row for each task, condition and measure, in the order of the tasks in the journal."""
        return [
            _row((task, condition, measure), by_measure[measure])
            for (task, condition), by_measure in self._values.items()
            for measure in MEASURES
            if measure in by_measure
        ]


def measures_of(response: Response, audio_seconds: float) -> list[tuple[str, float]]:
    """The measures of an answer that are known, by their names in `MEASURES`."""
    measured = []
    if response.seconds > 0:
        measured.append(("seconds", response.seconds))
        if audio_seconds > 0:
            measured.append(("real_time", response.seconds / audio_seconds))
    if response.first_token is not None:
        measured.append(("first_token", response.first_token))
    if response.first_audio is not None:
        measured.append(("first_audio", response.first_audio))
    if response.usage.tokens_out > 0:
        measured.append(("tokens_out", float(response.usage.tokens_out)))
    return measured


def _row(key: tuple[str, str, str], values: array[float]) -> LatencyRow:
    numbers = np.frombuffer(values, np.float64)
    median, late = (sample_quantile(numbers, q) or Quantile(0.0, None, None) for q in (0.5, 0.95))
    return LatencyRow(*key, len(values), *median, *late)


def latency_line(rows: Sequence[LatencyRow]) -> list[str]:
    """A line with the range of each measure's medians over the tasks, and its largest 95th percentile."""
    parts = []
    for name in MEASURES:
        if same := [row for row in rows if row.measure == name]:
            ends = dict.fromkeys(format_measure(end(row.p50 for row in same)) for end in (min, max))
            parts.append(f"{name} {'-'.join(ends)} (95 % within {format_measure(max(row.p95 for row in same))})")
    return [f"median of an answer: {'; '.join(parts)}"] * bool(parts)


def format_measure(value: float | None) -> str:
    """Format a number of seconds or tokens, with three digits."""
    return "-" if value is None else f"{value:.3g}"
