"""Two runs over the same items: how far apart they are, and whether chance alone would tell.

The difference is the second run less the first, over the items that both have; everything is done with pairs.

Items that are right or wrong, each a group of its own. With n items, c that only the second run has right (gained) and b
that only the first has (lost):

    p-value       exact McNemar (1947): 2 P(X <= min(b, c)), X binomial with b + c throws of a coin, at most 1
    interval      Bonett and Price (2012): d' ± z sqrt((c' + b' - d'²) / (n + 2)),
                  c' = (c + 1)/(n + 2), b' = (b + 1)/(n + 2), d' = c' - b'; it has a width even where b = c = 0

Everything else, by group:

    p-value       permutation: were both runs alike, each group's two results could as well be swapped. All ways of
                  swapping are counted where they are few, else 9,999 are drawn and p = (1 + as far or further) / 10,000
                  (Phipson and Smyth 2010)
    interval      bootstrap: groups are drawn, for both runs the same ones; see `estimate.py`

Of several p-values some are small by chance; Holm's (1979) adjusted ones may all be held against 0.05 at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.stats.bags import Floats, Names
from earmark.stats.estimate import (
    LEVEL,
    REPLICATES,
    Estimate,
    Whole,
    between,
    defined,
    drawn,
    grouped,
    normal,
    pools,
    read,
    student,
    table,
    yes_or_no,
)
from earmark.types import Metric

SWAPS: Final = 9999  # ways of swapping that are drawn
FEW: Final = 13  # groups that differ, at most, for all their ways of swapping to be counted
BLOCK: Final = 64_000  # swaps held at once
POWER: Final = 0.8


class Pairs(Struct, frozen=True, eq=False):
    """The counts of two runs over the same items, each count an array of shape (items,)."""

    first: Mapping[str, Floats]
    second: Mapping[str, Floats]
    groups: Names  # what each item is resampled with


class Difference(Struct, frozen=True, omit_defaults=True):
    """The second run less the first; None where it is not defined, and then `why`."""

    first: float | None
    second: float | None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0  # pairs behind it
    groups: int = 0
    method: str = ""  # of the interval
    p: float | None = None
    test: str = ""
    smallest: float | None = None  # true difference that so many items show with a power of 80 %
    disagreement: float | None = None  # share of the pairs of which one is right and the other wrong
    why: str = ""


def difference(metrics: tuple[Metric, Metric], pairs: Pairs, seed: int = 0) -> Difference:
    """How far the second run is from the first by a metric, each run's read its own way."""
    n = int(pairs.groups.size)
    if not n:
        return Difference(None, None, why="no item is in both")
    first, second = (
        defined(read(metric.value, {name: column.sum() for name, column in columns.items()}))
        for metric, columns in zip(metrics, (pairs.first, pairs.second), strict=True)
    )
    if first is None or second is None:
        return Difference(first, second, n=n, why="not defined for these counts")
    size, of = grouped(pairs.groups)
    before, after = yes_or_no(metrics[0], pairs.first), yes_or_no(metrics[1], pairs.second)
    if (
        size == n
        and before is not None
        and after is not None
        and math.isclose(second - first, (after - before).mean(), abs_tol=1e-9)
    ):
        return _of_marks(before, after, first, second)
    return _of_groups(metrics, pairs, of, (first, second), seed)


# ---------------------------------------------------------------- items that are right or wrong


def _of_marks(before: Floats, after: Floats, first: float, second: float) -> Difference:
    n = before.size
    gained, lost = int((after > before).sum()), int((after < before).sum())
    low, high = bonett_price(gained, lost, n)
    return Difference(
        first,
        second,
        second - first,
        low,
        high,
        n,
        n,
        "Bonett-Price",
        mcnemar(gained, lost),
        "exact McNemar",
        smallest_difference(n, (gained + lost) / n),
        (gained + lost) / n,
    )


def mcnemar(gained: int, lost: int) -> float:
    """The exact p-value of McNemar's test, two-sided.

    >>> mcnemar(5, 0), mcnemar(1, 1)
    (0.0625, 1.0)
    """
    throws, least = gained + lost, min(gained, lost)
    if 2 * least >= throws - 1:
        return 1.0
    # The chance of exactly `least`, and of fewer by the ratio of each chance to the next one up.
    top = math.lgamma(throws + 1) - math.lgamma(least + 1) - math.lgamma(throws - least + 1) - throws * math.log(2)
    steps = np.arange(least, 0, -1)
    tail = 1 + float(np.cumprod(steps / (throws - steps + 1)).sum())
    return min(1.0, 2 * math.exp(top) * tail)


def bonett_price(gained: int, lost: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The interval of the difference of two paired shares.

    >>> [round(bound, 4) for bound in bonett_price(8, 2, 50)]
    [-0.0114, 0.2421]
    """
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    middle = up - down
    half = normal(level) * math.sqrt((up + down - middle**2) / (n + 2))
    return max(-1.0, middle - half), min(1.0, middle + half)


# ---------------------------------------------------------------- anything else, by group


def _of_groups(
    metrics: tuple[Metric, Metric], pairs: Pairs, of: Whole, values: tuple[float, float], seed: int
) -> Difference:
    first, second = values
    n, size = of.size, int(of.max()) + 1
    apart = Apart(metrics, pairs, of, seed)
    draws = apart.resampled()
    found = between(second - first, lambda: draws, n, size)
    p, test = apart.permuted() if size > 1 else (None, "")
    return Difference(
        first,
        second,
        second - first,
        found.low,
        found.high,
        n,
        size,
        found.method,
        p,
        test,
        _shown(draws, size) if found.low is not None else None,
        why=found.why,
    )


class Apart:
    """The counts of two runs by group, and how far apart sums of them are."""

    def __init__(self, metrics: tuple[Metric, Metric], pairs: Pairs, of: Whole, seed: int) -> None:
        self._metrics = metrics
        self._names = tuple(dict.fromkeys((*pairs.first, *pairs.second)))
        self._dice = np.random.default_rng(seed)
        pool = pools(int(of.max()) + 1, self._dice)
        zero = np.zeros(of.size)
        self._first, self._second = (
            table({name: columns.get(name, zero) for name in self._names}, pool[of], int(pool.max()) + 1)
            for columns in (pairs.first, pairs.second)
        )

    def far(self, first: Floats, second: Floats) -> Floats:
        """The second number less the first, from sums of shape (many, counts)."""
        numbers = (
            read(metric.value, dict(zip(self._names, sums.T, strict=True)), len(sums))
            for metric, sums in zip(self._metrics, (first, second), strict=True)
        )
        less, more = numbers
        return more - less

    def resampled(self) -> Floats:
        """The difference as it comes out when groups are drawn with replacement, shape (replicates,)."""
        sums = drawn(np.hstack([self._first, self._second]), self._dice, REPLICATES)
        return self.far(*np.split(sums, 2, axis=1))

    def permuted(self) -> tuple[float, str]:
        """The p-value of the difference when the results of groups are swapped at random, and the test's name.

        A difference that is not defined after swapping counts as one that is as far.
        """
        first, second = self._first.sum(axis=0, keepdims=True), self._second.sum(axis=0, keepdims=True)
        swap = self._second - self._first
        swap = swap[swap.any(axis=1)]
        here = float(np.abs(self.far(first, second))[0])
        if not swap.size:
            return 1.0, "no group differs"

        def as_far(swapped: Floats) -> int:
            moved = swapped @ swap
            return int((~(np.abs(self.far(first + moved, second - moved)) < here * (1 - 1e-9))).sum())

        many = len(swap)
        if many <= FEW:
            ways = np.arange(2**many)[:, None] >> np.arange(many) & 1
            return as_far(ways.astype(np.float64)) / len(ways), "exact permutation"
        far, step = 0, max(1, BLOCK // many)
        for start in range(0, SWAPS, step):
            shape = (min(step, SWAPS - start), many)
            far += as_far(self._dice.integers(0, 2, shape, np.int8).astype(np.float64))
        return (1 + far) / (1 + SWAPS), "permutation"


def _shown(draws: Floats, size: int, power: float = POWER) -> float | None:
    """The smallest difference by the spread of its resampled values: so many standard errors."""
    error = float(draws[np.isfinite(draws)].std(ddof=1))
    return (student(LEVEL, size - 1) + student(2 * power - 1, size - 1)) * error if error else None


# ---------------------------------------------------------------- many comparisons


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values; those that are not there stay so, and do not count.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = sorted((value, at) for at, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (value, at) in enumerate(known):
        least = max(least, min(1.0, value * (len(known) - rank)))
        adjusted[at] = least
    return adjusted


# ---------------------------------------------------------------- how many items


def smallest_difference(items: int, disagreement: float, power: float = POWER) -> float | None:
    """The smallest true difference d of two shares that McNemar's test finds with this power; None where none would.

    The two runs are supposed to disagree on a share q of the items, or on d of them where that is more. Solves

        sqrt(n) d - 1/sqrt(n) = z sqrt(q) + z' sqrt(q - d²)

    (Connor 1987, with the correction that the exact test asks for), z of 95 % and z' of the power. On the safe side
    where the disagreements are few.

    >>> round(smallest_difference(1000, 0.2), 4)
    0.0406
    """
    z, least = normal(LEVEL), normal(2 * power - 1)
    bound = z * math.sqrt(disagreement) + 1 / math.sqrt(items)
    inside = (items + least**2) * disagreement - bound**2
    if inside >= 0:
        found = (math.sqrt(items) * bound + least * math.sqrt(inside)) / (items + least**2)
        if found <= disagreement:
            return found

    def short(d: float) -> bool:  # all disagreements go one way
        return math.sqrt(items) * d - 1 / math.sqrt(items) < z * math.sqrt(d) + least * math.sqrt(d - d * d)

    low, high = 0.0, 1.0
    if short(high):
        return None
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def items_to_show(difference: float, disagreement: float, power: float = POWER) -> int:
    """How many items it takes for McNemar's test to find a true difference with this power, as above.

    >>> items_to_show(0.05, 0.2)
    665
    """
    disagreement = max(disagreement, difference)
    spread = normal(LEVEL) * math.sqrt(disagreement) + normal(2 * power - 1) * math.sqrt(disagreement - difference**2)
    return math.ceil(((spread + math.sqrt(spread**2 + 4 * difference)) / (2 * difference)) ** 2)


def items_to_find(found: Difference, wanted: float) -> int | None:
    """How many pairs of the same kind it takes to find a true difference: what can be found falls with the root of their number.

    >>> items_to_find(Difference(0.5, 0.6, n=100, disagreement=0.2), 0.05), items_to_find(Difference(1, 2, n=100, smallest=0.1), 0.05)
    (665, 400)
    """
    if found.disagreement is not None:
        return items_to_show(wanted, found.disagreement)
    return None if found.smallest is None else math.ceil(found.n * round((found.smallest / wanted) ** 2, 9))


def items_for_width(width: float, share: float = 0.5) -> int:
    """How many right-or-wrong items it takes for Wilson's interval of a share to be no wider than this.

    >>> items_for_width(0.1), items_for_width(0.1, 0.9)
    (381, 141)
    """
    half, z = width / 2, normal(LEVEL)
    spare = share * (1 - share) - 2 * half**2
    return max(1, math.ceil(z**2 * (spare + math.sqrt(spare**2 + half**2 * (1 - 4 * half**2))) / (2 * half**2)))


def items_for(found: Estimate, width: float) -> int | None:
    """How many items of the same kind it takes for an estimate's interval to be so wide: its width falls with their root.

    >>> items_for(Estimate(0.1, 0.08, 0.12, n=200), 0.02), items_for(Estimate(0.9, method="wilson"), 0.1)
    (800, 141)
    """
    if found.method == "wilson" and found.value is not None:
        return items_for_width(width, found.value)
    if found.low is None or found.high is None or found.high <= found.low:
        return None
    return math.ceil(found.n * round(((found.high - found.low) / width) ** 2, 9))
