"""Paired comparison: worked examples, a second implementation (scipy), and simulated power."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import scipy.stats
from paired_counts import ACCURACY, MEAN, marks, pairs

from earmark.stats.compare import PairedResampler, bonett_price, difference, mcnemar, swap_subgroup
from earmark.stats.difference import Pairs, holm
from earmark.stats.estimate import ALIKE

# ---------------------------------------------------------------- right or wrong


@pytest.mark.parametrize(
    ("gained", "lost"),
    [(0, 0), (1, 0), (3, 3), (4, 5), (0, 9), (12, 2), (30, 55), (480, 560), (7000, 7300), (60000, 59000)],
)
def test_mcnemar_is_scipys(gained: int, lost: int) -> None:
    theirs = scipy.stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == mcnemar(lost, gained) == pytest.approx(theirs, rel=1e-9)


def test_mcnemar_in_whole_numbers() -> None:
    """12 against 2, two media for sputum (Armitage and Berry 1994, page 127; StatsDirect gives 0.0129)."""
    assert mcnemar(12, 2) == pytest.approx(float(Fraction(2 * sum(comb(14, k) for k in range(3)), 2**14)), rel=1e-12)
    assert mcnemar(12, 2) == pytest.approx(0.0129, abs=5e-5)


def test_bonett_price_by_hand() -> None:
    """1 against 7 of 21, airways before and after a transplant (Bentur 2009 in Fagerland, Lydersen and Laake 2014).

    2/23 - 8/23 = -0.2609, and its error is sqrt((10/23 - 0.2609²) / 23) = 0.1263.
    """
    assert bonett_price(1, 7, 21) == pytest.approx((-0.2609 - 1.96 * 0.1263, -0.2609 + 1.96 * 0.1263), abs=2e-4)
    assert bonett_price(0, 0, 5)[0] == -bonett_price(0, 0, 5)[1]
    assert bonett_price(5, 0, 5)[1] == 1.0


def test_equal_runs_have_a_width_and_no_small_p() -> None:
    found = difference((ACCURACY, ACCURACY), marks(0, 0, 5, 5))
    assert (found.value, found.p) == (0.0, 1.0)
    assert found.low is not None
    assert found.low < -0.1
    nothing = difference((ACCURACY, ACCURACY), marks(0, 0))
    assert (nothing.value, nothing.why) == (None, "no item is in both")
    undefined = difference((ACCURACY, ACCURACY), pairs(np.zeros(2), np.zeros(2), n=np.zeros(2)))
    assert (undefined.value, undefined.p, undefined.why) == (None, None, "not defined for these counts")


# ---------------------------------------------------------------- by group


def test_permutation_of_few_groups_is_scipys() -> None:
    dice = np.random.default_rng(0)
    first = dice.random(10)
    second = first + dice.normal(0.1, 0.2, 10)
    found = difference((MEAN, MEAN), pairs(first, second))
    theirs = scipy.stats.permutation_test(
        (second, first), lambda x, y, axis: (x - y).mean(axis), permutation_type="samples", n_resamples=np.inf
    )
    assert found.test == "exact permutation"
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.n == found.groups == 10


def test_permutation_of_many_groups_is_scipys() -> None:
    """A ratio of sums over 40 speakers."""
    dice = np.random.default_rng(1)
    words = dice.integers(20, 200, 40).astype(float)
    first = dice.poisson(words * 0.12).astype(float)
    second = dice.poisson(words * 0.105).astype(float)
    found = difference((MEAN, MEAN), pairs(first, second, n=words))
    theirs = scipy.stats.permutation_test(
        (second, first),
        lambda x, y, axis: (x - y).sum(axis) / words.sum(),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(2),
    )
    assert found.test == "permutation"
    assert found.p is not None
    error = np.sqrt(found.p * (1 - found.p) * (1 / 16_384 + 1 / 20_000))
    assert found.p == pytest.approx(theirs.pvalue, abs=4 * error)


def test_the_paired_bootstrap_is_scipys() -> None:
    dice = np.random.default_rng(3)
    first = dice.random(200)
    second = np.clip(first + dice.normal(0.02, 0.1, 200), 0, 1)
    found = difference((MEAN, MEAN), pairs(first, second))
    theirs = scipy.stats.bootstrap(
        (first, second),
        lambda x, y, axis: (y - x).mean(axis),
        paired=True,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(4),
    )
    low, high = theirs.confidence_interval
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.06 * (high - low))
    assert found.method == "jackknife of 200 groups"
    assert found.standard_error == pytest.approx(theirs.standard_error, rel=0.1)


def test_both_runs_lose_the_same_groups() -> None:
    """A run that makes one more error in every ten words is that much worse without any group: nothing tells a spread."""
    dice = np.random.default_rng(5)
    words = dice.integers(1, 20, 60).astype(float) * 10
    errors = dice.poisson(words * 0.2).astype(float)
    found = difference((MEAN, MEAN), pairs(errors, errors + 0.1 * words, n=words))
    assert found.value == pytest.approx(0.1)
    assert (found.low, found.high, found.why) == (None, None, ALIKE)
    nearly = difference((MEAN, MEAN), pairs(errors, errors + 0.1 * words + dice.integers(0, 2, 60), n=words))
    assert nearly.low is not None
    assert nearly.high is not None
    assert 0.1 < nearly.low < nearly.high < 0.11


def test_answers_to_one_question_go_together() -> None:
    """The same twenty answers five times over tell no more than once."""
    first = np.array([1.0] * 6 + [0.0] * 14)
    second = np.array([1.0] * 12 + [0.0] * 8)
    once = difference((ACCURACY, ACCURACY), pairs(first, second))
    often = difference((ACCURACY, ACCURACY), pairs(np.tile(first, 5), np.tile(second, 5), np.tile(np.arange(20.0), 5)))
    assert often.test == "exact permutation"
    assert often.p == pytest.approx(once.p) == 2 / 2**6
    assert (often.n, often.groups) == (100, 20)
    assert often.method == "Bonett-Price over 20 groups"


def test_runs_that_are_alike_by_group() -> None:
    found = difference((MEAN, MEAN), pairs(np.full(8, 0.5), np.full(8, 0.5)))
    assert (found.value, found.p, found.test, found.standard_error) == (0.0, 1.0, "no group differs", None)
    assert (found.low, found.high, found.why) == (None, None, ALIKE)
    alone = difference((MEAN, MEAN), pairs(np.array([0.5]), np.array([0.7])))
    assert (alone.low, alone.p, alone.why) == (None, None, "one group has no interval")


def test_runs_may_count_different_things() -> None:
    """A count that one run never had is 0 there."""
    found = difference(
        (MEAN, MEAN),
        Pairs({"n": np.ones(4)}, {"n": np.ones(4), "right": np.array([0.5, 0, 0.5, 1])}, np.arange(4, dtype=np.uint64)),
    )
    assert (found.baseline, found.candidate) == (0.0, 0.5)
    assert found.p == pytest.approx(2 / 2**3)  # the three groups that differ do so one way


def test_permutation_is_right_about_chance() -> None:
    """Where runs are alike, 5 of 100 p-values are below 0.05."""
    dice = np.random.default_rng(6)
    below = 0
    for _ in range(400):
        level = dice.random(25)
        first, second = (level + dice.normal(0, 0.2, 25) for _ in range(2))
        found = difference((MEAN, MEAN), pairs(first, second))
        assert found.p is not None
        below += found.p < 0.05
    assert 0.03 < below / 400 < 0.07


def test_ways_of_swapping_form_a_group_and_are_alike() -> None:
    """Not to swap is the first; two ways after each other are a third; each group moves in half of them."""
    moved = swap_subgroup(np.diag(2.0 ** np.arange(20)), np.random.default_rng(0)).sum(axis=1).astype(int)
    assert moved[0] == 0
    ways = set(moved.tolist())
    assert {one ^ other for one in moved[:40].tolist() for other in moved[-40:].tolist()} <= ways
    bits = moved[:, None] >> np.arange(20) & 1
    assert set(bits.mean(axis=0).tolist()) <= {0.0, 0.5}


def test_many_groups_are_right_about_chance() -> None:
    """Of p-values over 1,000 groups of a long tail, where runs are alike, 5 of 100 are below 0.05, and 1 below 0.01."""
    dice = np.random.default_rng(8)
    values = []
    for seed in range(300):
        first, second = (dice.pareto(3.0, 1000) for _ in range(2))
        p, test = PairedResampler((MEAN, MEAN), pairs(first, second, n=np.ones(1000)), seed).permutation_test()
        assert test == "permutation"
        values.append(p)
    assert 0.02 < np.mean(np.array(values) < 0.05) < 0.085
    assert np.mean(np.array(values) < 0.01) < 0.035
    assert scipy.stats.kstest(values, "uniform").pvalue > 0.001


# ---------------------------------------------------------------- many comparisons


def test_holm_by_hand() -> None:
    """The smallest of four times 4, the next times 3, and none below the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([None, 0.02, None]) == [None, 0.02, None]
    assert holm([]) == []


def test_holm_keeps_the_chance_of_any_false_find() -> None:
    """Twelve comparisons without a difference: some is below 0.05 in 5 of 100 tables, not in 46."""
    dice = np.random.default_rng(7)
    tables = dice.random((4000, 12))
    found = np.mean([min(value for value in holm([*row]) if value is not None) < 0.05 for row in tables])
    assert found == pytest.approx(0.05, abs=0.011)
