"""Speed: length and pitch."""

from __future__ import annotations

import numpy as np
import pytest
from condition_sounds import NONE, RATE, make_condition, through, tone


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2.0])
def test_speed_changes_length_and_pitch(factor: float) -> None:
    (fast,) = through(make_condition("speed", str(factor), 0, NONE), tone(1000.0, 2.0))
    assert fast.rate == RATE
    assert fast.seconds == pytest.approx(2.0 / factor, abs=2 / RATE)
    spectrum = np.abs(np.fft.rfft(fast.samples[0] * np.hanning(fast.samples.shape[1])))
    assert np.argmax(spectrum) / fast.seconds == pytest.approx(1000 * factor, abs=1)
    assert f"{12 * np.log2(factor):+.1f} semitones" in fast.notes[-1]
