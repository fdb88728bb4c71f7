"""Sound that is computed: the same recipe gives the same samples anywhere.

A maker is a function of this file whose arguments are a recipe's settings: levels in decibels relative to a full-scale
sine, durations in seconds, frequencies in hertz. Everything is made at 16 kHz, mono.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from earmark.data.clips import source
from earmark.errors import SoundFailed
from earmark.types import Hertz, Recipe, Samples, Seconds, Wave

RATE: Final[Hertz] = 16000
RAMP: Final[Seconds] = 0.01  # raised-cosine onset and offset, so that an edge does not click


def make(recipe: Recipe) -> Wave:
    """The sound of a recipe.

    >>> make(Recipe("tone", {"frequency": 440, "seconds": 0.5, "level": -20})).seconds
    0.5
    """
    if recipe.maker not in MAKERS:
        raise SoundFailed(
            f"{recipe.name or recipe.maker}: no maker is called '{recipe.maker}'; there are: {', '.join(MAKERS)}"
        )
    samples = MAKERS[recipe.maker](**recipe.settings)
    return Wave(samples, RATE, recipe.name or recipe.maker, recipe.words, source(recipe))


def silence(seconds: Seconds) -> Samples:
    """Nothing at all, as zeros."""
    return np.zeros((1, round(seconds * RATE)), np.float32)


def tone(frequency: float, seconds: Seconds, level: float) -> Samples:
    """A sine with smooth edges."""
    time = np.arange(round(seconds * RATE)) / RATE
    sine = 10 ** (level / 20) * np.sin(2 * np.pi * frequency * time)
    return (sine * _edges(time.size))[None].astype(np.float32)


def _edges(frames: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    ramp = min(round(RAMP * RATE), frames // 2)
    edges = np.ones(frames)
    edges[:ramp] = (1 - np.cos(np.pi * (np.arange(ramp) + 0.5) / ramp)) / 2
    edges[frames - ramp :] = edges[:ramp][::-1]
    return edges


MAKERS: Final[dict[str, Callable[..., Samples]]] = {"silence": silence, "tone": tone}
