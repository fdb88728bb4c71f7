"""Quantiles with intervals that hold for any distribution.

Of n independent values in order, x(l) to x(u) contains the q-quantile with probability P(l <= B < u), B binomial of n
and q (Thompson 1936; David and Nagaraja 2003, section 7.1). l is the largest and u the smallest rank such that each
tail is at most 2.5 %: the interval holds 95 % or more. Too few values have no such rank, and the bound is None.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from earmark.stats.quantiles import LEVEL


class Quantile(NamedTuple):
    """A quantile of a sample, and bounds of that of its distribution."""

    value: float
    low: float | None
    high: float | None


def sample_quantile(values: npt.NDArray[np.float64], q: float, level: float = LEVEL) -> Quantile | None:
    """Quantile of a sample, linear between ranks, with a distribution-free interval; None of no values.

    >>> sample_quantile(np.arange(1.0, 101.0), 0.5)
    Quantile(value=50.5, low=40.0, high=61.0)
    >>> sample_quantile(np.array([1.0, 2.0]), 0.95)
    Quantile(value=1.95, low=1.0, high=None)
    """
    n = values.size
    if not n:
        return None
    ordered = np.sort(values)
    low, high = _ranks(int(n), q, (1 - level) / 2)
    return Quantile(
        float(np.quantile(ordered, q)),
        float(ordered[low - 1]) if low >= 1 else None,
        float(ordered[high - 1]) if high <= n else None,
    )


def _ranks(n: int, q: float, tail: float) -> tuple[int, int]:
    """Ranks l and u, counted from 1: P(B < l) and P(B >= u) are at most `tail`; 0 and n + 1 where there are none."""
    k = np.arange(n + 1)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    log_p = log_factorial[n] - log_factorial - log_factorial[::-1] + k * math.log(q) + (n - k) * math.log1p(-q)
    p = np.exp(log_p)
    below = np.concatenate([[0.0], np.cumsum(p)])  # P(B < k) for k from 0
    low = int(np.searchsorted(below, tail * (1 + 1e-12), side="right")) - 1
    above = np.concatenate([np.cumsum(p[::-1])[::-1], [0.0]])  # P(B >= k)
    high = int(np.argmax(above <= tail * (1 + 1e-12)))
    return low, high
