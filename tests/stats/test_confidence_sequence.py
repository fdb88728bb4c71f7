"""Confidence sequences contain the truth at every look together, for any share; effective numbers are Wilson's."""

from __future__ import annotations

import numpy as np
import pytest

from earmark.stats.confidence_sequence import effective_number, share_sequence
from earmark.stats.jackknife import wilson


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_every_look_together_holds(share: float) -> None:
    rng = np.random.default_rng(1)
    looks = [int(10 * 1.2**k) for k in range(22)]
    missed = 0
    for _ in range(200):
        right = np.cumsum(rng.random(looks[-1]) < share)
        bounds = [share_sequence(float(right[n - 1]), n, 0.05) for n in looks]
        missed += any(not low <= share <= high for low, high in bounds)
    assert missed <= 18  # of 10 expected at most, by P(X > 18) < 0.01


@pytest.mark.parametrize(("right", "n"), [(0, 10), (10, 10), (3, 17), (450, 500)])
def test_the_effective_number_is_that_of_wilson(right: int, n: int) -> None:
    low, high = wilson(right, n)
    assert effective_number(right / n, (high - low) / 2) == pytest.approx(n)
