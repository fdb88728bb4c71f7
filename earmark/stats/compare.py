"""Difference of two runs over the same items, with its interval and its p-value.

The difference is candidate minus baseline, over the items that both runs have; everything is done with pairs.

Items that are right or wrong, each a group of its own. With n items, c that only the candidate has right (gained) and
b that only the baseline has (lost):

    p-value       exact McNemar (1947): 2 P(X <= min(b, c)), X binomial with b + c throws of a coin, at most 1
    interval      Bonett and Price (2012): d' ± z sqrt((c' + b' - d'²) / (n + 2)),
                  c' = (c + 1)/(n + 2), b' = (b + 1)/(n + 2), d' = c' - b'; it has a width even where b = c = 0

Marks between 0 and 1, and several items to a group: the same interval, with the sum of the squares of their differences
for b + c, and n the number of independent items that would vary as much between groups (`jackknife.py`). Everything
else:

    p-value       permutation: were both runs alike, each group's two results could as well be swapped. All ways of
                  swapping are counted where they are few, else those of a subgroup of 16,384 ways that is drawn, of
                  which not to swap is one: p is the share of them that go as far or further, and as exact (Hemerik
                  and Goeman 2018)
    interval      jackknife: groups are left out, for both runs the same ones

Of several p-values some are small by chance; those adjusted by Holm (1979) may all be compared with 0.05 at once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Final

import numpy as np

from earmark.stats.count_table import Floats
from earmark.stats.difference import Difference, Pairs
from earmark.stats.estimate import (
    Estimate,
    GroupedCounts,
    Inference,
    MeanMetric,
    by_item,
    evaluate_metric,
    finite_or_none,
    group_counts,
    is_unbounded,
    jackknife_estimate,
    mean_of_parts,
)
from earmark.stats.jackknife import Influence, effective_n, share_influence
from earmark.stats.quantiles import LEVEL, binomial_tail, z_quantile
from earmark.types import Counts, Metric, Number, replace

MAX_EXACT_GROUPS: Final = 13  # groups that differ, at most, for all their ways of swapping to be counted
SUBGROUP: Final = 1 << 14  # ways of swapping of a subgroup


def difference(metrics: tuple[Metric, Metric], pairs: Pairs, seed: int = 0) -> Difference:
    """Difference of the candidate from the baseline by a metric, each evaluated by its own rules."""
    return difference_and_influence(metrics, pairs, seed)[0]


def difference_and_influence(
    metrics: tuple[Metric, Metric], pairs: Pairs, seed: int = 0
) -> tuple[Difference, Influence | None]:
    """Difference of the candidate from the baseline, and the influence of each group on it."""
    n = int(pairs.groups.size)
    if not n:
        return Difference(None, None, why="no item is in both"), None
    first, second = (
        finite_or_none(evaluate_metric(metric.value, {name: column.sum() for name, column in columns.items()}))
        for metric, columns in zip(metrics, (pairs.baseline, pairs.candidate), strict=True)
    )
    if first is None or second is None:
        return Difference(first, second, n=n, why="not defined for these counts"), None
    resampler = PairedResampler(metrics, pairs, seed)
    estimate, influence = resampler.estimate(second - first)
    bounds = (estimate.value, estimate.low, estimate.high)
    difference = Difference(
        first, second, *bounds, n, estimate.groups, estimate.method, why=estimate.why, trusted=estimate.trusted
    )
    gaps = resampler.binary_gaps
    if gaps is not None:
        gained, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
        disagreement = (gained + lost) / n
        return replace(difference, p=mcnemar(gained, lost), test="exact McNemar", disagreement=disagreement), influence
    if estimate.groups > 1:
        p, test = resampler.permutation_test()
        error = math.sqrt(influence.variance) if influence and influence.variance else None
        return replace(difference, p=p, test=test, standard_error=error), influence
    return difference, influence


# ---------------------------------------------------------------- items that are right or wrong


def mcnemar(only_candidate: int, only_baseline: int) -> float:
    """The exact p-value of McNemar's test, two-sided.

    >>> mcnemar(5, 0), mcnemar(1, 1)
    (0.0625, 1.0)
    """
    discordant = only_candidate + only_baseline
    return min(1.0, 2 * binomial_tail(max(only_candidate, only_baseline), discordant, 0.5))


def bonett_price(only_candidate: float, only_baseline: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Interval of the difference of two paired shares.

    >>> [round(bound, 4) for bound in bonett_price(8, 2, 50)]
    [-0.0114, 0.2421]
    """
    return bonett_price_of_marks((only_candidate - only_baseline) / n, (only_candidate + only_baseline) / n, n, level)


def bonett_price_of_marks(difference: float, square: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Interval from the mean and the mean square of the differences of n pairs of marks from 0 to 1."""
    middle = difference * n / (n + 2)
    half = z_quantile(level) * math.sqrt(max(0.0, (square * n + 2) / (n + 2) - middle**2) / (n + 2))
    return max(-1.0, middle - half), min(1.0, middle + half)


# ---------------------------------------------------------------- anything else, by group


class PairedResampler:
    """The counts of two runs by group, for intervals and permutation tests of their difference."""

    def __init__(self, metrics: tuple[Metric, Metric], pairs: Pairs, seed: int = 0) -> None:
        self._metrics = metrics
        self._names = tuple(dict.fromkeys((*pairs.baseline, *pairs.candidate)))
        self._rng = np.random.default_rng(seed)
        zero = np.zeros(pairs.groups.size)
        both = [
            {name: columns.get(name, zero) for name in self._names} for columns in (pairs.baseline, pairs.candidate)
        ]
        self.pairs = group_counts(
            {
                f"{side}{name}": column
                for side, counts in zip("12", both, strict=True)
                for name, column in counts.items()
            },
            pairs.groups,
            pairs.items,
        )
        self._first, self._second = np.split(self.pairs.rows, 2, axis=1)

    @functools.cached_property
    def binary_gaps(self) -> Floats | None:
        """The difference of each pair, where each is right or wrong and a group of its own; else None."""
        gaps = _gaps(self._metrics, self.pairs)
        if gaps is None or self.pairs.size < gaps.size or not np.isin(gaps, (-1, 0, 1)).all():
            return None
        return gaps

    def estimate(self, value: float) -> Inference:
        """The difference with its interval and the influence of groups."""
        return _difference(self._metrics, self.pairs, value)

    def difference(self, baseline: Floats, candidate: Floats) -> Floats:
        """Differences of sums, each of shape (many, counts)."""
        before, after = (
            evaluate_metric(metric.value, dict(zip(self._names, sums.T, strict=True)), len(sums))
            for metric, sums in zip(self._metrics, (baseline, candidate), strict=True)
        )
        return after - before

    def permutation_test(self) -> tuple[float, str]:
        """The p-value of the difference when the results of groups are swapped at random, and the test's name.

        A difference that is not defined after swapping counts as extreme.
        """
        first, second = self._first.sum(axis=0, keepdims=True), self._second.sum(axis=0, keepdims=True)
        swap = self._second - self._first
        swap = swap[swap.any(axis=1)]
        observed = float(np.abs(self.difference(first, second))[0])
        if not swap.size:
            return 1.0, "no group differs"

        def share_extreme(moved: Floats) -> float:
            return float(np.mean(~(np.abs(self.difference(first + moved, second - moved)) < observed * (1 - 1e-9))))

        many = len(swap)
        if many <= MAX_EXACT_GROUPS:
            ways = np.arange(2**many)[:, None] >> np.arange(many) & 1
            return share_extreme(ways.astype(np.float64) @ swap), "exact permutation"
        return share_extreme(swap_subgroup(swap, self._rng)), "permutation"


def swap_subgroup(swap: Floats, rng: np.random.Generator) -> Floats:
    """Sums of what the swapped groups move, shape (16384, counts), under each way of swapping of a random subgroup.

    Row r of a Hadamard matrix swaps the groups whose column has -1 in it; each group is given a random column. Rows
    multiply to rows, so they form a group; any two of them swap independently of each other. All sums come from one
    fast transform, in a time that hardly depends on the number of groups.
    """
    columns = rng.integers(0, SUBGROUP, len(swap))
    sums = np.stack([np.bincount(columns, moves, SUBGROUP) for moves in swap.T])
    total = sums.sum(axis=1, keepdims=True)
    half = 1
    while half < SUBGROUP:  # the fast Walsh-Hadamard transform
        left, right = np.moveaxis(sums.reshape(len(sums), -1, 2, half), 2, 0)
        sums = np.stack([left + right, left - right], axis=2).reshape(len(sums), -1)
        half *= 2
    return np.asarray((total - sums) / 2).T


def _difference(metrics: tuple[Metric, Metric], pairs: GroupedCounts, value: float) -> Inference:
    n, size = pairs.groups.size, pairs.size
    first, second = metrics
    if isinstance(first, MeanMetric) and isinstance(second, MeanMetric):
        return _mean_difference(first, second, pairs, Estimate(value, n=n, groups=size))
    marks = _binary_difference(metrics, pairs, value)
    if marks:
        return marks
    unbounded = is_unbounded(first) or is_unbounded(second)
    return jackknife_estimate(Estimate(value, n=n, groups=size), pairs, _gap_of(first, second), unbounded=unbounded)


def _gap_of(first: Metric, second: Metric) -> Callable[[Counts], Number]:
    """Candidate minus baseline, read from the counts of both."""
    return lambda counts: np.subtract(second.value(_side(counts, "2")), first.value(_side(counts, "1")))


def _mean_difference(first: MeanMetric, second: MeanMetric, pairs: GroupedCounts, bare: Estimate) -> Inference:
    parts = []
    for (prefix, before), (_, after) in zip(first.parts, second.parts, strict=True):
        part = pairs.part(prefix, ("1", "2"))
        gap = part.read(_gap_of(before, after))
        parts.append((prefix, _difference((before, after), part, gap or 0.0)))
    return mean_of_parts(bare, parts, pairs)


def _side(counts: Counts, side: str) -> dict[str, Number]:
    """The counts of one run."""
    return {name[1:]: count for name, count in counts.items() if name[0] == side}


def _gaps(metrics: tuple[Metric, Metric], pairs: GroupedCounts) -> Floats | None:
    """The difference of each pair, where both metrics are means of marks from 0 to 1; else None."""
    marks = []
    for metric, side in zip(metrics, "12", strict=True):
        right, counted = (pairs.columns.get(f"{side}{name}") for name in metric.share or ("", ""))
        if right is None or counted is None or not ((right >= 0) & (right <= 1) & (counted == 1)).all():
            return None
        marks.append(right)
    return marks[1] - marks[0]


def _binary_difference(metrics: tuple[Metric, Metric], pairs: GroupedCounts, value: float) -> Inference | None:
    """Bonett and Price's interval with the effective number of pairs; None where the metrics are no means of marks."""
    gaps = _gaps(metrics, pairs)
    if gaps is None or not math.isclose(value, float(gaps.mean()), abs_tol=1e-9):
        return None
    gaps, _, group = by_item(gaps, np.ones(gaps.size), pairs)
    n, sizes = gaps.size, np.bincount(group, minlength=pairs.pool.size).astype(np.float64)
    square, groups = float(np.square(gaps).mean()), int((sizes > 0).sum())
    method, things = "Bonett-Price", float(n)
    influence = (
        share_influence(np.bincount(group, gaps, pairs.pool.size).astype(np.float64), sizes)
        if groups > 1
        else Influence(np.zeros(sizes.size), sizes / n)
    )
    if groups < n:
        if groups < 2:
            return None
        things = effective_n(square - value**2, influence, n)
        method = f"Bonett-Price over {groups} groups"
    low, high = bonett_price_of_marks(value, square, things)
    return Inference(Estimate(value, low, high, pairs.groups.size, groups, method), influence)
