"""What asking the same again tells: how much a number wavers, and how reliably an item is answered.

Of the numbers x_1 ... x_r of r repeats,

    mean = sum x / r
    deviation = sqrt(sum (x - mean)² / (r - 1))      the sample's, with r - 1; not defined for one repeat
    error = deviation / sqrt(r)                      the standard error of the mean

These tell how much the model's own chance matters with these items. They do not tell what other items would have given:
that is what the interval of an estimate is for.

Of an item that was answered n times and c times right,

    pass^k = C(c, k) / C(n, k)                       all of k answers are right (tau-bench, Yao and others 2024)
    pass@k = 1 - C(n - c, k) / C(n, k)               at least one of k is (HumanEval, Chen and others 2021)

which are what drawing k of the n answers without putting back would give on average, and so without bias what k new
answers would. Both are means over the items that have k answers. A failed answer is not right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.stats.bags import Bags, Floats
from earmark.stats.estimate import Estimate, defined, estimate, grouped, read, table, yes_or_no
from earmark.types import Counts, Metric, Number


class Spread(Struct, frozen=True, omit_defaults=True):
    """The numbers of several repeats, taken together."""

    repeats: int  # those whose number is defined
    mean: float | None = None
    deviation: float | None = None  # the sample's standard deviation, over repeats - 1
    error: float | None = None  # the standard error of the mean


class Repeats(Struct, frozen=True, omit_defaults=True):
    """What several repeats of the same items tell."""

    numbers: list[float | None]  # of each repeat
    spread: Spread
    all_right: dict[int, Estimate] = {}  # pass^k by k, where answers are right or wrong
    any_right: dict[int, Estimate] = {}  # pass@k by k


def spread(numbers: Sequence[float | None]) -> Spread:
    """Mean, sample standard deviation and standard error of the numbers that are defined.

    >>> spread([0.5, 0.75, 1.0])
    Spread(repeats=3, mean=0.75, deviation=0.25, error=0.14433756729740646)
    """
    known = [number for number in numbers if number is not None]
    if not known:
        return Spread(0)
    mean = math.fsum(known) / len(known)
    if len(known) < 2:
        return Spread(1, mean)
    deviation = math.sqrt(math.fsum((number - mean) ** 2 for number in known) / (len(known) - 1))
    return Spread(len(known), mean, deviation, deviation / math.sqrt(len(known)))


def all_of(right: Floats, asked: Floats, k: int) -> Floats:
    """pass^k of each item, C(right, k) / C(asked, k); not a number where it was asked less than k times.

    >>> all_of(np.array([4.0, 3, 1]), np.array([4.0, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    chance = np.ones_like(right)
    for taken in range(k):
        chance *= np.maximum(right - taken, 0.0) / np.maximum(asked - taken, 1.0)
    return np.where(asked >= k, chance, np.nan)


def any_of(right: Floats, asked: Floats, k: int) -> Floats:
    """pass@k of each item, 1 - C(asked - right, k) / C(asked, k); not a number where it was asked less than k times.

    >>> any_of(np.array([4.0, 1, 0]), np.array([4.0, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1.0 - all_of(asked - right, asked, k)


def repeated(metric: Metric, bags: Bags) -> Repeats | None:
    """What the repeats of a cell tell about a metric; None where everything was asked once."""
    repeats = bags.repeats
    if not repeats.size or not repeats.max():
        return None
    columns = bags.columns
    size = int(repeats.max()) + 1
    by_repeat = dict(zip(columns, table(columns, repeats, size).T, strict=True))
    numbers = [defined(number) for number in read(metric.value, by_repeat, size)]
    marks = yes_or_no(metric, columns)
    if marks is None:
        return Repeats(numbers, spread(numbers))
    right = marks if metric.better == "higher" else 1 - marks
    return Repeats(numbers, spread(numbers), *_passed(right, bags))


def _rate(counts: Counts) -> Number:
    return counts["passed"] / counts["items"]


PASSED: Final = Metric(_rate, share=("passed", "items"))


def _passed(marks: Floats, bags: Bags) -> tuple[dict[int, Estimate], dict[int, Estimate]]:
    """pass^k and pass@k for k of 1, 2, 4, ... and the most that any item was asked."""
    size, of = grouped(bags.items)
    right, asked = table({"right": marks, "asked": np.ones(of.size)}, of, size).T
    group = np.zeros(size, np.uint64)
    group[of] = bags.groups
    most = int(asked.max())
    found: tuple[dict[int, Estimate], dict[int, Estimate]] = ({}, {})
    for k in sorted({*(2**power for power in range(most.bit_length())), most}):
        for told, rate in zip(found, (all_of, any_of), strict=True):
            rates = rate(right, asked, k)
            there = ~np.isnan(rates)
            counts = {"passed": rates[there], "items": np.ones(int(there.sum()))}
            told[k] = estimate(PASSED, counts, group[there])
    return found
