"""Kappa: its laws, examples worked by hand, and agreement with scikit-learn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from earmark.stats.agreement import Weights, agreement_counts, agreement_metrics, kappa
from earmark.stats.count_table import CountTable
from earmark.stats.estimate import estimates

CATEGORIES = ("1", "2", "3")
RATED = st.lists(st.tuples(st.sampled_from(CATEGORIES), st.sampled_from(CATEGORIES)), min_size=2, max_size=40)


def summed(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for first, second in pairs:
        total.update(agreement_counts(first, second))
    return {name: float(count) for name, count in total.items()}


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
@given(pairs=RATED)
def test_kappa_is_scikit_learns(weights: Weights, pairs: list[tuple[str, str]]) -> None:
    ours = float(kappa(summed(pairs), CATEGORIES, weights))
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        assert math.isnan(ours)
        return
    theirs = cohen_kappa_score(first, second, labels=CATEGORIES, weights=None if weights == "nominal" else weights)
    assert ours == pytest.approx(theirs, abs=1e-9)


@given(RATED)
def test_full_agreement_is_one_and_order_does_not_matter(pairs: list[tuple[str, str]]) -> None:
    same = [(first, first) for first, _ in pairs]
    if len(set(same)) > 1:
        assert float(kappa(summed(same), CATEGORIES, "linear")) == pytest.approx(1.0)
    turned = float(kappa(summed([(b, a) for a, b in pairs]), CATEGORIES))
    assert turned == pytest.approx(float(kappa(summed(pairs), CATEGORIES)), nan_ok=True)


def test_linear_and_quadratic_by_hand() -> None:
    """Three cases: 1 and 1, 2 and 3, 3 and 1. Observed 0 + 1 + 2 = 3 of 3 cases; expected, over the nine pairs of the
    two raters' own ratings (1, 2, 3) and (1, 3, 1): 0+2+0 + 1+1+1 + 2+0+2 = 9 of 9. So 1 - (3/3)/(9/9) = 0.
    """
    pairs = [("1", "1"), ("2", "3"), ("3", "1")]
    assert float(kappa(summed(pairs), CATEGORIES, "linear")) == pytest.approx(0.0)
    # squared: observed 0 + 1 + 4 = 5 of 3; expected 0+4+0 + 1+1+1 + 4+0+4 = 15 of 9
    assert float(kappa(summed(pairs), CATEGORIES, "quadratic")) == pytest.approx(1 - (5 / 3) / (15 / 9))


def test_arrays_of_counts_give_arrays_and_intervals_hold_the_value() -> None:
    dice = np.random.default_rng(0)
    bags = CountTable()
    for at in range(120):
        first = str(dice.integers(1, 4))
        second = first if dice.random() < 0.7 else str(dice.integers(1, 4))
        bags.add(agreement_counts(first, second), group=str(at // 3))
    found = estimates(agreement_metrics(CATEGORIES, ("nominal", "linear", "quadratic")), bags.columns, bags.groups)
    assert list(found) == ["agreement", "kappa", "kappa_linear", "kappa_quadratic"]
    for estimate in found.values():
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high
        assert estimate.groups == 40
