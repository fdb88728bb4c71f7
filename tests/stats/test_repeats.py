"""Repeats: hand examples, and the chances that they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earmark.stats.count_table import CountTable
from earmark.stats.jackknife import wilson
from earmark.stats.ratio import ratio
from earmark.stats.repeats import all_of, any_of, repeat_estimates, summarize_repeats
from earmark.types import Metric

ACCURACY = ratio("right", "n")


def asked(marks: list[list[int]], group: str = "") -> CountTable:
    """Items by repeats: what each answer was worth, and -1 where it was not asked."""
    bags = CountTable()
    for item, row in enumerate(marks):
        for repeat, mark in enumerate(row):
            if mark >= 0:
                bags.add({"right": float(mark), "n": 1.0}, group or f"item {item}", repeat, f"item {item}")
    return bags


def test_spread_by_hand() -> None:
    """2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, so sqrt(32 / 7) with n - 1, where n would give 2."""
    found = summarize_repeats([2, 4, 4, 4, 5, 5, 7, 9])
    assert found.mean == 5
    assert found.deviation == pytest.approx(math.sqrt(32 / 7))
    assert found.error == pytest.approx(math.sqrt(32 / 7) / math.sqrt(8))
    assert summarize_repeats([0.5]).deviation is None
    assert summarize_repeats([None, 0.5, 1.0, None]).repeats == 2
    assert summarize_repeats([None]).mean is None


def test_pass_by_hand() -> None:
    """Right 3 times of 4: two answers are both right in C(3,2) / C(4,2) = 3/6, and one of two is in 1 - 0/6."""
    right, four = np.array([3.0]), np.array([4.0])
    assert all_of(right, four, 1)[0] == any_of(right, four, 1)[0] == 0.75
    assert all_of(right, four, 2)[0] == 0.5
    assert any_of(right, four, 2)[0] == 1.0
    assert all_of(right, four, 4)[0] == 0.0
    assert np.isnan(all_of(right, four, 5)[0])
    assert np.isnan(any_of(right, four, 5)[0])


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_pass_is_the_quotient_of_binomials(k: int) -> None:
    n = 8
    right = np.arange(n + 1, dtype=float)
    many = np.full(n + 1, float(n))
    wanted = [math.comb(c, k) / math.comb(n, k) for c in range(n + 1)]
    assert all_of(right, many, k) == pytest.approx(wanted)
    assert any_of(right, many, k) == pytest.approx([1 - math.comb(n - c, k) / math.comb(n, k) for c in range(n + 1)])


def test_pass_is_without_bias() -> None:
    """Items right with a chance of 0.7: from 5 answers, 0.7³ of three answers are all right, and 1 - 0.3³ hold one."""
    right = np.random.default_rng(0).binomial(5, 0.7, 40_000).astype(float)
    five = np.full(right.size, 5.0)
    assert all_of(right, five, 3).mean() == pytest.approx(0.7**3, abs=0.006)
    assert any_of(right, five, 3).mean() == pytest.approx(1 - 0.3**3, abs=0.003)


def test_repeats_of_a_cell() -> None:
    found = repeat_estimates(ACCURACY, asked([[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]]))
    assert found is not None
    assert found.numbers == pytest.approx([0.75, 0.5, 0.5])
    assert found.summary.mean == pytest.approx(7 / 12)
    assert found.summary.deviation == pytest.approx(math.sqrt(1 / 48))
    assert found.all_right[1].value == pytest.approx(7 / 12)
    assert found.any_right[1].value == pytest.approx(7 / 12)
    assert found.all_right[2].value == pytest.approx((1 + 1 / 3 + 0 + 1 / 3) / 4)
    assert found.any_right[2].value == pytest.approx((1 + 1 + 0 + 1) / 4)
    assert found.all_right[3].value == 0.25
    assert found.any_right[3].value == 0.75
    # An item is right every time or is not: its share has Wilson's interval.
    assert (found.all_right[3].low, found.all_right[3].high) == wilson(1, 4)
    assert {k: known.n for k, known in found.all_right.items()} == {1: 4, 2: 4, 3: 4}


def test_items_that_were_asked_less_often_are_left_out_where_they_cannot_tell() -> None:
    found = repeat_estimates(ACCURACY, asked([[1, 1, 1], [1, -1, -1]]))
    assert found is not None
    assert found.numbers == [1.0, 1.0, 1.0]
    assert {k: known.n for k, known in found.all_right.items()} == {1: 2, 2: 1, 3: 1}


def test_items_of_one_speaker_are_one_group() -> None:
    found = repeat_estimates(ACCURACY, asked([[1, 1], [0, 1]], group="speaker"))
    assert found is not None
    assert found.all_right[2].value == 0.5
    assert found.all_right[2].why == "one group has no interval"


def test_nothing_is_told_of_what_was_asked_once_or_is_not_right_or_wrong() -> None:
    assert repeat_estimates(ACCURACY, asked([[1], [0]])) is None
    assert repeat_estimates(ACCURACY, CountTable()) is None
    mean = Metric(ACCURACY.value)
    found = repeat_estimates(mean, asked([[1, 0], [0, 0]]))
    assert found is not None
    assert found.numbers == [0.5, 0.0]
    assert found.all_right == {}
