"""Scores against guessing: scipy's binomial tail, and no p-value where there is no share of which more is better."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from earmark.stats.count_table import hash64
from earmark.stats.guessing import above_guessing
from earmark.stats.ratio import ratio
from earmark.types import Metric

ACCURACY = ratio("right", "n")


def p(marks: list[float], guess: float, groups: list[str] | None = None, metric: Metric = ACCURACY) -> float | None:
    names = np.array([hash64(name) for name in groups or map(str, range(len(marks)))], np.uint64)
    items = np.array([hash64(str(at)) for at in range(len(marks))], np.uint64)
    return above_guessing(metric, {"right": np.array(marks), "n": np.ones(len(marks))}, names, items, guess)


@pytest.mark.parametrize("right", [0, 5, 8, 13, 20])
@pytest.mark.parametrize("guess", [0.25, 0.5])
def test_it_is_the_tail_of_a_binomial(right: int, guess: float) -> None:
    found = p([1.0] * right + [0.0] * (20 - right), guess)
    assert found == pytest.approx(binom.sf(right - 1, 20, guess))


def test_more_right_is_never_less_clear_and_easier_guesses_are_never_clearer() -> None:
    by_right = [p([1.0] * right + [0.0] * (30 - right), 0.25) for right in range(31)]
    by_guess = [p([1.0] * 20 + [0.0] * 10, guess) for guess in (0.1, 0.25, 0.5, 0.75)]
    assert None not in by_right + by_guess
    assert by_right == sorted(by_right, reverse=True)  # type: ignore[type-var] # none is None
    assert by_guess == sorted(by_guess)  # type: ignore[type-var]


def test_items_of_one_group_tell_less_than_as_many_of_their_own() -> None:
    marks = [1.0] * 24 + [0.0] * 8
    alone, grouped = p(marks, 0.5), p(marks, 0.5, [str(at // 4) for at in range(32)])
    assert alone is not None
    assert grouped is not None
    assert grouped > alone


def test_what_is_no_share_of_which_more_is_better_has_no_p() -> None:
    assert p([], 0.5) is None
    assert p([1.0, 0.0], 0.5, metric=Metric(ACCURACY.value, "lower", ACCURACY.share)) is None
    assert p([1.0, 0.0], 0.5, metric=Metric(ACCURACY.value)) is None
