"""Seconds and tokens of two runs, answer by answer.

The ratio of each question that both answered is candidate / baseline; its median has an interval that holds for any
distribution (`stats/order_statistics.py`). A ratio of 0.5 is half the time or half the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.journal import Record, question_key
from earmark.report.latency import MEASURES, format_measure, measures_of
from earmark.stats.order_statistics import Quantile, sample_quantile

HEAD: Final = ("task", "condition", "measure", "baseline", "candidate", "ratio", "95 % interval", "n")


class LatencyRatio(Struct, frozen=True):
    """One measure of a task under a condition, over the questions that both runs answered."""

    task: str
    condition: str
    measure: str
    n: int
    baseline: float  # median
    candidate: float  # median
    ratio: Quantile  # median of the ratios


def latency_ratios(baseline: Iterable[Record], candidate: Iterable[Record]) -> list[LatencyRatio]:
    """Compare every measure that both runs know, by task and condition in the order of the candidate."""
    before, after = _measures(baseline), _measures(candidate)
    pairs: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for key, (place, values) in after.items():
        known = before[key][1] if key in before else {}
        for name in values.keys() & known.keys():
            pairs.setdefault((*place, name), []).append((known[name], values[name]))
    places = dict.fromkeys(key[:2] for key in pairs)
    keys = ((*place, name) for place in places for name in MEASURES)
    return [_ratio(key, pairs[key]) for key in keys if key in pairs]


def _measures(records: Iterable[Record]) -> dict[int, tuple[tuple[str, str], dict[str, float]]]:
    """The measures of every question; its last record counts, and a failure has none."""
    measures = {}
    for record in records:
        key = question_key(record.item.task, record.item.id, record.condition, record.repeat)
        seconds = sum([sent.seconds for sent in record.audio_sent])
        known = dict(measures_of(record.response, seconds)) if record.response else {}
        measures[key] = ((record.item.task, record.condition), known)
    return measures


def _ratio(key: tuple[str, str, str], pairs: Sequence[tuple[float, float]]) -> LatencyRatio:
    before, after = np.array(pairs, np.float64).T
    ratio = sample_quantile(after / before, 0.5) or Quantile(1.0, None, None)
    return LatencyRatio(*key, len(pairs), float(np.median(before)), float(np.median(after)), ratio)


def ratio_table(ratios: Sequence[LatencyRatio]) -> list[tuple[str, ...]]:
    """Format ratios as the lines of a table with the columns `HEAD`."""
    return [
        (
            each.task, each.condition, each.measure,
            *map(format_measure, (each.baseline, each.candidate, each.ratio.value)),
            "-" if None in each.ratio else "-".join(map(format_measure, each.ratio[1:])), f"{each.n:,}",
        )
        for each in ratios
    ]  # fmt: skip
