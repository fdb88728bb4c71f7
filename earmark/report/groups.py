"""Means over groups: each group counts alike, whatever its size."""

from __future__ import annotations

import numpy as np

from earmark.report.aggregates import Aggregate, DerivedMetrics, JoinedCounts, add_over, scorer_signature
from earmark.types import Signature


def average_over_groups(aggregate: Aggregate) -> Aggregate:
    """Weight the counts of each item by one over the size of its group, so that metrics are means over groups."""
    counts = aggregate.counts
    _, group_index, sizes = np.unique(counts.groups, return_inverse=True, return_counts=True)
    columns = {name: column / sizes[group_index] for name, column in counts.columns.items()}
    weighted = JoinedCounts(columns, counts.groups, counts.items, counts.repeats)
    return Aggregate(WeightedMetrics(aggregate.scorer), weighted, aggregate.states)


class WeightedMetrics(DerivedMetrics, frozen=True):
    """Metrics of a scorer over weighted counts."""

    @property
    def signature(self) -> Signature:
        return add_over(scorer_signature(self.scorer), "mean", "groups")
