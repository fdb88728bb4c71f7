"""Quotients of counts: numbers and arrays alike, and no number where nothing was counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.stats.ratio import divide, mean, ratio

COUNTS = st.integers(0, 1000).map(float)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=20))
def test_arrays_are_divided_as_their_numbers_are(pairs: list[tuple[float, float]]) -> None:
    tops, bottoms = (np.array(side) for side in zip(*pairs, strict=True))
    expected = [float(divide(top, bottom)) for top, bottom in pairs]
    assert np.array_equal(divide(tops, bottoms), expected, equal_nan=True)


@pytest.mark.parametrize(("top", "value"), [(0.0, math.nan), (3.0, math.inf), (-3.0, -math.inf)])
def test_nothing_counted_is_no_number_and_no_warning(top: float, value: float) -> None:
    assert divide(top, 0.0) == pytest.approx(value, nan_ok=True)


def test_a_metric_reads_the_two_counts_of_its_share() -> None:
    metric = ratio("right", "n")
    assert metric.share == ("right", "n")
    assert metric.better == "higher"
    assert metric.value({"right": 3.0, "n": 4.0, "other": 9.0}) == 0.75
    assert metric.value({"n": 4.0}) == 0.0, "a count that nobody entered is nothing"
    assert math.isnan(float(metric.value({})))


def test_a_mean_is_no_share_and_may_be_better_where_it_is_lower() -> None:
    metric = mean("errors", "length", (0, math.inf), "lower")
    assert metric.value({"errors": 6.0, "length": 4.0}) == 1.5
    assert (metric.better, metric.share, metric.limits) == ("lower", None, (0, math.inf))
    assert ratio("wrong", "n", "lower").better == "lower"
