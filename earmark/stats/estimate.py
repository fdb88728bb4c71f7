"""Estimate of a metric with its 95 % interval.

A share of items that are right or wrong, k of n, has Wilson's (1927),

    (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n),  p = k/n,

which stays within 0 and 1 and has a width even where all or none are right. Answers to one item in several repeats are
first averaged, so that repeats add no items. Where a group (recording, speaker, user) holds more than one item, n is
the effective number n' of independent items that would vary as much between groups as was found (see `jackknife.py`),
at most the number of items, or (sum w)² / sum w² where items have different weights.

Every other number has a jackknife interval by group; a mean over tasks combines the intervals of the tasks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.stats.count_table import Floats, Names
from earmark.stats.jackknife import (
    NO_LIMITS,
    Bounds,
    Influence,
    effective_n,
    interval,
    mean_interval,
    share_influence,
    wilson,
)
from earmark.types import Counts, Metric, Number, replace

MAX_POOLS: Final = 10_000  # more groups than these are pooled at random before they are left out
TRUSTED_PART: Final = 5  # items of the smallest class, of fewer a mean over classes is marked (docs/error-bars.md)
TRUSTED_ITEMS: Final = 500  # of fewer, an error rate with a repetitive response in 100 misses too often (the same page)
RARE: Final = (
    f"fewer than {TRUSTED_ITEMS} items may contain none of the rare responses that repeat themselves: do not trust the "
    "interval"
)
ALIKE: Final = "all groups are alike: no interval can be estimated"

Indices = npt.NDArray[np.intp]


class Estimate(Struct, frozen=True, omit_defaults=True):
    """A number with its interval; None where it is not defined, and then `why`."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0  # items behind it
    groups: int = 0  # that count as one each
    method: str = ""
    worst: float | None = None  # where items failed: had they all been answered wrong,
    best: float | None = None  # and had they all been answered right
    why: str = ""
    trusted: bool = True  # False: the interval may miss the truth; `why` says the reason


class MeanMetric(Metric, frozen=True):
    """The mean of several metrics, each of the counts that carry its prefix."""

    parts: tuple[tuple[str, Metric], ...] = ()


class GroupedCounts:
    """Counts of answers with the group and the item of each, ready for groups to be left out.

    `groups` numbers the groups of answers from 0, `pool` has the pool of each group.
    """

    def __init__(self, columns: Mapping[str, Floats], groups: Indices, items: Names | None, pool: Indices) -> None:
        self.columns, self.groups, self.items, self.pool = columns, groups, items, pool

    @functools.cached_property
    def rows(self) -> Floats:
        """Each count summed by pool, shape (pools, counts)."""
        return sum_by_group(self.columns, self.pool[self.groups], int(self.pool.max()) + 1)

    @functools.cached_property
    def weights(self) -> Floats:
        """The share of all answers that each pool has."""
        size = np.bincount(self.pool[self.groups], minlength=int(self.pool.max()) + 1)
        return np.asarray(size / size.sum())

    @property
    def size(self) -> int:
        """Number of groups that have an answer."""
        return int(np.count_nonzero(np.bincount(self.groups)))

    @property
    def n_items(self) -> int:
        """Number of items that have an answer, in any repeat."""
        return int(self.groups.size if self.items is None else np.unique(self.items).size)

    def part(self, prefix: str, runs: tuple[str, ...] = ("",)) -> GroupedCounts:
        """Answers that have a count with this prefix, which is removed; of pairs, it follows the name of the run."""
        own = {
            side + name.removeprefix(side + prefix): column
            for side in runs
            for name, column in self.columns.items()
            if name.startswith(side + prefix)
        }
        counted = np.any([column != 0 for column in own.values()], axis=0) if own else np.zeros(self.groups.size, bool)
        items = None if self.items is None else self.items[counted]
        return GroupedCounts(
            {name: column[counted] for name, column in own.items()}, self.groups[counted], items, self.pool
        )

    def read(self, value: Callable[[Counts], Number]) -> float | None:
        """A number read from all answers."""
        return finite_or_none(
            evaluate_metric(value, {name: float(column.sum()) for name, column in self.columns.items()})
        )

    def influence(self, value: Callable[[Counts], Number]) -> Influence | None:
        """Change of a number without each pool; None where it is not defined without one of them."""
        total = self.rows.sum(axis=0)
        left = total - self.rows
        left[np.abs(left) < 1e-12 * np.abs(total)] = 0.0
        names = tuple(self.columns)
        without = evaluate_metric(value, dict(zip(names, left.T, strict=True)), len(left))
        change = without - evaluate_metric(value, dict(zip(names, total, strict=True)))
        if not np.isfinite(change).all():
            return None
        change = np.where(np.abs(change) < 1e-12, 0.0, change)
        return Influence(change, self.weights)


def group_counts(columns: Mapping[str, Floats], groups: Names, items: Names | None = None) -> GroupedCounts:
    """A sample whose groups and pools are numbered."""
    size, of = group_index(groups)
    return GroupedCounts(columns, of, items, pool_groups(size, np.random.default_rng(0)))


# ---------------------------------------------------------------- estimates


def estimate(metric: Metric, columns: Mapping[str, Floats], groups: Names, items: Names | None = None) -> Estimate:
    """A metric over answers with its interval.

    `columns` holds each count as an array of shape (answers,), `groups` the group of each and `items` its item, same
    shape; without `items` every answer is an item of its own.
    """
    return estimates({"": metric}, columns, groups, items)[""]


def estimates(
    metrics: Mapping[str, Metric], columns: Mapping[str, Floats], groups: Names, items: Names | None = None
) -> dict[str, Estimate]:
    """Several metrics over the same answers."""
    if not groups.size:
        return {name: Estimate(None, why="no items") for name in metrics}
    answers = group_counts(columns, groups, items)
    return {name: _estimate_metric(metric, answers)[0] for name, metric in metrics.items()}


class Inference(NamedTuple):
    """An estimate, and the influence of groups on it where it has an interval."""

    estimate: Estimate
    influence: Influence | None = None


def _estimate_metric(metric: Metric, answers: GroupedCounts) -> Inference:
    n, size = int(answers.groups.size), answers.size
    value = answers.read(metric.value)
    if value is None:
        return Inference(Estimate(None, n=n, groups=size, why="not defined for these counts"))
    bare = Estimate(value, n=n, groups=size)
    if isinstance(metric, MeanMetric):
        return _estimate_mean(metric, answers, bare)
    things = effective_sample(metric, answers)
    if things:
        bounds = wilson(value * things.n, things.n)
        method = "wilson" if things.is_binary else f"wilson over {things.groups} groups"
        return Inference(Estimate(value, *bounds, n, size, method), things.influence)
    result = jackknife_estimate(bare, answers, metric.value, metric.limits or NO_LIMITS, unbounded=is_unbounded(metric))
    least = answers.read(metric.smallest) if metric.smallest else None
    if result.estimate.low is None or least is None or least >= TRUSTED_PART:
        return result
    why = f"its smallest class has {least:g} items, fewer than {TRUSTED_PART}: do not trust the interval"
    return Inference(replace(result.estimate, why=why, trusted=False), result.influence)


def jackknife_estimate(
    bare: Estimate,
    answers: GroupedCounts,
    value: Callable[[Counts], Number],
    limits: Bounds = NO_LIMITS,
    *,
    unbounded: bool,
) -> Inference:
    """A number of any kind with its jackknife interval; `bare` is the estimate without one.

    `unbounded`: one response can change the number by any amount, as it can an error rate.
    """
    if bare.groups < 2:
        return Inference(_without_interval(bare, "one group has no interval"))
    influence = answers.influence(value)
    if influence is None:
        return Inference(_without_interval(bare, "not defined without one of its groups, and so no interval"))
    bounds = interval(bare.value or 0.0, influence, limits)
    if bounds is None:
        return Inference(_without_interval(bare, ALIKE), influence)
    why = "" if math.isfinite(limits[1] - limits[0]) else influence.distrust()
    why = why or (RARE if unbounded and answers.n_items < TRUSTED_ITEMS else "")
    method = f"jackknife of {bare.groups} groups"
    return Inference(Estimate(bare.value, *bounds, bare.n, bare.groups, method, why=why, trusted=not why), influence)


def is_unbounded(metric: Metric) -> bool:
    """True if a metric has no upper bound."""
    return metric.share is None and (metric.limits is None or not math.isfinite(metric.limits[1]))


def _estimate_mean(metric: MeanMetric, answers: GroupedCounts, bare: Estimate) -> Inference:
    result = mean_of_parts(
        bare, [(prefix, _estimate_metric(part, answers.part(prefix))) for prefix, part in metric.parts], answers
    )
    first = metric.parts[0][1]
    limits = (0.0, 1.0) if first.share else first.limits or NO_LIMITS
    if bare.value is None or result.influence is None or not math.isfinite(limits[1] - limits[0]):
        return result
    bounds = interval(bare.value, result.influence, limits)
    return (
        result
        if bounds is None
        else Inference(replace(result.estimate, low=bounds[0], high=bounds[1]), result.influence)
    )


def mean_of_parts(bare: Estimate, parts: list[tuple[str, Inference]], answers: GroupedCounts) -> Inference:
    """A mean over parts, its interval combined from those of the parts; without one where a part has none."""
    for prefix, (estimate, influence) in parts:
        if estimate.low is None or influence is None:
            return Inference(_without_interval(bare, f"{prefix[:-1]}: {estimate.why}"))
    known = [estimate for _, (estimate, _) in parts]
    pooled = [_pool_influence(influence, answers) for _, (_, influence) in parts if influence is not None]
    values, bounds = [], []
    for estimate in known:
        values.append(estimate.value or 0.0)
        bounds.append((estimate.low or 0.0, estimate.high or 0.0))
    low, high = mean_interval(values, bounds, pooled)
    why = next((f"{prefix[:-1]}: {estimate.why}" for prefix, (estimate, _) in parts if not estimate.trusted), "")
    method = f"mean of {len(parts)}"
    together = Influence(*(np.mean([part[field] for part in pooled], axis=0) for field in (0, 1)))
    return Inference(Estimate(bare.value, low, high, bare.n, bare.groups, method, why=why, trusted=not why), together)


def _without_interval(bare: Estimate, why: str) -> Estimate:
    return Estimate(bare.value, n=bare.n, groups=bare.groups, why=why)


def _pool_influence(influence: Influence, answers: GroupedCounts) -> Influence:
    """The influence of pools, from that of groups or of pools."""
    if influence.change.size != answers.pool.size:
        return influence
    change, weights = (np.bincount(answers.pool, part).astype(np.float64) for part in influence)
    return Influence(change, weights)


# ---------------------------------------------------------------- shares


def binary_outcomes(metric: Metric, columns: Mapping[str, Floats]) -> Floats | None:
    """1 for each item that is right and 0 for each that is wrong; None where the metric is no share of such items.

    >>> share = Metric(lambda counts: counts["right"] / counts["n"], share=("right", "n"))
    >>> binary_outcomes(share, {"right": np.array([1.0, 0.0]), "n": np.array([1.0, 1.0])}).tolist()
    [1.0, 0.0]
    >>> binary_outcomes(share, {"right": np.array([2.0, 0.0]), "n": np.array([3.0, 1.0])}) is None
    True
    """
    if metric.share is None:
        return None
    right, counted = (columns.get(name) for name in metric.share)
    if right is None or counted is None or not ((right == 0) | (right == 1)).all() or not (counted == 1).all():
        return None
    return right


class EffectiveSample(NamedTuple):
    """The independent items that a share was counted over."""

    n: float  # effective number
    groups: int
    is_binary: bool  # each is an item, right or wrong, and a group of its own
    influence: Influence


def effective_sample(metric: Metric, answers: GroupedCounts) -> EffectiveSample | None:
    """The effective sample behind a share; None where the metric is no share, or of one group."""
    if metric.share is None or not all(name in answers.columns for name in metric.share):
        return None
    right, counted = (answers.columns[name] for name in metric.share)
    n, value = float(counted.sum()), answers.read(metric.value)
    if not n or value is None or (right < 0).any() or (right > counted).any():
        return None
    if not math.isclose(value, right.sum() / n, rel_tol=1e-9, abs_tol=1e-12):
        return None
    items, counted_items, group = by_item(right, counted, answers)
    by_group = sum_by_group({"right": items, "counted": counted_items}, group, answers.pool.size).T
    groups = int((by_group[1] > 0).sum())
    weight = counted_items[counted_items > 0]
    whole = bool((np.isclose(items, 0) | np.isclose(items, counted_items)).all())
    alone = groups == weight.size and whole and bool(np.isclose(weight, weight[0]).all())
    if groups < 2:
        is_single_item = alone and counted.max() <= 1  # words of one utterance have no interval
        return (
            EffectiveSample(1.0, 1, alone, Influence(np.zeros(answers.pool.size), by_group[1]))
            if is_single_item
            else None
        )
    influence = share_influence(*by_group)
    if alone:
        return EffectiveSample(float(groups), groups, alone, influence)
    number = effective_n(value * (1 - value), influence, _max_effective_n(right, counted, counted_items))
    return EffectiveSample(number, groups, alone, influence)


def _max_effective_n(right: Floats, counted: Floats, counted_by_item: Floats) -> float:
    """Largest effective n of some items: by their weights if each is all or nothing, infinite for fractional marks."""
    total = float(counted_by_item.sum())
    if ((right == 0) | (right == counted)).all():
        return total**2 / float(np.square(counted_by_item).sum())
    whole = np.array_equal(right, np.rint(right)) and np.array_equal(counted, np.rint(counted))
    return total if whole else math.inf


def by_item(right: Floats, counted: Floats, answers: GroupedCounts) -> tuple[Floats, Floats, Indices]:
    """Both counts as means over the answers to each item, and the group of each item."""
    if answers.items is None:
        return right, counted, answers.groups
    distinct, of, times = np.unique(answers.items, return_inverse=True, return_counts=True)
    group = np.zeros(distinct.size, np.intp)
    group[of] = answers.groups
    return np.bincount(of, right) / times, np.bincount(of, counted) / times, group


# ---------------------------------------------------------------- sums


def group_index(groups: Names) -> tuple[int, Indices]:
    """Number of groups, and the index of each item's group, shape (items,)."""
    distinct, of = np.unique(groups, return_inverse=True)
    return int(distinct.size), of.astype(np.intp, copy=False)


def sum_by_group(columns: Mapping[str, Floats], of: npt.NDArray[np.signedinteger[Any]], size: int) -> Floats:
    """Each count summed by group, shape (groups, counts)."""
    sums = [np.bincount(of, column, size) for column in columns.values()]
    return np.array(sums, np.float64).reshape(len(columns), size).T


def pool_groups(size: int, rng: np.random.Generator, most: int = MAX_POOLS) -> Indices:
    """Assign groups at random to at most so many pools of equal size; with few groups each is its own pool.

    Sums of independent groups are independent, so pools may be left out instead of groups.
    """
    if size <= most:
        return np.arange(size)
    pool = np.empty(size, np.intp)
    pool[rng.permutation(size)] = np.arange(size) // -(-size // most)
    return pool


def evaluate_metric(value: Callable[[Counts], Number], counts: Counts, many: int = 1) -> Floats:
    """A number read from counts, shape (many,); a division by zero gives NaN without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        numbers = value({name: np.asarray(count, np.float64) for name, count in counts.items()})
    return np.broadcast_to(np.asarray(numbers, np.float64), (many,))


def finite_or_none(value: Number) -> float | None:
    """A number, or None for one that is not finite.

    >>> finite_or_none(float("nan")) is None
    True
    """
    number = float(np.asarray(value).reshape(()))
    return number if math.isfinite(number) else None
