"""Silence: every sound becomes as much digital silence, so that only words and pictures are left to answer from."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import check_no_argument, map_audio
from earmark.types import Audio, Benchmark, Item, Part, Prompt, replace

IS_CONTROL: Final = True  # a control: what is asked about cannot be heard


class Silence(Struct, frozen=True):
    """The condition."""

    name: ClassVar[str] = "silence"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - silence is the same for all
        return map_audio(prompt, _silent)


def _silent(audio: Audio, _: int) -> Part:
    loud = load_waveform(audio)
    return replace(loud, samples=np.zeros_like(loud.samples), transcript="", notes=(*loud.notes, "replaced by silence"))


def load(argument: str, seed: int, benchmark: Benchmark) -> Silence:  # noqa: ARG001
    """The condition from what stands after its name; silence takes nothing."""
    check_no_argument("silence", argument)
    return Silence()
