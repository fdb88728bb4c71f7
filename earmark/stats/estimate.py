"""A number and how sure it is.

A share k/n has Wilson's interval,

    (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n),  p = k/n,

which stays within 0 and 1 and has a width even where all or none are right. It supposes items that do not depend on
each other: so it is used where every group holds one item. Everything else is resampled: groups (recordings, speakers,
users) are drawn with replacement, their counts summed, and the number is read from each sum; the interval is the middle
95 % of what came out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.types import Counts, Metric, Number

REPLICATES: Final = 2000
LEVEL: Final = 0.95
BLOCK: Final = 4_000_000  # draws held at once

Floats = npt.NDArray[np.float64]


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


def wilson(right: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share.

    >>> [round(bound, 4) for bound in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = right / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def estimate(metric: Metric, columns: Mapping[str, Floats], groups: npt.NDArray[np.uint64], seed: int = 0) -> Estimate:
    """A metric over items with its interval.

    `columns` holds each count as an array of shape (items,), `groups` what each item is resampled with, same shape.
    """
    n = int(groups.size)
    if not n:
        return Estimate(None, why="no items")
    sums = {name: float(column.sum()) for name, column in columns.items()}
    value = defined(metric.value(sums))
    if value is None:
        return Estimate(None, n=n, why="not defined for these counts")
    distinct, of = np.unique(groups, return_inverse=True)
    size = int(distinct.size)
    if metric.share and size == n:
        right, counted = (sums.get(name, 0.0) for name in metric.share)
        low, high = wilson(right, counted)
        return Estimate(value, low, high, n, size, "wilson")
    if size < 2:
        return Estimate(value, n=n, groups=size, why="one group cannot be resampled")
    draws = resampled(
        {name: np.bincount(of, column, size).astype(np.float64) for name, column in columns.items()}, metric.value, seed
    )
    draws = draws[np.isfinite(draws)]
    if not draws.size:
        return Estimate(value, n=n, groups=size, why="not defined for any sample of these groups")
    low, high = (float(bound) for bound in np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return Estimate(
        value, low, high, n, size, f"bootstrap of {size} groups", why="all samples are alike" if low == high else ""
    )


def resampled(
    counts: Mapping[str, Floats], value: Callable[[Counts], Number], seed: int, replicates: int = REPLICATES
) -> Floats:
    """The number as it comes out when groups are drawn with replacement, shape (replicates,).

    `counts` holds each count summed by group, shape (groups,). A draw is a row of how often each group came, and all
    sums of a block of draws are one matrix product.
    """
    table = np.stack(list(counts.values()), axis=1)  # (groups, counts)
    size = table.shape[0]
    dice = np.random.default_rng(seed)
    out = []
    for start in range(0, replicates, step := max(1, BLOCK // size)):
        rows = min(step, replicates - start)
        drawn = dice.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        sums = times.astype(np.float64) @ table
        numbers = value({name: sums[:, at] for at, name in enumerate(counts)})
        out.append(np.broadcast_to(np.asarray(numbers, np.float64), (rows,)))
    return np.concatenate(out)


def defined(value: Number) -> float | None:
    """A number, or None for one that is not finite.

    >>> defined(float("nan")) is None
    True
    """
    number = float(value)
    return number if math.isfinite(number) else None
