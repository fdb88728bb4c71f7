"""Speed: every sound is played faster or slower (speed:1.25), and its pitch goes with it.

The samples are resampled and their rate is kept, as when a tape runs at another speed: 1.25 is a quarter faster, and
higher by 12 log2(1.25) = 3.9 semitones.
"""

from __future__ import annotations

import math

import soxr
from msgspec import Struct

from earmark.audio.read import display_name, load_waveform
from earmark.conditions._common import FloatArgument, map_audio, with_samples, within_full_scale
from earmark.errors import AudioError
from earmark.types import Audio, Benchmark, Item, Part, Prompt

ARGUMENT = FloatArgument("speed", "a factor", "speed:1.25", 0.1, 10.0)


class Speed(Struct, frozen=True):
    """The condition."""

    factor: float

    @property
    def name(self) -> str:
        return f"speed:{self.factor:g}"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(map_audio(prompt, self._faster))

    def _faster(self, audio: Audio, _: int) -> Part:
        sound = load_waveform(audio)
        samples = soxr.resample(sound.samples.T, self.factor, 1.0, quality="HQ").T
        if not samples.shape[1]:
            raise AudioError(f"{display_name(audio)}: nothing is left of it at {self.factor:g} times its speed")
        semitones = 12 * math.log2(self.factor)
        note = f"played at {self.factor:g} times its speed, {semitones:+.1f} semitones (soxr HQ {soxr.__version__})"
        return with_samples(sound, samples, note)


def load(argument: str, seed: int, benchmark: Benchmark) -> Speed:  # noqa: ARG001
    """The condition from what stands after its name: a factor."""
    return Speed(ARGUMENT.parse(argument))
