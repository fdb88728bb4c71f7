"""Telephone: its band and its codes."""

from __future__ import annotations

import numpy as np
import pytest
from condition_sounds import NONE, level, make_condition, speech_like, through, tone
from sounds import sine


def test_a_telephone_passes_its_band_and_nothing_else() -> None:
    levels = {}
    for frequency in (100, 200, 500, 1000, 2000, 3000, 3600, 5000):
        (called,) = through(make_condition("telephone", "", 0, NONE), tone(frequency, rate=44100))
        assert called.rate == 8000
        assert called.seconds == pytest.approx(1.0)
        heard = frequency if frequency < 4000 else 8000 - frequency
        levels[frequency] = level(called.samples[0, 800:-800], heard, 8000) - level(
            sine(frequency, 1.0, 44100, 0.3)[4410:-4410], frequency, 44100
        )
    gain_of_rates = levels[1000]
    for frequency in (500, 2000, 3000):
        assert levels[frequency] == pytest.approx(gain_of_rates, abs=0.5)
    for frequency in (100, 200, 3600, 5000):
        assert levels[frequency] < gain_of_rates - 40


def test_a_telephone_speaks_in_the_codes_of_mu_law() -> None:
    (called,) = through(make_condition("telephone", "", 0, NONE), speech_like())
    assert len(np.unique(called.samples)) <= 256
