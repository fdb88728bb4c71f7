"""Noise: white noise is added to every sound, at a given ratio of signal to noise in decibels (noise:10, noise:0, noise:-10).

    ratio = 10 log10(mean square of the sound / mean square of the noise)

over the whole clip. The sum is scaled down, sound and noise alike, where it would go beyond full scale. The noise
depends on the seed, the item and the place of the clip in it, and on nothing else.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from earmark.audio.read import wave
from earmark.conditions._sounds import dice, each_sound
from earmark.errors import UsageError
from earmark.types import Benchmark, Heard, Item, Part, Prompt, Samples, replace


class Noise(Struct, frozen=True):
    """The condition."""

    ratio: float  # in decibels
    seed: int

    @property
    def name(self) -> str:
        return f"noise:{self.ratio:g}"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:
        def noisy(heard: Heard, number: int) -> Part:
            clean = wave(heard)
            noise = dice(self.seed, item, number).standard_normal(clean.samples.shape)
            note = f"white noise added at {self.ratio:g} dB"
            return replace(clean, samples=mix(clean.samples, noise, self.ratio), notes=(*clean.notes, note))

        return each_sound(prompt, noisy)


def mix(sound: Samples, noise: np.ndarray[tuple[int, ...], np.dtype[np.float64]], ratio: float) -> Samples:
    """Sound and noise at a ratio in decibels, shape as the sound's; silence stays silent.

    >>> mixed = mix(np.full((1, 4), 0.1, np.float32), np.array([[1.0, -1.0, 1.0, -1.0]]), 20)
    >>> [round(float(sample), 3) for sample in mixed[0]]
    [0.11, 0.09, 0.11, 0.09]
    """
    power = float(np.mean(np.square(sound, dtype=np.float64)))
    gain = np.sqrt(power / np.mean(np.square(noise)) / 10 ** (ratio / 10))
    mixed = sound + gain * noise
    return np.asarray(mixed / max(1.0, float(np.max(np.abs(mixed)))), np.float32)


def load(argument: str, seed: int, benchmark: Benchmark) -> Noise:  # noqa: ARG001
    """The condition from what stands after its name: a ratio in decibels."""
    try:
        return Noise(float(argument), seed)
    except ValueError as error:
        raise UsageError(
            f"noise takes a ratio in decibels, found 'noise:{argument}'; write for instance condition=noise:10"
        ) from error
