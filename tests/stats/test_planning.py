"""Planning: the smallest difference that a number of items finds, and the items for a width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from paired_counts import ACCURACY, MEAN, marks, pairs

from earmark.stats.compare import Difference, bonett_price, difference, mcnemar
from earmark.stats.estimate import Estimate
from earmark.stats.jackknife import wilson
from earmark.stats.planning import items_for, items_for_width, items_to_show, smallest_difference


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
        smallest_detectable=smallest_difference(50, 14 / 50),
        disagreement=14 / 50,
    )


def power(items: int, disagreement: float, true: float, tables: int = 3000) -> float:
    """How often McNemar's test finds a true difference, in simulated comparisons."""
    gains = (disagreement + true) / 2
    drawn = np.random.default_rng(8).multinomial(items, [gains, disagreement - gains, 1 - disagreement], tables)
    return float(np.mean([mcnemar(int(gained), int(lost)) <= 0.05 for gained, lost, _ in drawn]))


@pytest.mark.parametrize(("items", "disagreement"), [(50, 0.6), (100, 0.3), (300, 0.1), (300, 0.4), (2000, 0.1)])
def test_the_smallest_difference_is_found_four_times_of_five(items: int, disagreement: float) -> None:
    smallest = smallest_difference(items, disagreement)
    assert smallest is not None
    assert smallest < disagreement
    assert 0.78 < power(items, disagreement, smallest) < 0.87
    assert power(items, disagreement, 0.7 * smallest) < 0.65
    assert items_to_show(smallest, disagreement) == pytest.approx(items, abs=1)


def test_where_runs_hardly_disagree_all_must_go_one_way() -> None:
    smallest = smallest_difference(200, 0.0)
    assert smallest is not None
    assert smallest == smallest_difference(200, 0.02)
    assert power(200, smallest, smallest) > 0.8
    assert items_to_show(smallest, 0.0) == pytest.approx(200, abs=1)
    assert smallest_difference(5, 0.5) is None  # five items cannot give p < 0.05


def test_the_smallest_difference_by_group_is_found_four_times_of_five() -> None:
    """Marks of 60 users in two runs."""
    dice = np.random.default_rng(9)
    level = dice.random(60)
    told = difference((MEAN, MEAN), pairs(level, level + dice.normal(0, 0.3, 60))).smallest_detectable
    assert told is not None
    found = []
    for _ in range(300):
        gap = dice.normal(told, 0.3, 60)
        found.append(scipy.stats.ttest_1samp(gap, 0).pvalue < 0.05)
    assert 0.7 < np.mean(found) < 0.9


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
