"""Reverberation: the answer of a room to a click, as noise that dies away, and sound heard in that room.

    h(t) = noise(t) 10^(-3 t / T60)

loses 60 dB in T60 seconds. No real room is that even; what matters here is how much of it there is.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from earmark.audio.random import white_noise
from earmark.types import Hertz, Seconds

Floats: TypeAlias = npt.NDArray[np.float64]


def reverb_tail(decay: Seconds, rate: Hertz, rng: np.random.RandomState) -> Floats:
    """The reverberation that follows a click, of power 1 in all; `decay` is T60."""
    time = np.arange(max(1, round(decay * rate))) / rate
    dying = white_noise(rng, time.size) * 10.0 ** (-3.0 * time / decay)
    return np.asarray(dying / np.sqrt(np.sum(dying**2)))


def convolve(sound: Floats, answer: Floats) -> Floats:
    """The sound as the room answers it, cut to the length of the sound.

    >>> convolve(np.array([1.0, 0.0, 2.0]), np.array([1.0, 0.5])).round(6).tolist()
    [1.0, 0.5, 2.0]
    """
    size = 1 << (sound.size + answer.size - 1).bit_length()
    both = np.fft.rfft(sound, size) * np.fft.rfft(answer, size)
    return np.asarray(np.fft.irfft(both, size)[: sound.size])
