"""Dice and noise that every machine throws alike."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt


def seeded_rng(*names: object) -> np.random.RandomState:
    """Dice named by words: the same words, the same throws. RandomState, because numpy has frozen its stream for good.

    >>> int(seeded_rng("noise", 0).randint(1000)) == int(seeded_rng("noise", 0).randint(1000))
    True
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.RandomState(np.frombuffer(digest, "<u4"))


def white_noise(rng: np.random.RandomState, frames: int) -> npt.NDArray[np.float64]:
    """White noise of power 1, the sum of four even throws a sample.

    That is close to the normal distribution, and free of logarithms, whose last bit differs between machines.
    """
    sums = rng.random_sample((4, frames))
    return np.asarray((sums[0] + sums[1] + sums[2] + sums[3] - 2.0) * np.sqrt(3.0))
