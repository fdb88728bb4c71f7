"""One-sided test of a score against guessing.

The p-value is the probability that guessing gets as many items right, or more, by a binomial distribution over the
effective number of items. Where items have different guess rates, their mean makes the test conservative (Hoeffding
1956).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from earmark.stats.count_table import Floats, Names
from earmark.stats.estimate import effective_sample, group_counts
from earmark.stats.quantiles import binomial_tail
from earmark.types import Metric


def above_guessing(
    metric: Metric, columns: Mapping[str, Floats], groups: Names, items: Names, guess: float
) -> float | None:
    """P-value of a share against guessing; None where the metric is no share, or lower is better."""
    if metric.better != "higher" or not groups.size:
        return None
    answers = group_counts(columns, groups, items)
    things, share = effective_sample(metric, answers), answers.read(metric.value)
    if things is None or share is None:
        return None
    right, number = round(share * things.n, 6), round(things.n, 6)
    return binomial_tail(math.floor(right), math.ceil(number), guess)
