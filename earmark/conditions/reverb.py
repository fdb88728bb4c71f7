"""Reverb: every sound is heard in a room, whose reverberation loses 60 dB in so many seconds (reverb:0.8).

The room is computed: the direct sound, and noise that dies away evenly, as strong in all as the direct sound (0 dB,
what is heard some metres from a speaker in a hall). Every sound has a room of its own, which depends on the seed, the
item and the place of the sound in it. The level is that of the sound before, and so is the length: what rings on behind
the end is cut.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.audio.room import convolve, reverb_tail
from earmark.conditions._common import FloatArgument, item_rng, map_audio, with_samples, within_full_scale
from earmark.types import Audio, Benchmark, Item, Part, Prompt, Seconds

ARGUMENT = FloatArgument("reverb", "the seconds in which 60 dB are lost", "reverb:0.8", 0.05, 20.0)


class Reverb(Struct, frozen=True):
    """The condition."""

    decay: Seconds
    seed: int

    @property
    def name(self) -> str:
        return f"reverb:{self.decay:g}"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        def add_reverb(audio: Audio, number: int) -> Part:
            sound = load_waveform(audio)
            room = reverb_tail(self.decay, sound.rate, item_rng(self.seed, item, number))
            dry = sound.samples.astype(np.float64)
            wet = dry + np.stack([convolve(channel, room) for channel in dry])
            before, after = np.mean(dry**2), np.mean(wet**2)
            level = np.sqrt(before / after) if after > 0 else 1.0
            return with_samples(sound, wet * level, f"reverberation of {self.decay:g} s at 0 dB added")

        return within_full_scale(map_audio(prompt, add_reverb))


def load(argument: str, seed: int, benchmark: Benchmark) -> Reverb:  # noqa: ARG001
    """The condition from what stands after its name: seconds."""
    return Reverb(ARGUMENT.parse(argument), seed)
