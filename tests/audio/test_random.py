"""Random numbers from words, and noise of power one."""

from __future__ import annotations

import numpy as np
import pytest

from earmark.audio.random import seeded_rng, white_noise


def test_noise_is_flat_and_of_power_one() -> None:
    noise = white_noise(seeded_rng("flat"), 1 << 16)
    assert np.mean(noise**2) == pytest.approx(1.0, abs=0.02)
    assert abs(np.mean(noise)) < 0.02
    power = np.abs(np.fft.rfft(noise)) ** 2
    bands = [float(np.mean(part)) for part in np.array_split(power[1:], 8)]
    assert max(bands) / min(bands) < 1.1


def test_dice_are_those_of_their_words() -> None:
    throws = [
        seeded_rng("a", 1).randint(1 << 30),
        seeded_rng("a", 1).randint(1 << 30),
        seeded_rng("a", 2).randint(1 << 30),
    ]
    assert throws[0] == throws[1] != throws[2]
    assert int(seeded_rng("a", 1).randint(1 << 30)) == 10937402
