"""Silence: every sound becomes as much digital silence, so that only words and pictures are left to answer from."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from msgspec import Struct

from earmark.audio.read import wave
from earmark.conditions._sounds import each_sound, nothing_after
from earmark.types import Benchmark, Heard, Item, Part, Prompt, replace

DEAF: Final = True  # a control: what is asked about cannot be heard


class Silence(Struct, frozen=True):
    """The condition."""

    name: ClassVar[str] = "silence"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - silence is the same for all
        return each_sound(prompt, _silent)


def _silent(heard: Heard, _: int) -> Part:
    loud = wave(heard)
    return replace(loud, samples=np.zeros_like(loud.samples), words="", notes=(*loud.notes, "replaced by silence"))


def load(argument: str, seed: int, benchmark: Benchmark) -> Silence:  # noqa: ARG001
    """The condition from what stands after its name; silence takes nothing."""
    nothing_after("silence", argument)
    return Silence()
