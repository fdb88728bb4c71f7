"""Metrics that are one count divided by another."""

from __future__ import annotations

import numpy as np

from earmark.types import Metric, Number


def ratio(top: str, bottom: str) -> Metric:
    """The metric of one count by another, as a share."""
    return Metric(lambda counts: divide(counts.get(top, 0.0), counts.get(bottom, 0.0)), share=(top, bottom))


def divide(top: Number, bottom: Number) -> Number:
    """A quotient that is not a number where nothing was counted, for numbers and for arrays of them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Number = np.true_divide(top, bottom)
    return quotient
