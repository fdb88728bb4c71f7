"""Silence: every sound becomes as much digital silence, so that only words and pictures are left to answer from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import map_audio
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Item, Part, Prompt, replace


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """It takes no argument."""


class Silence(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = True
    keeps_words: ClassVar[bool] = False

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - silence is the same for all
        return map_audio(prompt, _silent)


def _silent(audio: Audio, _: int) -> Part:
    loud = load_waveform(audio)
    return replace(loud, samples=np.zeros_like(loud.samples), transcript="", notes=(*loud.notes, "replaced by silence"))


def load(settings: Settings, context: Context) -> Silence:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return Silence()


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(),)
