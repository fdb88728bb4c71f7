"""Backwards: every sound is played from its end, a whole condition in one file.

earmark run spoken_words model=whisper_tiny 'condition=[plain,examples.backwards]'
"""

from __future__ import annotations

from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import check_no_argument, map_audio, with_samples, within_full_scale
from earmark.types import Audio, Benchmark, Item, Part, Prompt


class Backwards(Struct, frozen=True):
    """The condition."""

    name: str = "examples.backwards"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(map_audio(prompt, turned_round))


def turned_round(heard: Audio, _: int) -> Part:
    """A sound from its end to its beginning."""
    sound = load_waveform(heard)
    return with_samples(sound, sound.samples[:, ::-1], "backwards")


def load(argument: str, seed: int, benchmark: Benchmark) -> Backwards:  # noqa: ARG001
    """The condition; what stands after a colon in its name is `argument`."""
    check_no_argument("examples.backwards", argument)
    return Backwards()
