"""Backwards: every sound is played from its end, a whole condition in one file.

earmark run spoken_words model=ear 'condition=[plain,examples.backwards]'
"""

from __future__ import annotations

from msgspec import Struct

from earmark.audio.read import wave
from earmark.conditions._sounds import changed, each_sound, nothing_after, within_full_scale
from earmark.types import Benchmark, Heard, Item, Part, Prompt


class Backwards(Struct, frozen=True):
    """The condition."""

    name: str = "examples.backwards"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(each_sound(prompt, turned_round))


def turned_round(heard: Heard, _: int) -> Part:
    """A sound from its end to its beginning."""
    sound = wave(heard)
    return changed(sound, sound.samples[:, ::-1], "backwards")


def load(argument: str, seed: int, benchmark: Benchmark) -> Backwards:  # noqa: ARG001
    """The condition; what stands after a colon in its name is `argument`."""
    nothing_after("examples.backwards", argument)
    return Backwards()
