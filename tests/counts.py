"""Tables of counts for tests."""

from __future__ import annotations

import numpy as np

from earmark.stats.estimate import Estimate, estimate
from earmark.stats.ratio import divide
from earmark.types import Counts, Metric, Number


def rate(counts: Counts) -> Number:
    return divide(counts["right"], counts["n"])


MEAN = Metric(rate)  # the same number, with no promise that it is a share


def of(
    metric: Metric,
    right: list[float],
    n: list[float] | None = None,
    groups: list[int] | None = None,
    items: list[int] | None = None,
) -> Estimate:
    """An estimate from lists, each item a group of its own unless told."""
    columns = {"right": np.array(right, float), "n": np.array(n if n is not None else [1.0] * len(right), float)}
    names = np.array(groups if groups is not None else range(len(right)), np.uint64)
    return estimate(metric, columns, names, None if items is None else np.array(items, np.uint64))
