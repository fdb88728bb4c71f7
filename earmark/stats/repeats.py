"""Repeats of the same items: the spread of a number, and how reliably an item is answered.

Of the numbers x_1 ... x_r of r repeats,

    mean = sum x / r
    deviation = sqrt(sum (x - mean)² / (r - 1))      the sample's, with r - 1; not defined for one repeat
    error = deviation / sqrt(r)                      the standard error of the mean

These measure the model's own randomness on these items, not the sampling of items: that is in an estimate's interval.

Of an item that was answered n times and c times right,

    pass^k = C(c, k) / C(n, k)                       all of k answers are right (tau-bench, Yao and others 2024)
    pass@k = 1 - C(n - c, k) / C(n, k)               at least one of k is (HumanEval, Chen and others 2021)

the averages of drawing k of the n answers without replacement, and so unbiased for k new answers. Both are means over
the items that have k answers. A failed answer is not right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.stats.count_table import CountTable, Floats
from earmark.stats.estimate import (
    Estimate,
    binary_outcomes,
    estimate,
    evaluate_metric,
    finite_or_none,
    group_index,
    sum_by_group,
)
from earmark.types import Counts, Metric, Number


class RepeatSummary(Struct, frozen=True, omit_defaults=True):
    """The numbers of several repeats, taken together."""

    repeats: int  # those whose number is defined
    mean: float | None = None
    deviation: float | None = None  # the sample's standard deviation, over repeats - 1
    error: float | None = None  # the standard error of the mean


class Repeats(Struct, frozen=True, omit_defaults=True):
    """Results over several repeats of the same items."""

    numbers: list[float | None]  # of each repeat
    summary: RepeatSummary
    all_right: dict[int, Estimate] = {}  # pass^k by k, where answers are right or wrong
    any_right: dict[int, Estimate] = {}  # pass@k by k


def summarize_repeats(numbers: Sequence[float | None]) -> RepeatSummary:
    """Mean, sample standard deviation and standard error of the numbers that are defined.

    >>> summarize_repeats([0.5, 0.75, 1.0])
    RepeatSummary(repeats=3, mean=0.75, deviation=0.25, error=0.14433756729740646)
    """
    known = [number for number in numbers if number is not None]
    if not known:
        return RepeatSummary(0)
    mean = math.fsum(known) / len(known)
    if len(known) < 2:
        return RepeatSummary(1, mean)
    deviation = math.sqrt(math.fsum((number - mean) ** 2 for number in known) / (len(known) - 1))
    return RepeatSummary(len(known), mean, deviation, deviation / math.sqrt(len(known)))


def all_of(right: Floats, asked: Floats, k: int) -> Floats:
    """pass^k of each item, C(right, k) / C(asked, k); NaN where it was asked less than k times.

    >>> all_of(np.array([4.0, 3, 1]), np.array([4.0, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    chance = np.ones_like(right)
    for taken in range(k):
        chance *= np.maximum(right - taken, 0.0) / np.maximum(asked - taken, 1.0)
    return np.where(asked >= k, chance, np.nan)


def any_of(right: Floats, asked: Floats, k: int) -> Floats:
    """pass@k of each item, 1 - C(asked - right, k) / C(asked, k); NaN where it was asked less than k times.

    >>> any_of(np.array([4.0, 1, 0]), np.array([4.0, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1.0 - all_of(asked - right, asked, k)


def repeat_estimates(metric: Metric, count_table: CountTable) -> Repeats | None:
    """Estimate a metric over repeats; None if each item was asked once."""
    repeats = count_table.repeats
    if not repeats.size or not repeats.max():
        return None
    columns = count_table.columns
    size = int(repeats.max()) + 1
    by_repeat = dict(zip(columns, sum_by_group(columns, repeats, size).T, strict=True))
    numbers = [finite_or_none(number) for number in evaluate_metric(metric.value, by_repeat, size)]
    marks = binary_outcomes(metric, columns)
    if marks is None:
        return Repeats(numbers, summarize_repeats(numbers))
    right = marks if metric.better == "higher" else 1 - marks
    return Repeats(numbers, summarize_repeats(numbers), *_pass_at_k(right, count_table))


def _rate(counts: Counts) -> Number:
    return counts["passed"] / counts["items"]


PASSED: Final = Metric(_rate, share=("passed", "items"))


def _pass_at_k(marks: Floats, count_table: CountTable) -> tuple[dict[int, Estimate], dict[int, Estimate]]:
    """pass^k and pass@k for k of 1, 2, 4, ... and the most that any item was asked."""
    size, of = group_index(count_table.items)
    right, asked = sum_by_group({"right": marks, "asked": np.ones(of.size)}, of, size).T
    group = np.zeros(size, np.uint64)
    group[of] = count_table.groups
    most = int(asked.max())
    estimates_by_k: tuple[dict[int, Estimate], dict[int, Estimate]] = ({}, {})
    for k in sorted({*(2**power for power in range(most.bit_length())), most}):
        for estimates_of_kind, rate in zip(estimates_by_k, (all_of, any_of), strict=True):
            rates = rate(right, asked, k)
            known = ~np.isnan(rates)
            counts = {"passed": rates[known], "items": np.ones(int(known.sum()))}
            estimates_of_kind[k] = estimate(PASSED, counts, group[known])
    return estimates_by_k
