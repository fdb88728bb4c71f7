"""Laws of every interval: over all metrics of all scorers, by task, as a mean over tasks and over groups, and of
differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from every_metric import Only, every_metric

from earmark.journal import Record
from earmark.report.aggregates import Aggregate, Aggregates
from earmark.report.averages import combine
from earmark.report.groups import average_over_groups
from earmark.stats.compare import difference
from earmark.stats.count_table import CountTable
from earmark.stats.difference import Difference, Pairs
from earmark.stats.estimate import Estimate, estimate
from earmark.types import Average, Item, Score

MIXED = (1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0)  # which of the items are as good as can be; the others are as bad
ALIKE = (1,) * 12


def cells(scorer: Only, item: Item, good: Sequence[int], repeats: int, size: int, task: str = "t") -> Aggregate:
    """A cell of twelve items in groups of some size, each reply the same in every repeat."""
    gathered, bounds = Aggregates(), scorer.bounds(item)
    for repeat in range(repeats):
        for at, best in enumerate(good):
            asked = Item(f"i{at}", task, targets=item.targets, group=f"{task} {at // size}")
            gathered.add(Record(asked, repeat=repeat), scorer, Score(dict(bounds[best]), "x"))
    return next(iter(gathered.by_row.values()))


def every_way(scorer: Only, item: Item, good: Sequence[int], repeats: int, size: int) -> list[Estimate | Difference]:
    """The metric of one task, as means over two tasks and over groups, and its difference to another run."""
    cell, other = (cells(scorer, item, good, repeats, size, task) for task in ("t", "u"))
    found: list[Estimate | Difference] = []
    for each in (cell, combine(Average(("t", "u")), {"t": cell, "u": other}), average_over_groups(cell)):
        metric, bags = each.scorer.metrics[scorer.metric], each.counts
        found.append(estimate(metric, bags.columns, bags.groups, bags.items))
    turned = cells(scorer, item, (*good[3:], *good[:3]), repeats, size)
    assert isinstance(cell.counts, CountTable)
    pairs = Pairs(cell.counts.columns, turned.counts.columns, cell.counts.groups, cell.counts.items)
    metric = scorer.metrics[scorer.metric]
    return [*found, difference((metric, metric), pairs)]


@pytest.mark.parametrize(("scorer", "item"), every_metric())
def test_identical_repeats_leave_the_interval_as_it_is(scorer: Only, item: Item) -> None:
    for size in (1, 4):
        once = every_way(scorer, item, MIXED, 1, size)
        for repeats in (2, 3):
            for before, after in zip(once, every_way(scorer, item, MIXED, repeats, size), strict=True):
                told = [np.nan if bound is None else bound for bound in (before.low, before.high)]
                assert [np.nan if bound is None else bound for bound in (after.low, after.high)] == pytest.approx(
                    told, rel=1e-9, abs=1e-12, nan_ok=True
                )


@pytest.mark.parametrize(("scorer", "item"), every_metric())
def test_no_interval_has_no_width(scorer: Only, item: Item) -> None:
    for size in (1, 4):
        for repeats in (1, 3):
            for good in (MIXED, ALIKE, (0,) * 12):
                for found in every_way(scorer, item, good, repeats, size):
                    assert (found.low is None) == (found.high is None)
                    if found.low is None or found.high is None:
                        assert found.why
                    else:
                        assert found.high - found.low > 1e-6
                        assert found.value is not None
                        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
