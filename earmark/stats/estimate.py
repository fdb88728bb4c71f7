"""A number and how sure it is.

Two kinds of interval, both at 95 %. A share of things that are right or wrong, k of n, has Wilson's (1927),

    (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n),  p = k/n,

which stays within 0 and 1 and has a width even where all or none are right. Where a group (recording, speaker, user, or
one question asked several times) holds more than one thing, these are not n independent ones; n is then the number of
independent ones that would vary as much between groups as was found,

    n' = p(1-p)/v · (z/t)²,  v = g/(g-1) · sum over groups of (k_i - p n_i)² / n²

with g groups and Student's t of g-1 degrees (Korn and Graubard 1998; Franco, Little, Louis and Slud 2019). n' is never
more than n, and is g where all or none are right: nothing tells then that things of a group differ.

Everything else is resampled (Efron 1979): groups are drawn with replacement, their counts summed, and the number is read
from each sum. The interval holds the middle of what came out: not 95 % of it, which is too narrow for few groups, but all
between the shares a and 1 - a with a = Φ(-t sqrt(g/(g-1))) (the expanded percentile interval, Hesterberg 2015).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.stats.bags import Floats, Names
from earmark.types import Counts, Metric, Number

REPLICATES: Final = 2000
LEVEL: Final = 0.95
BLOCK: Final = 32_000  # draws held at once: what fits beside the processor
POOLS: Final = 10_000  # more groups than these are put together at random before they are drawn

Whole = npt.NDArray[np.intp]


class Estimate(Struct, frozen=True, omit_defaults=True):
    """A number with its interval; None where it is not defined, and then `why`."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0  # items behind it
    groups: int = 0  # that were resampled together
    method: str = ""
    worst: float | None = None  # where items failed: had they all been answered wrong,
    best: float | None = None  # and had they all been answered right
    why: str = ""


# ---------------------------------------------------------------- estimates


def estimate(metric: Metric, columns: Mapping[str, Floats], groups: Names, seed: int = 0) -> Estimate:
    """A metric over items with its interval.

    `columns` holds each count as an array of shape (items,), `groups` what each item is resampled with, same shape.
    """
    return estimates({"": metric}, columns, groups, seed)[""]


def estimates(
    metrics: Mapping[str, Metric], columns: Mapping[str, Floats], groups: Names, seed: int = 0
) -> dict[str, Estimate]:
    """Several metrics over the same items, all read from the same draws."""
    n = int(groups.size)
    if not n:
        return {name: Estimate(None, why="no items") for name in metrics}
    size, of = grouped(groups)
    sums = {name: float(column.sum()) for name, column in columns.items()}
    draws = functools.cache(lambda: _draws(columns, of, seed))

    def found(metric: Metric) -> Estimate:
        value = defined(read(metric.value, sums))
        if value is None:
            return Estimate(None, n=n, groups=size, why="not defined for these counts")
        interval = _share_interval(metric, value, columns, of)
        if interval:
            low, high, method = interval
            return Estimate(value, low, high, n, size, method)
        return between(value, lambda: read(metric.value, draws(), REPLICATES), n, size)

    return {name: found(metric) for name, metric in metrics.items()}


def between(value: float, draws: Callable[[], Floats], n: int, size: int) -> Estimate:
    """A value with the interval that its resampled values tell. Draws that are not defined are left out and told."""
    if size < 2:
        return Estimate(value, n=n, groups=size, why="one group cannot be resampled")
    drawn = draws()
    kept = drawn[np.isfinite(drawn)]
    if not kept.size:
        return Estimate(value, n=n, groups=size, why="not defined for any resample of these groups")
    low, high = (float(bound) for bound in np.quantile(kept, tails(size)))
    why = "all resamples are alike" if low == high else ""
    if not low <= value <= high:  # as of a mean over many small classes, of which a draw has few
        why = "resampling shifts this number: its interval does not hold it, and is not to be trusted"
    if kept.size < drawn.size:
        why = f"not defined for {drawn.size - kept.size} of {drawn.size} resamples, which are left out"
    return Estimate(value, low, high, n, size, f"bootstrap of {size} groups", why=why)


# ---------------------------------------------------------------- shares


def wilson(right: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share.

    >>> [round(bound, 4) for bound in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = normal(level)
    share = right / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if right == 0 else max(0.0, (middle - half) / (1 + z * z / n))
    high = 1.0 if right == n else min(1.0, (middle + half) / (1 + z * z / n))
    return low, high


def yes_or_no(metric: Metric, columns: Mapping[str, Floats]) -> Floats | None:
    """1 for each item that is right and 0 for each that is wrong; None where the metric is no share of such items.

    >>> share = Metric(lambda counts: counts["right"] / counts["n"], share=("right", "n"))
    >>> yes_or_no(share, {"right": np.array([1.0, 0.0]), "n": np.array([1.0, 1.0])}).tolist()
    [1.0, 0.0]
    >>> yes_or_no(share, {"right": np.array([2.0, 0.0]), "n": np.array([3.0, 1.0])}) is None
    True
    """
    if metric.share is None:
        return None
    right, counted = (columns.get(name) for name in metric.share)
    if right is None or counted is None or not ((right == 0) | (right == 1)).all() or not (counted == 1).all():
        return None
    return right


def _share_interval(
    metric: Metric, value: float, columns: Mapping[str, Floats], of: Whole
) -> tuple[float, float, str] | None:
    """Wilson's interval and its name, where the metric is a share of whole things; None where it must be resampled."""
    if metric.share is None or not all(name in columns for name in metric.share):
        return None
    right, counted = table({name: columns[name] for name in metric.share}, of, int(of.max()) + 1).T
    whole = np.array_equal(right, np.rint(right)) and np.array_equal(counted, np.rint(counted))
    if not whole or right.min() < 0 or (right > counted).any():
        return None
    k, n = float(right.sum()), float(counted.sum())
    if not n or not math.isclose(value, k / n, rel_tol=1e-9, abs_tol=1e-12):
        return None
    if counted.max() <= 1:
        return *wilson(k, n), "wilson"
    effective = independent(right, counted)
    return (*wilson(value * effective, effective), f"wilson over {counted.size} groups") if effective else None


def independent(right: Floats, counted: Floats) -> float | None:
    """How many independent things would tell a share as well as these do, shape (groups,); None for one group.

    >>> round(independent(np.array([2.0, 0, 2, 0]), np.array([2.0, 2, 2, 2])), 2)
    1.14
    """
    groups = int((counted > 0).sum())
    if groups < 2:
        return None
    n = float(counted.sum())
    share = float(right.sum()) / n
    if share in (0.0, 1.0):
        return float(groups)
    variance = groups / (groups - 1) * float(np.square(right - share * counted).sum()) / n**2
    most = min(n, share * (1 - share) / variance) if variance else n
    return most * (normal(LEVEL) / student(LEVEL, groups - 1)) ** 2


# ---------------------------------------------------------------- resampling


def grouped(groups: Names) -> tuple[int, Whole]:
    """How many groups there are, and the number of each item's group, shape (items,)."""
    distinct, of = np.unique(groups, return_inverse=True)
    return int(distinct.size), of.astype(np.intp, copy=False)


def _draws(columns: Mapping[str, Floats], of: Whole, seed: int) -> dict[str, Floats]:
    """Each count summed over groups drawn with replacement, shape (REPLICATES,)."""
    dice = np.random.default_rng(seed)
    pooled = pools(int(of.max()) + 1, dice)[of]
    sums = drawn(table(columns, pooled, int(pooled.max()) + 1), dice, REPLICATES)
    return dict(zip(columns, sums.T, strict=True))


def table(columns: Mapping[str, Floats], of: npt.NDArray[np.signedinteger[Any]], size: int) -> Floats:
    """Each count summed by group, shape (groups, counts)."""
    sums = [np.bincount(of, column, size) for column in columns.values()]
    return np.array(sums, np.float64).reshape(len(columns), size).T


def pools(size: int, dice: np.random.Generator, most: int = POOLS) -> Whole:
    """A pool for each group, at most so many, of equal size but the last; with few groups each is its own.

    Sums of independent groups are independent, so that pools may be drawn instead of groups, and some thousands of them
    tell the spread as well as a million.
    """
    if size <= most:
        return np.arange(size)
    pool = np.empty(size, np.intp)
    pool[dice.permutation(size)] = np.arange(size) // -(-size // most)
    return pool


def drawn(rows: Floats, dice: np.random.Generator, replicates: int) -> Floats:
    """Sums of rows drawn with replacement, shape (replicates, counts), from rows of shape (groups, counts).

    A draw is a row of how often each group came, and all sums of a block of draws are one matrix product.
    """
    size = rows.shape[0]
    sums = np.empty((replicates, rows.shape[1]))
    step = max(1, BLOCK // size)
    for start in range(0, replicates, step):
        many = min(step, replicates - start)
        at = dice.integers(0, size, (many, size))
        at += np.arange(many)[:, None] * size
        times = np.bincount(at.ravel(), minlength=many * size).reshape(many, size)
        sums[start : start + many] = times.astype(np.float64) @ rows
    return sums


def read(value: Callable[[Counts], Number], counts: Counts, many: int = 1) -> Floats:
    """A number read from counts, shape (many,); what is divided by nothing is not a number, and no warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        numbers = value({name: np.asarray(count, np.float64) for name, count in counts.items()})
    return np.broadcast_to(np.asarray(numbers, np.float64), (many,))


def defined(value: Number) -> float | None:
    """A number, or None for one that is not finite.

    >>> defined(float("nan")) is None
    True
    """
    number = float(np.asarray(value).reshape(()))
    return number if math.isfinite(number) else None


# ---------------------------------------------------------------- quantiles


def tails(size: int, level: float = LEVEL) -> tuple[float, float]:
    """The shares of the draws that bound the interval: further out the fewer groups there are.

    >>> [round(share, 4) for share in tails(10)], [round(share, 4) for share in tails(10_000)]
    ([0.0086, 0.9914], [0.025, 0.975])
    """
    low = NormalDist().cdf(-student(level, size - 1) * math.sqrt(size / (size - 1)))
    return low, 1 - low


def normal(level: float) -> float:
    """z, so that so large a share of a normal distribution lies between -z and z.

    >>> round(normal(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + level / 2)


@functools.lru_cache(maxsize=1024)
def student(level: float, degrees: int) -> float:
    """t, so that so large a share of Student's distribution lies between -t and t.

    By bisection of the finite series 26.7.3 and 26.7.4 of Abramowitz and Stegun; beyond 200 degrees by their 26.7.5.

    >>> round(student(0.95, 9), 4), round(student(0.95, 1), 4)
    (2.2622, 12.7062)
    """
    z = normal(level)
    if degrees > 200:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return float(z + sum(term / degrees ** (power + 1) for power, term in enumerate(terms)))
    low, high = 0.0, math.pi / 2  # of the angle atan(t / sqrt(degrees))
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _student_within(angle, degrees) < level else (low, angle)
    return math.tan(low) * math.sqrt(degrees)


def _student_within(angle: float, degrees: int) -> float:
    """The share of Student's distribution between -t and t, with t = sqrt(degrees) tan(angle)."""
    odd = degrees % 2
    term = total = math.cos(angle) if odd else 1.0
    for power in range(2 + odd, degrees - 1, 2):
        term *= math.cos(angle) ** 2 * (power - 1) / power
        total += term
    if not odd:
        return math.sin(angle) * total
    return (angle + (math.sin(angle) * total if degrees > 1 else 0.0)) * 2 / math.pi
