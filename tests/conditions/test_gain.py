"""Gain, in decibels."""

from __future__ import annotations

import numpy as np
import pytest
from condition_sounds import NONE, make_condition, through, tone
from sounds import decibels


@pytest.mark.parametrize("change", [-40.0, -6.0, 0.0, 6.0])
def test_gain_is_in_decibels(change: float) -> None:
    (turned,) = through(make_condition("gain", str(change), 0, NONE), tone(440))
    ratio = np.mean(turned.samples**2) / np.mean(tone(440).samples ** 2)
    assert decibels(float(ratio)) == pytest.approx(change, abs=0.001)
