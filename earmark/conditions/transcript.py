"""Transcript: every sound becomes the words that are said in it, so that whatever else it tells is gone.

The words come from the data. A clip whose words the data does not tell cannot be asked under this condition.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from earmark.conditions._sounds import each_sound
from earmark.errors import Rejected, UsageError
from earmark.types import Benchmark, Heard, Item, Part, Prompt, Sound


class Transcript(Struct, frozen=True):
    """The condition."""

    name: ClassVar[str] = "transcript"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the words are with the clip
        return each_sound(prompt, _in_words)


def _in_words(heard: Heard, _: int) -> Part:
    words = "" if isinstance(heard, Sound) else heard.words.strip()
    if not words:
        raise Rejected(f"{heard.name}: the data has no transcript of it, which condition=transcript needs")
    return f'Transcript of the audio: "{words}"'


def load(argument: str, seed: int, benchmark: Benchmark) -> Transcript:  # noqa: ARG001
    """The condition from what stands after its name; it takes nothing."""
    if argument:
        raise UsageError(f"transcript takes no argument, found 'transcript:{argument}'; write condition=transcript")
    return Transcript()
