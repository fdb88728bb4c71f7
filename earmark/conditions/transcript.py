"""Transcript: every sound becomes the words that are said in it, so that whatever else it tells is gone.

    transcript          the words come from the data; a clip whose words it does not tell cannot be asked
    transcript:ear      the words come from a model, named as model=NAME names it, which is sent the sound alone

With a recogniser this is what a cascade hears, for any model: what the score loses against plain hearing was not in
the words. Its mistakes are part of the condition; `earmark prompts` shows what it wrote.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from earmark.audio.read import title
from earmark.conditions._recogniser import Recogniser
from earmark.conditions._sounds import each_sound
from earmark.config import backend_settings, compose
from earmark.errors import Rejected
from earmark.types import Benchmark, Heard, Item, Part, Prompt, Sound

DEAF: Final = True  # a control: what is asked about cannot be heard
WORDS: Final = True  # but for words, which is told where they carry the answer (Benchmark.needs_ears)


class Told(Struct, frozen=True):
    """The condition with the words of the data."""

    name: ClassVar[str] = "transcript"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the words are with the clip
        return each_sound(prompt, _in_words)


class Recognised(Struct, frozen=True):
    """The condition with the words of a model."""

    model: str
    recogniser: Recogniser

    @property
    def name(self) -> str:
        return f"transcript:{self.model}"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return each_sound(prompt, lambda heard, _: _quoted(self.recogniser.words(heard)))


def _in_words(heard: Heard, _: int) -> Part:
    words = "" if isinstance(heard, Sound) else heard.words.strip()
    if not words:
        raise Rejected(
            f"{title(heard)}: the data has no transcript of it, which condition=transcript needs; a model may write one: condition=transcript:ear"
        )
    return _quoted(words)


def _quoted(words: str) -> str:
    return f'Transcript of the audio: "{words.strip()}"'


def load(argument: str, seed: int, benchmark: Benchmark) -> Told | Recognised:  # noqa: ARG001
    """The condition from what stands after its name: nothing, or the name of a model."""
    if not argument:
        return Told()
    settings = compose([f"model={argument}"]).model
    backend_settings(settings)  # what is wrong with its settings is told now, not at the first sound
    return Recognised(argument, Recogniser(settings))
