"""Transcript: every sound becomes the words that are said in it, so that whatever else it tells is gone.

    transcript               the words come from the data; a clip whose words it does not tell cannot be asked
    transcript:whisper_tiny  the words come from a model, named as model=NAME names it, which is sent the sound alone

With a recogniser this is what a cascade hears, for any model: what the score loses against plain hearing was not in
the words. Its mistakes are part of the condition; `earmark prompts` shows what it wrote.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from earmark.audio.read import display_name
from earmark.conditions._common import map_audio
from earmark.conditions._recogniser import SpeechRecognizer
from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.errors import Rejected
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, EncodedAudio, Item, Part, Prompt


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    model: str = ""  # that writes the words; empty: they are those of the data


class ReferenceTranscript(Struct, frozen=True):
    """The condition with the words of the data."""

    removes_audio: ClassVar[bool] = True
    keeps_words: ClassVar[bool] = True  # which is told where they carry the answer (Benchmark.needs_ears)
    leaves_audio_unread: ClassVar[bool] = True

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the words are with the clip
        return map_audio(prompt, _to_text)


class AsrTranscript(Struct, frozen=True):
    """The condition with the words of a model."""

    removes_audio: ClassVar[bool] = True
    keeps_words: ClassVar[bool] = True

    model: str
    recogniser: SpeechRecognizer

    def check(self) -> None:
        """Raise what is wrong with the settings of the model, before the first sound."""
        parse_model(model_settings(self.model))

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return map_audio(prompt, lambda audio, _: _quote(self.recogniser.transcribe(audio)))


def _to_text(audio: Audio, _: int) -> Part:
    words = "" if isinstance(audio, EncodedAudio) else audio.transcript.strip()
    if not words:
        raise Rejected(
            f"{display_name(audio)}: the data has no transcript of it, which condition=transcript needs; a model may "
            "write one: condition=transcript:whisper_tiny"
        )
    return _quote(words)


def _quote(words: str) -> str:
    return f'Transcript of the audio: "{words.strip()}"'


def model_settings(model: str) -> dict[str, Any]:
    """The settings of a model, named as model=NAME names it."""
    return compose_config([f"model={model}"]).model


def load(settings: Settings, context: Context) -> ReferenceTranscript | AsrTranscript:
    """Load the condition."""
    if not settings.model:
        return ReferenceTranscript()
    return AsrTranscript(settings.model, SpeechRecognizer(lambda: context.open_model(model_settings(settings.model))))


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(own_sound=False),)
