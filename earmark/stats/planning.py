"""Sample sizes: items for an interval of some width, and to find a difference between two runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from earmark.stats.quantiles import LEVEL, z_quantile

if TYPE_CHECKING:
    from earmark.stats.difference import Difference
    from earmark.stats.estimate import Estimate

POWER: Final = 0.8


def items_to_show(difference: float, disagreement: float, power: float = POWER) -> int:
    """Number of items with which McNemar's test finds a true difference d of two shares with this power.

    The two runs are assumed to disagree on a share q of the items, or on d of them where that is more. Solves

        sqrt(n) d - 1/sqrt(n) = z sqrt(q) + z' sqrt(q - d²)

    (Connor 1987, with a continuity correction for the exact test), z of 95 % and z' of the power. Conservative where
    the disagreements are few.

    >>> items_to_show(0.05, 0.2)
    665
    """
    disagreement = max(disagreement, difference)
    spread = z_quantile(LEVEL) * math.sqrt(disagreement) + z_quantile(2 * power - 1) * math.sqrt(
        disagreement - difference**2
    )
    return math.ceil(((spread + math.sqrt(spread**2 + 4 * difference)) / (2 * difference)) ** 2)


def items_to_find(difference: Difference, wanted: float) -> int | None:
    """Number of pairs of the same kind that show a true difference with a power of 80 %.

    >>> from earmark.stats.difference import Difference
    >>> items_to_find(Difference(0.5, 0.6, n=100, disagreement=0.2), 0.05)
    665
    >>> items_to_find(Difference(1, 2, n=100, standard_error=0.1), 0.05)
    3140
    """
    if difference.disagreement is not None:
        return items_to_show(wanted, difference.disagreement)
    if difference.standard_error is None:
        return None
    detectable = (z_quantile(LEVEL) + z_quantile(2 * POWER - 1)) * difference.standard_error
    return math.ceil(difference.n * (detectable / wanted) ** 2)


def items_for_width(width: float, share: float = 0.5) -> int:
    """Number of right-or-wrong items with which Wilson's interval of a share is no wider than this.

    >>> items_for_width(0.1), items_for_width(0.1, 0.9)
    (381, 141)
    """
    half, z = width / 2, z_quantile(LEVEL)
    spare = share * (1 - share) - 2 * half**2
    return max(1, math.ceil(z**2 * (spare + math.sqrt(spare**2 + half**2 * (1 - 4 * half**2))) / (2 * half**2)))


def items_for(estimate: Estimate, width: float) -> int | None:
    """Number of items of the same kind with which an estimate's interval has this width, which falls with their root.

    >>> from earmark.stats.estimate import Estimate
    >>> items_for(Estimate(0.1, 0.08, 0.12, n=200), 0.02), items_for(Estimate(0.9, method="wilson"), 0.1)
    (800, 141)
    """
    if estimate.method == "wilson" and estimate.value is not None:
        return items_for_width(width, estimate.value)
    if estimate.low is None or estimate.high is None or estimate.high <= estimate.low:
        return None
    return math.ceil(estimate.n * round(((estimate.high - estimate.low) / width) ** 2, 9))
