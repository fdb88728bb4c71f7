"""Gain: every sound is made louder or softer by so many decibels (gain:-20).

    sample' = sample 10^(gain / 20)

What goes beyond full scale is clipped, as a loud recording is, and counted in the notes. Clipping, and falling below
the last of 16 bits, change how much louder one sound is than another: such a gain is refused for tasks that ask about
that.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import FloatArgument, check_properties, map_audio
from earmark.types import Audio, Benchmark, Item, Part, Prompt, replace

ARGUMENT = FloatArgument("gain", "decibels", "gain:-20", -120.0, 120.0)
DESTROYS: Final = frozenset({"level"})  # unless the gain lies in `HARMLESS`
HARMLESS: Final = (-40.0, 0.0)  # decibels


class Gain(Struct, frozen=True):
    """The condition."""

    decibels: float

    @property
    def name(self) -> str:
        return f"gain:{self.decibels:g}"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return map_audio(prompt, self._apply_gain)

    def _apply_gain(self, audio: Audio, _: int) -> Part:
        sound = load_waveform(audio)
        samples = sound.samples * np.float32(10 ** (self.decibels / 20))
        return replace(sound, samples=samples, notes=(*sound.notes, f"gain of {self.decibels:g} dB"))


def load(argument: str, seed: int, benchmark: Benchmark) -> Gain:  # noqa: ARG001
    """The condition from what stands after its name: decibels."""
    gain = Gain(ARGUMENT.parse(argument))
    low, high = HARMLESS
    if not low <= gain.decibels <= high:
        check_properties(gain.name, benchmark, DESTROYS)
    return gain
