"""Speed: every sound is played faster or slower (speed:1.25), and its pitch goes with it.

The samples are resampled and their rate is kept, as when a tape runs at another speed: 1.25 is a quarter faster, and
higher by 12 log2(1.25) = 3.9 semitones.
"""

from __future__ import annotations

import math

import soxr
from msgspec import Struct

from earmark.audio.read import title, wave
from earmark.conditions._sounds import Takes, changed, each_sound, within_full_scale
from earmark.errors import SoundFailed
from earmark.types import Benchmark, Heard, Item, Part, Prompt

TAKES = Takes("speed", "a factor", "speed:1.25", 0.1, 10.0)


class Speed(Struct, frozen=True):
    """The condition."""

    factor: float

    @property
    def name(self) -> str:
        return f"speed:{self.factor:g}"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(each_sound(prompt, self._faster))

    def _faster(self, heard: Heard, _: int) -> Part:
        sound = wave(heard)
        samples = soxr.resample(sound.samples.T, self.factor, 1.0, quality="HQ").T
        if not samples.shape[1]:
            raise SoundFailed(f"{title(heard)}: nothing is left of it at {self.factor:g} times its speed")
        semitones = 12 * math.log2(self.factor)
        note = f"played at {self.factor:g} times its speed, {semitones:+.1f} semitones (soxr HQ {soxr.__version__})"
        return changed(sound, samples, note)


def load(argument: str, seed: int, benchmark: Benchmark) -> Speed:  # noqa: ARG001
    """The condition from what stands after its name: a factor."""
    return Speed(TAKES.read(argument))
