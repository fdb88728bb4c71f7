"""Planning: the items that find a difference, and the items for a width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from paired_counts import ACCURACY, MEAN, marks, pairs

from earmark.stats.compare import bonett_price, difference, mcnemar
from earmark.stats.difference import Difference
from earmark.stats.estimate import Estimate
from earmark.stats.jackknife import wilson
from earmark.stats.planning import items_for, items_for_width, items_to_find, items_to_show


def test_items_that_are_right_or_wrong() -> None:
    found = difference((ACCURACY, ACCURACY), marks(12, 2, 20, 16))
    assert found == Difference(
        22 / 50,
        32 / 50,
        32 / 50 - 22 / 50,
        *bonett_price(12, 2, 50),
        n=50,
        groups=50,
        method="Bonett-Price",
        p=mcnemar(12, 2),
        test="exact McNemar",
        disagreement=14 / 50,
    )


def power(items: int, disagreement: float, true: float, tables: int = 3000) -> float:
    """How often McNemar's test finds a true difference, in simulated comparisons."""
    gains = (disagreement + true) / 2
    drawn = np.random.default_rng(8).multinomial(items, [gains, disagreement - gains, 1 - disagreement], tables)
    return float(np.mean([mcnemar(int(gained), int(lost)) <= 0.05 for gained, lost, _ in drawn]))


@pytest.mark.parametrize(("true", "disagreement"), [(0.25, 0.6), (0.15, 0.3), (0.05, 0.1), (0.1, 0.4), (0.02, 0.1)])
def test_so_many_items_find_a_difference_four_times_of_five(true: float, disagreement: float) -> None:
    items = items_to_show(true, disagreement)
    assert 0.78 < power(items, disagreement, true) < 0.87
    assert power(items, disagreement, 0.7 * true) < 0.65


def test_where_runs_hardly_disagree_all_must_go_one_way() -> None:
    items = items_to_show(0.05, 0.0)
    assert items == items_to_show(0.05, 0.02)
    assert power(items, 0.05, 0.05) > 0.8


def test_so_many_groups_find_a_difference_four_times_of_five() -> None:
    """Marks of users in two runs: 60 tell how many find a difference."""
    dice = np.random.default_rng(9)
    level = dice.random(60)
    needed = items_to_find(difference((MEAN, MEAN), pairs(level, level + dice.normal(0, 0.3, 60))), 0.1)
    assert needed is not None
    found = [scipy.stats.ttest_1samp(dice.normal(0.1, 0.3, needed), 0).pvalue < 0.05 for _ in range(300)]
    assert 0.7 < np.mean(found) < 0.9
    assert items_to_find(Difference(0.5, 0.5, n=8), 0.1) is None


def test_items_for_a_width() -> None:
    for share in (0.5, 0.8, 0.95):
        for width in (0.02, 0.05, 0.1, 0.3):
            n = items_for_width(width, share)
            low, high = wilson(share * n, n)
            assert high - low <= width + 1e-9
            low, high = wilson(share * (n - 1), n - 1)
            assert high - low > width
    assert items_for(Estimate(0.5, 0.4, 0.6, n=100), 0.1) == 400
    assert items_for(Estimate(0.5), 0.1) is None


def test_the_page_has_these_numbers() -> None:
    """The tables of docs/error-bars.md are made by the code."""
    page = (Path(__file__).parents[2] / "docs" / "error-bars.md").read_text(encoding="utf-8")
    for width in (0.2, 0.1, 0.06, 0.04, 0.02):
        needed = [items_for_width(width, share) for share in (0.5, 0.8, 0.9, 0.95)]
        assert f"\n| {width} | {' | '.join(map(str, needed))} |\n" in page
    for true in (0.1, 0.05, 0.03, 0.02, 0.01):
        needed = [items_to_show(true, disagreement) for disagreement in (0.1, 0.2, 0.3, 0.4)]
        assert f"\n| {true} | {' | '.join(map(str, needed))} |\n" in page
