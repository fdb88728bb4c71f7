"""Intervals that hold at every look: confidence sequences, for runs that stop once a number is known well enough.

Of n items with k right, a share p is in the sequence while the mixture of likelihood ratios against it is small,

    B(c p + k, c (1 - p) + n - k) / (B(c p, c (1 - p)) p^k (1 - p)^(n - k)) < 1 / 0.05

(Robbins 1970; the two-sided sub-Bernoulli beta-binomial boundary of Howard, Ramdas, McAuliffe and Sekhon 2021). For a
true p the left side is a supermartingale with mean 1 at most, also for marks between 0 and 1, so by Ville's inequality
the sequence contains p at all n together with probability 0.95: it may be looked at, and stopped, at any time.

c says where the sequence is narrowest: at the n whose interval has the half-width that is wanted, for a share of 0.8.
Where items are in groups, weighted, or averaged over tasks, n is the effective number of independent items behind the
usual interval (`jackknife.py`); then the sequence holds asymptotically (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
2024); the simulations of docs/error-bars.md are of single items.
"""

from __future__ import annotations

import math
from typing import Final

from earmark.stats.estimate import Estimate
from earmark.stats.jackknife import Bounds
from earmark.stats.quantiles import LEVEL, z_quantile
from earmark.types import Metric, replace

METHOD: Final = "confidence sequence"
TUNED_SHARE: Final = 0.8  # for which c is chosen
TIGHTEST: Final = 8.2  # n / c at which the boundary is narrowest, 3.03 standard errors
STEPS: Final = 50  # of the bisection
TINY: Final = 1e-12


def limits_of(metric: Metric) -> Bounds | None:
    """Bounds of a metric for which a confidence sequence is known; None for one without a top or a bottom."""
    limits = (0.0, 1.0) if metric.share else metric.limits
    return limits if limits and math.isfinite(limits[1] - limits[0]) else None


def sequential(estimate: Estimate, limits: Bounds | None, until: float) -> Estimate:
    """An estimate with the bounds of its confidence sequence, tuned to the half-width `until`.

    Without limits its interval stays, marked as one that ignores that the run may have been stopped.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    if limits is None:
        why = "; ".join(filter(None, (estimate.why, "its interval holds for a fixed number of items only")))
        return replace(estimate, why=why, trusted=False)
    low, width = limits[0], limits[1] - limits[0]
    share = min(1.0, max(0.0, (estimate.value - low) / width))
    n = effective_number(share, (estimate.high - estimate.low) / width / 2)
    bounds = share_sequence(share * n, n, until / width)
    method = f"{METHOD} of {estimate.method}"
    return replace(estimate, low=low + bounds[0] * width, high=low + bounds[1] * width, method=method)


def effective_number(share: float, half: float) -> float:
    """Number of items whose Wilson interval of a share has this half-width.

    >>> from earmark.stats.jackknife import wilson
    >>> low, high = wilson(80, 100)
    >>> round(effective_number(0.8, (high - low) / 2), 6)
    100.0
    """
    spread, square = share * (1 - share), half * half
    a, b = 0.25 - square, spread - 2 * square
    root = math.sqrt(b * b + 4 * a * square)
    ratio = (root - b) / (2 * a) if a > 0 else math.inf  # z² / n, of (spread u + u²/4) / (1 + u)² = half²
    return z_quantile(LEVEL) ** 2 / ratio


def share_sequence(right: float, n: float, until: float) -> Bounds:
    """Confidence sequence of a share after n items, tuned to a half-width.

    >>> [round(bound, 3) for bound in share_sequence(400, 500, 0.05)], share_sequence(10, 10, 0.05)[1]
    ([0.743, 0.851], 1.0)
    """
    strength = max(1.0, TUNED_SHARE * (1 - TUNED_SHARE) / until**2)  # TIGHTEST² var / until² items, over TIGHTEST
    share = right / n
    low = _bound(right, n, strength, 0.0, share) if right > TINY else 0.0
    high = _bound(right, n, strength, 1.0, share) if n - right > TINY else 1.0
    return low, high


def _bound(right: float, n: float, strength: float, outside: float, inside: float) -> float:
    """Bisect between a share that is not in the sequence and one that is."""
    for _ in range(STEPS):
        middle = (outside + inside) / 2
        if _log_mixture(middle, right, n, strength) < -math.log(1 - LEVEL):
            inside = middle
        else:
            outside = middle
    return inside


def _log_mixture(p: float, right: float, n: float, strength: float) -> float:
    """Logarithm of the mixture of likelihood ratios against a share p."""
    a, b = max(TINY, strength * p), max(TINY, strength * (1 - p))
    ratio = math.lgamma(a + right) - math.lgamma(a) + math.lgamma(b + n - right) - math.lgamma(b)
    ratio += math.lgamma(strength) - math.lgamma(strength + n)
    return ratio - right * math.log(max(TINY, p)) - (n - right) * math.log(max(TINY, 1 - p))
