"""Gain: every sound is made louder or softer by so many decibels (gain:-20).

    sample' = sample 10^(gain / 20)

What goes beyond full scale is clipped, as a loud recording is, and counted in the notes. Clipping, and falling below
the last of 16 bits, change how much louder one sound is than another: such a gain is refused for tasks that ask about
that.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import numpy as np
from msgspec import Meta, Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import check_properties, map_audio
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Item, Part, Prompt, replace

DESTROYS: Final = frozenset({"level"})  # unless the gain lies in `HARMLESS`
HARMLESS: Final = (-40.0, 0.0)  # decibels


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    decibels: Annotated[float, Meta(ge=-120, le=120, description="decibels", examples=["-20"])]


class Gain(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return map_audio(prompt, self._apply_gain)

    def _apply_gain(self, audio: Audio, _: int) -> Part:
        sound = load_waveform(audio)
        samples = sound.samples * np.float32(10 ** (self.settings.decibels / 20))
        return replace(sound, samples=samples, notes=(*sound.notes, f"gain of {self.settings.decibels:g} dB"))


def load(settings: Settings, context: Context) -> Gain:
    """Load the condition."""
    low, high = HARMLESS
    if not low <= settings.decibels <= high:
        check_properties(f"{context.name}:{settings.decibels:g}", context, DESTROYS)
    return Gain(settings)


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(argument="-20"),)
