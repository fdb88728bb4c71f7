"""Reverb: every sound is heard in a room, whose reverberation loses 60 dB in so many seconds (reverb:0.8).

The room is computed: the direct sound, and noise that dies away evenly, as strong in all as the direct sound (0 dB,
what is heard some metres from a speaker in a hall). Every sound has a room of its own, which depends on the seed, the
item and the place of the sound in it. The level is that of the sound before, and so is the length: what rings on behind
the end is cut.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta, Struct

from earmark.audio.read import load_waveform
from earmark.audio.room import convolve, reverb_tail
from earmark.conditions._common import item_rng, map_audio, with_samples, within_full_scale
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Item, Part, Prompt


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    decay: Annotated[float, Meta(ge=0.05, le=20, description="the seconds in which 60 dB are lost", examples=["0.8"])]


class Reverb(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings
    seed: int

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        def add_reverb(audio: Audio, number: int) -> Part:
            sound = load_waveform(audio)
            room = reverb_tail(self.settings.decay, sound.rate, item_rng(self.seed, item, number))
            dry = sound.samples.astype(np.float64)
            wet = dry + np.stack([convolve(channel, room) for channel in dry])
            before, after = np.mean(dry**2), np.mean(wet**2)
            level = np.sqrt(before / after) if after > 0 else 1.0
            return with_samples(sound, wet * level, f"reverberation of {self.settings.decay:g} s at 0 dB added")

        return within_full_scale(map_audio(prompt, add_reverb))


def load(settings: Settings, context: Context) -> Reverb:
    """Load the condition."""
    return Reverb(settings, context.seed)


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(argument="0.5", random=True),)
