"""Intervals from leaving out one group at a time (Quenouille 1956, Tukey 1958).

Let x be a number read from all groups, x(-g) the same without group g, d_g = x(-g) - x, and w_g the share of all
answers that group g has. Then

    v       = sum (1 - w_g) d_g²             variance of x; for a share (g-1)/g · sum (k_g - x n_g)² / (n - n_g)²
    degrees = 1 / sum w_g² - 1               (sum n_g)² / sum n_g² - 1: one big group among small ones has few
    support = (sum d_g²)² / sum d_g⁴         number of groups that the variance rests on

Student's t takes the degrees of freedom, but at most a multiple of the support minus one: where one item of twenty
makes up the variance, the variance itself is uncertain.

    between two bounds    Wilson's (1927) interval for n' = x(1 - x)/v · (z/t)² items, x scaled to 0..1 (Korn and
                          Graubard 1998; Franco, Little, Louis and Slud 2019), at least the number of groups where only
                          the support would make it smaller
    above a bound         x · exp(± t sqrt(v) / x), Student's interval of the logarithm
    neither               x ± t sqrt(v)

A number that no group changes has no variance to estimate, and no interval unless it lies on a bound.

A mean over parts, such as tasks, has d_g and w_g that are the means of the parts'. Where it lies between bounds that is
its interval; else, and for a mean of differences, it is what the parts' own intervals [l_i, u_i] give (Zou, Huang and
Zhang 2009),

    low = x - sqrt(sum over i, j of r_ij (x_i - l_i)(x_j - l_j)) / parts,    r_ij the correlation of their d_g,

and the same with u for the upper bound. It has a width where every part is at a bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.stats.count_table import Floats
from earmark.stats.quantiles import LEVEL, t_quantile, z_quantile

Bounds = tuple[float, float]
NO_LIMITS: Final = (-math.inf, math.inf)
SHARE_SUPPORT: Final = 2.0  # degrees of freedom for each group of the support: on a bounded scale,
RATE_SUPPORT: Final = 3.0  # and on an open one; a normal distribution has a support of a third of its groups
TRUSTED_SUPPORT: Final = 5.0  # groups, or one of so many, that must make up the variance of a number without a top:
TRUSTED_PART: Final = 8.0  # else its interval is marked (docs/error-bars.md)


class Influence(NamedTuple):
    """Change of a number when each group is left out, shape (groups,)."""

    change: Floats
    weights: Floats  # the share of all answers that each group has

    @property
    def variance(self) -> float:
        return float(((1 - self.weights) * np.square(self.change)).sum())

    @property
    def degrees(self) -> float:
        return 1 / float(np.square(self.weights).sum()) - 1

    @property
    def support(self) -> float:
        squares = np.square(self.change)
        fourth = float(np.square(squares).sum())
        return float(squares.sum()) ** 2 / fourth if fourth else 0.0

    def scale(self, factor: float) -> Influence:
        """The influence on a multiple of the number."""
        return Influence(self.change * factor, self.weights)

    def distrust(self) -> str:
        """Reason not to trust an interval of a number without an upper bound; empty where there is none."""
        groups = int((self.weights > 0).sum())
        if self.support >= min(TRUSTED_SUPPORT, groups / TRUSTED_PART):
            return ""
        return f"its spread rests on {max(1.0, self.support):.0f} of {groups} groups: do not trust the interval"


def share_influence(right: Floats, counted: Floats) -> Influence:
    """Influence of groups on a share, from sums by group; groups that count nothing have none."""
    n, k = float(counted.sum()), float(right.sum())
    rest = np.where(counted < n, n - counted, np.inf)
    return Influence(-(right - k / n * counted) / rest, counted / n)


def effective_n(spread: float, influence: Influence, most: float = math.inf) -> float:
    """Number of independent items that would estimate a mean as well; `spread` is the variance of one, p (1 - p)."""
    groups = influence.degrees + 1
    variance = influence.variance
    if spread <= 1e-12:  # all are alike: nothing shows that items of one group differ
        return groups
    things = min(most, spread / variance) if variance else most if most < math.inf else groups
    z = z_quantile(LEVEL)
    usual = things * (z / t_quantile(LEVEL, influence.degrees)) ** 2
    few = min(influence.degrees, SHARE_SUPPORT * influence.support - 1) if variance else influence.degrees
    return max(things * (z / t_quantile(LEVEL, few)) ** 2, min(usual, groups))


def wilson(right: float, n: float, level: float = LEVEL) -> Bounds:
    """Wilson's interval of a share.

    >>> [round(bound, 4) for bound in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = z_quantile(level)
    share = right / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    low = 0.0 if right <= 0 else max(0.0, (middle - half) / (1 + z * z / n))
    high = 1.0 if right >= n else min(1.0, (middle + half) / (1 + z * z / n))
    return low, high


def interval(value: float, influence: Influence, limits: Bounds = NO_LIMITS) -> Bounds | None:
    """Interval of a number that lies between limits; None where no group changes it and it is on no limit."""
    low, high = limits
    if math.isfinite(high - low):
        share = min(1.0, max(0.0, (value - low) / (high - low)))
        if not influence.variance and 0 < share < 1:
            return None
        things = effective_n(share * (1 - share), influence.scale(1 / (high - low)))
        bounds = wilson(share * things, things)
        return low + bounds[0] * (high - low), low + bounds[1] * (high - low)
    if not influence.variance:
        return None
    few = min(influence.degrees, RATE_SUPPORT * influence.support - 1)
    half = t_quantile(LEVEL, few) * math.sqrt(influence.variance)
    if math.isfinite(low) and value > low:
        half /= value - low
        up = math.exp(half) if half < 1 else math.e * half  # from there the tangent, so that the bound stays finite
        return low + (value - low) * math.exp(-half), low + (value - low) * up
    return value - half, value + half


def mean_interval(values: Sequence[float], bounds: Sequence[Bounds], influences: Sequence[Influence]) -> Bounds:
    """Interval of the mean of several numbers, from their own intervals.

    >>> changes = np.array([[1.0, -1, 0, 0], [0, 0, 1, -1]])
    >>> influences = [Influence(change, np.full(4, 0.25)) for change in changes]
    >>> [round(bound, 3) for bound in mean_interval([0.5, 0.5], [(0.4, 0.6), (0.4, 0.6)], influences)]
    [0.429, 0.571]
    """
    middle = float(np.mean(values))
    related = correlations([influence.change for influence in influences])
    halves = []
    for side in (0, 1):
        away = np.array([abs(value - bound[side]) for value, bound in zip(values, bounds, strict=True)])
        halves.append(math.sqrt(max(0.0, float(away @ related @ away))) / len(values))
    return middle - halves[0], middle + halves[1]


def correlations(changes: Sequence[Floats]) -> Floats:
    """Correlation of estimates by how they change when the same groups are left out, shape (estimates, estimates)."""
    columns = np.stack(changes)
    lengths = np.sqrt(np.square(columns).sum(axis=1, keepdims=True))
    units = np.divide(columns, lengths, out=np.zeros_like(columns), where=lengths > 0)
    related = units @ units.T
    np.fill_diagonal(related, 1.0)
    return np.asarray(related)
