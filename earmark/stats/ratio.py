"""Metrics that are one count divided by another."""

from __future__ import annotations

import numpy as np

from earmark.types import Metric, Number


def ratio(top: str, bottom: str) -> Metric:
    """Return the metric that divides one count by another."""
    return Metric(lambda counts: divide(counts.get(top, 0.0), counts.get(bottom, 0.0)), share=(top, bottom))


def divide(top: Number, bottom: Number) -> Number:
    """Divide numbers or arrays; NaN where nothing was counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Number = np.true_divide(top, bottom)
    return quotient
