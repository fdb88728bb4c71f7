"""Backwards: every sound is played from its end, a whole condition in one file.

earmark run spoken_words model=whisper_tiny 'condition=[plain,./examples/backwards.py]'
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.types import Audio, Context, Item, Part, Prompt, Turn, replace


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon: none."""


class Backwards:
    """The condition."""

    removes_audio = False  # True for a control: what is asked about cannot be heard
    keeps_words = False  # True for a control that leaves the words

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return replace(prompt, turns=tuple(Turn(turn.role, tuple(map(reverse, turn.parts))) for turn in prompt.turns))


def reverse(part: Part) -> Part:
    """A sound from its end to its beginning; other parts as they are."""
    if not isinstance(part, Audio):
        return part
    sound = load_waveform(part)
    return replace(sound, samples=np.ascontiguousarray(sound.samples[:, ::-1]), notes=(*sound.notes, "backwards"))


def load(settings: Settings, context: Context) -> Backwards:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return Backwards()
