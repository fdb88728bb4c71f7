"""The gain over the best of several controls: laws, and simulated controls whose gains are known."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from earmark.stats.controls import Control, Joint, gain_over_best
from earmark.stats.quantiles import LEVEL, z_quantile

GROUPS = 60


def control(gains: npt.NDArray[np.float64]) -> Control:
    """A control from the gain of each group."""
    mean, n = float(gains.mean()), gains.size
    change = (gains - mean) / math.sqrt(n * (n - 1))
    error = math.sqrt(float(np.square(change).sum()))
    p = math.erfc(abs(mean) / error / math.sqrt(2))
    wide = z_quantile(LEVEL) * error
    return Control(mean, mean - wide, mean + wide, p, np.arange(n, dtype=np.uint64), change)


def drawn(dice: np.random.Generator, *truth: float, shared: float = 0.5) -> list[Control]:
    """Controls with known gains, which share some of what makes them waver."""
    common = dice.normal(0, shared, GROUPS)
    return [control(gain + common + dice.normal(0, 1 - shared, GROUPS)) for gain in truth]


def test_one_control_is_its_own() -> None:
    (only,) = drawn(np.random.default_rng(0), 0.3)
    assert gain_over_best([only], GROUPS) == Joint(*only[:4])


def test_the_same_control_twice_is_that_control() -> None:
    (only,) = drawn(np.random.default_rng(1), 0.3)
    twice = gain_over_best([only, only], GROUPS)
    assert (twice.low, twice.p) == pytest.approx((only.low, only.p))
    assert (twice.value, twice.high) == pytest.approx((only.value, only.high), abs=0.01)


def test_controls_come_in_any_order() -> None:
    controls = drawn(np.random.default_rng(2), 0.1, 0.2, 0.4)
    first, second = gain_over_best(controls, GROUPS), gain_over_best(controls[::-1], GROUPS)
    assert first == pytest.approx(second, abs=0.01)


def test_a_control_that_is_far_worse_changes_nothing() -> None:
    (only,) = drawn(np.random.default_rng(3), 0.3)
    far = control(np.random.default_rng(4).normal(50, 0.5, GROUPS))
    beside = gain_over_best([only, far], GROUPS)
    assert (beside.value, beside.low, beside.high) == pytest.approx((only.value, only.low, only.high), abs=0.01)


def test_it_lies_in_its_interval_which_is_no_narrower_below_than_any_control_has_it() -> None:
    dice = np.random.default_rng(5)
    for _ in range(50):
        controls = drawn(dice, *dice.uniform(-0.5, 0.5, 3))
        found = gain_over_best(controls, GROUPS)
        assert found.low <= found.value <= found.high
        assert found.low == min(each.low for each in controls)
        assert 0 <= found.p <= 1


@pytest.mark.parametrize("truth", [(0.0, 0.0, 0.0), (0.0, 0.1, 0.3), (0.2, 0.2, 2.0)])
def test_the_interval_holds_the_gain_gain_over_best_and_the_number_is_no_less_often_too_large(
    truth: tuple[float, ...],
) -> None:
    dice, held, below = np.random.default_rng(6), 0, 0
    for _ in range(300):
        found = gain_over_best(drawn(dice, *truth), GROUPS)
        held += found.low <= min(truth) <= found.high
        below += found.value < min(truth)
    assert held / 300 >= 0.92
    assert 0.3 <= below / 300 <= 0.6, "the least of several gains alone would be too small far more often than not"


def test_hearing_is_seldom_found_to_beat_controls_that_it_does_not_beat() -> None:
    dice, finds = np.random.default_rng(7), 0
    for _ in range(300):
        found = gain_over_best(drawn(dice, 0.0, 0.0, shared=0.2), GROUPS)
        finds += found.p < 0.05
    assert finds / 300 <= 0.08
