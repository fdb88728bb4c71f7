"""Speed: every sound is played faster or slower (speed:1.25), and its pitch goes with it.

The samples are resampled and their rate is kept, as when a tape runs at another speed: 1.25 is a quarter faster, and
higher by 12 log2(1.25) = 3.9 semitones.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import soxr
from msgspec import Meta, Struct

from earmark.audio.read import display_name, load_waveform
from earmark.conditions._common import map_audio, with_samples, within_full_scale
from earmark.errors import AudioError
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Item, Part, Prompt


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    factor: Annotated[float, Meta(ge=0.1, le=10, description="a factor", examples=["1.25"])]


class Speed(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(map_audio(prompt, self._faster))

    def _faster(self, audio: Audio, _: int) -> Part:
        sound = load_waveform(audio)
        samples = soxr.resample(sound.samples.T, self.settings.factor, 1.0, quality="HQ").T
        if not samples.shape[1]:
            raise AudioError(
                f"{display_name(audio)}: nothing is left of it at {self.settings.factor:g} times its speed"
            )
        semitones = 12 * math.log2(self.settings.factor)
        speed = f"{self.settings.factor:g} times its speed, {semitones:+.1f} semitones"
        note = f"played at {speed} (soxr HQ {soxr.__version__})"
        return with_samples(sound, samples, note)


def load(settings: Settings, context: Context) -> Speed:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return Speed(settings)


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(argument="1.25", same_length=False),)
