"""Reverberation: its decay and its level."""

from __future__ import annotations

import numpy as np
import pytest
from condition_sounds import NONE, RATE, make_condition, through
from sounds import decibels, sine

from earmark.audio import read


def test_reverb_rings_on_and_keeps_the_level() -> None:
    click = np.zeros(2 * RATE)
    click[1600:1760] = sine(1000.0, 0.01)
    dry = read.from_array(click, RATE)
    (wet,) = through(make_condition("reverb", "0.5", 3, NONE), dry)
    ringing = wet.samples[0, 1760:].astype(np.float64)
    early, late = np.mean(ringing[:1600] ** 2), np.mean(ringing[4000:5600] ** 2)
    assert decibels(float(late / early)) == pytest.approx(-30, abs=3)
    assert np.mean(wet.samples**2) == pytest.approx(np.mean(dry.samples**2), rel=0.01)
    direct = wet.samples[0, 1600:1760]
    assert np.corrcoef(direct, click[1600:1760])[0, 1] > 0.9
    silent = through(make_condition("reverb", "0.5", 3, NONE), read.from_array(np.zeros(100), RATE))[0]
    assert not silent.samples.any()
