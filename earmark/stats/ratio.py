"""Metrics that are one count divided by another."""

from __future__ import annotations

from typing import Literal

import numpy as np

from earmark.types import Metric, Number, replace


def ratio(top: str, bottom: str, better: Literal["higher", "lower"] = "higher") -> Metric:
    """Return the metric that divides one count by another, of which it is a part: a share from 0 to 1."""
    return Metric(lambda counts: divide(counts.get(top, 0.0), counts.get(bottom, 0.0)), better, share=(top, bottom))


def mean(
    top: str, bottom: str, limits: tuple[float, float] | None = None, better: Literal["higher", "lower"] = "higher"
) -> Metric:
    """Return the metric that divides a sum by a count: a mean between `limits`, if there are any."""
    return replace(ratio(top, bottom, better), share=None, limits=limits)


def divide(top: Number, bottom: Number) -> Number:
    """Divide numbers or arrays; NaN where nothing was counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Number = np.true_divide(top, bottom)
    return quotient
