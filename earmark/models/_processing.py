"""Prompts to the inputs of a model of transformers: the one place that knows how processors differ.

chat        a chat template that takes sound among its parts: most models; a tokenizer is one that takes none
placeholder a chat template of words alone, with a mark where each sound belongs (Ultravox): one prompt at a time
mistral     the rules of mistral-common in place of a template, sound as files in base64 (Voxtral)
recogniser  no template at all (Whisper): every clip for itself, and no words
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import pybase64
from msgspec import Struct

from earmark.audio.encode import wav
from earmark.errors import BadSetup
from earmark.models import _chat
from earmark.models._listening import check_listening, extractor_of, rate_of, window_of
from earmark.types import Hears, Hertz, Prompt, Seconds, Wave

Way = Literal["chat", "placeholder", "mistral", "recogniser"]


class Processing(Struct, frozen=True, eq=False):
    """A processor and how it is used."""

    processor: Any
    way: Way
    rate: Hertz
    system_prompt: str | None = None
    variables: Mapping[str, Any] = {}  # of the chat template, those that it knows
    placeholder: str = ""

    @property
    def kind(self) -> str:
        return type(self.processor).__name__

    @property
    def tokenizer(self) -> Any:
        return getattr(self.processor, "tokenizer", self.processor)

    @property
    def listens(self) -> bool:
        return extractor_of(self.processor) is not None

    def sound_token(self, config: Any = None) -> int:
        """The token that stands for a stretch of sound; -1, which is none, where nobody tells."""
        told = ((self.processor, "audio_token_id"), (config, "audio_token_id"), (config, "audio_token_index"))
        return next((token for holder, name in told if (token := getattr(holder, name, None)) is not None), -1)

    def hears(self, seconds: Seconds | None, clips: int | None) -> Hears:
        """What the model takes, found by trying: BadSetup where sound does not reach it."""
        if not self.listens:
            return Hears(formats=(), clips=0)
        with renamed_refusals_of_sound(self.kind):
            check_listening(self.inputs, self.rate, self.kind)
            window = seconds or window_of(extractor_of(self.processor), self.inputs, self.rate)
        return Hears(("samples",), (self.rate,), 1, window, clips)

    def inputs(self, prompts: list[Prompt]) -> Any:
        """What the model takes: a row for each prompt, of a recogniser for each clip; padded on the left."""
        if self.way == "recogniser":
            return self._call(prompts, return_attention_mask=True)
        if self.way == "placeholder":
            (prompt,) = prompts
            return self._call(prompts, text=self.text(prompt))
        talks = [self._talk(prompt) for prompt in prompts]
        if self.way == "mistral":
            return self.processor.apply_chat_template(encoded(talks, self.rate), tokenize=True, return_dict=True)
        padding = {"padding": True}
        return self.processor.apply_chat_template(
            talks,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            add_generation_prompt=True,
            **({"processor_kwargs": padding} if self.listens else padding),
            **self.variables,
        )

    def text(self, prompt: Prompt) -> str:
        """A prompt in the words of the chat template, a mark where each sound belongs and the answer about to begin."""
        writer = self.processor if getattr(self.processor, "chat_template", None) else self.tokenizer
        text: str = writer.apply_chat_template(
            self._talk(prompt), tokenize=False, add_generation_prompt=True, **self.variables
        )
        return text

    def _talk(self, prompt: Prompt) -> list[dict[str, Any]]:
        return _chat.conversation(prompt, self.system_prompt, self.placeholder)

    def _call(self, prompts: list[Prompt], **more: Any) -> Any:
        sounds = [sound for prompt in prompts for sound in _chat.sounds(prompt)]
        return self.processor(audio=sounds or None, sampling_rate=self.rate, return_tensors="pt", **more)


@contextmanager
def renamed_refusals_of_sound(kind: str) -> Iterator[None]:
    """What a processor says that takes no sound at all, under our own name."""
    from jinja2 import TemplateError  # noqa: PLC0415 - comes with transformers

    try:
        yield
    except (TemplateError, TypeError, ValueError) as error:
        raise BadSetup(
            f"{kind} does not take one sound and a question: {_chat.line(error)}; where its chat template takes words alone, "
            "model.placeholder names what stands for a sound"
        ) from error


def processing(processor: Any, system_prompt: str | None, variables: Mapping[str, Any], placeholder: str) -> Processing:
    """How a processor is used, as far as it tells by itself. Its tokenizer is set to pad on the left."""
    template, extractor = _chat.template_of(processor), extractor_of(processor)
    tokenizer = getattr(processor, "tokenizer", processor)
    tokenizer.padding_side = "left"  # a model writes on at the right end
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    placeholder = placeholder or getattr(processor, "audio_placeholder", "")
    way: Way = "placeholder" if placeholder and extractor is not None else "chat"
    if not template:
        way = "mistral" if "Mistral" in type(tokenizer).__name__ else "recogniser"
    if way == "recogniser" and extractor is None:
        raise BadSetup(
            f"{type(processor).__name__} has no chat template and takes no sound: nothing can be asked of it"
        )
    known = _chat.known(variables, template)
    mark = placeholder if way == "placeholder" else ""
    return Processing(processor, way, rate_of(extractor), system_prompt, known, mark)


def encoded(talks: list[list[dict[str, Any]]], rate: Hertz) -> list[list[dict[str, Any]]]:
    """Conversations whose samples are files in base64."""
    return [[message | {"content": _encoded(message["content"], rate)} for message in talk] for talk in talks]


def _encoded(content: str | list[dict[str, Any]], rate: Hertz) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    return [
        {"type": "audio", "base64": pybase64.b64encode(wav(Wave(part["audio"][None], rate))).decode()}
        if part["type"] == "audio"
        else part
        for part in content
    ]
