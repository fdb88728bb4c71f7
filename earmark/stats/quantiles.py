"""Quantiles of the normal and of Student's distribution, and tails of the binomial one.

scipy has them too, but importing it takes longer than a report (docs/decisions/019).
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist
from typing import Final

import numpy as np

LEVEL: Final = 0.95


def z_quantile(level: float) -> float:
    """Bound z such that this share of a normal distribution lies between -z and z.

    >>> round(z_quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + level / 2)


def t_quantile(level: float, degrees: float) -> float:
    """Bound t such that this share of Student's distribution lies between -t and t.

    Fractional degrees of freedom are interpolated by their reciprocals; fewer than one count as one.

    >>> round(t_quantile(0.95, 9), 4), round(t_quantile(0.95, 1), 4), round(t_quantile(0.95, 2.5), 2)
    (2.2622, 12.7062, 3.63)
    """
    degrees = max(1.0, degrees)
    below = math.floor(degrees)
    if below == degrees:
        return _t_quantile_of_integer(level, below)
    part = (1 / below - 1 / degrees) * below * (below + 1)
    return _t_quantile_of_integer(level, below) * (1 - part) + _t_quantile_of_integer(level, below + 1) * part


@functools.lru_cache(maxsize=1024)
def _t_quantile_of_integer(level: float, degrees: int) -> float:
    """Bisection of the finite series 26.7.3 and 26.7.4 of Abramowitz and Stegun; beyond 200 degrees their 26.7.5."""
    z = z_quantile(level)
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
        low, high = (angle, high) if _t_central_probability(angle, degrees) < level else (low, angle)
    return math.tan(low) * math.sqrt(degrees)


def _t_central_probability(angle: float, degrees: int) -> float:
    """Share of Student's distribution between -t and t, with t = sqrt(degrees) tan(angle)."""
    odd = degrees % 2
    term = total = math.cos(angle) if odd else 1.0
    for power in range(2 + odd, degrees - 1, 2):
        term *= math.cos(angle) ** 2 * (power - 1) / power
        total += term
    if not odd:
        return math.sin(angle) * total
    return (angle + (math.sin(angle) * total if degrees > 1 else 0.0)) * 2 / math.pi


def binomial_tail(least: int, n: int, p: float) -> float:
    """Probability of at least this many successes of n.

    >>> round(binomial_tail(8, 10, 0.5), 4), binomial_tail(0, 10, 0.5)
    (0.0547, 1.0)
    """
    if least <= 0 or p >= 1:
        return 1.0
    if p <= 0 or least > n:
        return 0.0
    # Each term by its ratio to the one before: (n - k) / (k + 1) · chance / (1 - chance).
    top = math.lgamma(n + 1) - math.lgamma(least + 1) - math.lgamma(n - least + 1)
    top += least * math.log(p) + (n - least) * math.log1p(-p)
    k = np.arange(least, n)
    terms = np.cumsum(np.log((n - k) / (k + 1)) + math.log(p / (1 - p)))
    return min(
        1.0, math.exp(top) * (1.0 + float(np.exp(terms).sum())) if least > n * p else _tail_by_complement(least, n, p)
    )


def _tail_by_complement(least: int, n: int, p: float) -> float:
    """Compute the tail as one minus its complement, where most of the distribution is in the tail."""
    return 1.0 - binomial_tail(n - least + 1, n, 1 - p)
