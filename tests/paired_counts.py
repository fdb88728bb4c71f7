"""Pairs of runs for tests of comparison."""

from __future__ import annotations

import numpy as np

from earmark.stats.count_table import Floats
from earmark.stats.difference import Pairs
from earmark.stats.ratio import divide, ratio
from earmark.types import Counts, Metric, Number

ACCURACY = ratio("right", "n")


def mean(counts: Counts) -> Number:
    return divide(counts.get("right", 0.0), counts.get("n", 0.0))


MEAN = Metric(mean)


def pairs(first: Floats, second: Floats, groups: Floats | None = None, n: Floats | None = None) -> Pairs:
    of = np.arange(first.size) if groups is None else groups
    n = np.ones(first.size) if n is None else n
    return Pairs({"right": first, "n": n}, {"right": second, "n": n}, of.astype(np.uint64))


def marks(gained: int, lost: int, both: int = 0, neither: int = 0) -> Pairs:
    """Items that are right or wrong in the first run and in the second."""
    first = np.array([0.0] * gained + [1.0] * lost + [1.0] * both + [0.0] * neither)
    second = np.array([1.0] * gained + [0.0] * lost + [1.0] * both + [0.0] * neither)
    return pairs(first, second)
