"""Reverberation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import fftconvolve
from sounds import decibels

from earmark.audio.random import seeded_rng
from earmark.audio.room import convolve, reverb_tail
from earmark.audio.synth import RATE


@pytest.mark.parametrize("decay", [0.2, 0.6, 1.5])
def test_the_tail_has_power_one_and_loses_60_decibels_in_its_decay(decay: float) -> None:
    tail = reverb_tail(decay, 16000, seeded_rng("room", 1))
    assert tail.size == round(decay * 16000)
    assert np.sum(tail**2) == pytest.approx(1.0)
    tenth = tail.size // 10
    first, last = np.mean(tail[:tenth] ** 2), np.mean(tail[-tenth:] ** 2)
    assert 10 * np.log10(first / last) == pytest.approx(60 * 0.9, abs=1.5)


def test_convolving_is_what_scipy_does_cut_to_the_sound() -> None:
    rng = np.random.default_rng(2)
    sound, answer = rng.normal(size=1000), rng.normal(size=300)
    assert np.allclose(convolve(sound, answer), fftconvolve(sound, answer)[:1000])


def test_a_room_loses_sixty_decibels_in_its_time() -> None:
    answer = reverb_tail(0.5, RATE, seeded_rng("x"))
    assert np.sum(answer**2) == pytest.approx(1.0)
    early, late = np.mean(answer[:800] ** 2), np.mean(answer[4000:4800] ** 2)
    assert decibels(float(late / early)) == pytest.approx(-30, abs=1.5)


def test_convolving_is_what_it_says() -> None:
    rng = np.random.default_rng(0)
    sound, answer = rng.normal(size=300), rng.normal(size=70)
    assert np.allclose(convolve(sound, answer), np.convolve(sound, answer)[:300])
