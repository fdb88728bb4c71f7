"""Rooms: their decay, and convolution by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from sounds import decibels

from earmark.audio.random import seeded_rng
from earmark.audio.room import convolve, reverb_tail
from earmark.audio.synth import RATE


def test_a_room_loses_sixty_decibels_in_its_time() -> None:
    answer = reverb_tail(0.5, RATE, seeded_rng("x"))
    assert np.sum(answer**2) == pytest.approx(1.0)
    early, late = np.mean(answer[:800] ** 2), np.mean(answer[4000:4800] ** 2)
    assert decibels(float(late / early)) == pytest.approx(-30, abs=1.5)


def test_convolving_is_what_it_says() -> None:
    rng = np.random.default_rng(0)
    sound, answer = rng.normal(size=300), rng.normal(size=70)
    assert np.allclose(convolve(sound, answer), np.convolve(sound, answer)[:300])
