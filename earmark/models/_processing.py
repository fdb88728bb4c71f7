"""Converts prompts to inputs of transformers models, whose processors differ:

chat        a chat template that takes audio among its parts: most models; a tokenizer takes none
placeholder a chat template of text alone, with a placeholder for each sound (Ultravox): one prompt at a time
mistral     mistral-common instead of a template, audio as files in base64 (Voxtral)
recogniser  no template (Whisper): each clip on its own, and no text
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import pybase64
from msgspec import Struct

from earmark.audio.encode import encode_wav
from earmark.errors import BadSetup
from earmark.models import _chat
from earmark.models._listening import check_audio_reaches_model, extractor_of, rate_of, window_of
from earmark.types import Capabilities, Hertz, Prompt, Seconds, Waveform

InputStyle = Literal["chat", "placeholder", "mistral", "recogniser"]


class PromptProcessor(Struct, frozen=True, eq=False):
    """A processor and its input style."""

    processor: Any
    style: InputStyle
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
        """Token that stands for a stretch of audio; -1, which is none, if unknown."""
        sources = ((self.processor, "audio_token_id"), (config, "audio_token_id"), (config, "audio_token_index"))
        return next((token for holder, name in sources if (token := getattr(holder, name, None)) is not None), -1)

    def capabilities(self, seconds: Seconds | None, clips: int | None) -> Capabilities:
        """Capabilities of the model, found by a trial call. Raises BadSetup if audio does not reach it."""
        pictures = self.style == "chat" and getattr(self.processor, "image_processor", None) is not None
        if not self.listens:
            return Capabilities(formats=(), clips=0, images=pictures)
        with translate_audio_errors(self.kind):
            check_audio_reaches_model(self.inputs, self.rate, self.kind)
            window = seconds or window_of(extractor_of(self.processor), self.inputs, self.rate)
        return Capabilities(("samples",), (self.rate,), 1, window, clips, images=pictures)

    def inputs(self, prompts: list[Prompt]) -> Any:
        """Model inputs: a row for each prompt, or for each clip of a recogniser; padded on the left."""
        if self.style == "recogniser":
            return self._call_processor(prompts, return_attention_mask=True)
        if self.style == "placeholder":
            (prompt,) = prompts
            return self._call_processor(prompts, text=self.text(prompt))
        talks = [self._to_messages(prompt) for prompt in prompts]
        if self.style == "mistral":
            return self.processor.apply_chat_template(encode_talks(talks, self.rate), tokenize=True, return_dict=True)
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
        """Apply the chat template to a prompt, with placeholders for audio and a generation prompt."""
        writer = self.processor if getattr(self.processor, "chat_template", None) else self.tokenizer
        text: str = writer.apply_chat_template(
            self._to_messages(prompt), tokenize=False, add_generation_prompt=True, **self.variables
        )
        return text

    def _to_messages(self, prompt: Prompt) -> list[dict[str, Any]]:
        return _chat.to_messages(prompt, self.system_prompt, self.placeholder)

    def _call_processor(self, prompts: list[Prompt], **more: Any) -> Any:
        sounds = [sound for prompt in prompts for sound in _chat.audio_samples(prompt)]
        return self.processor(audio=sounds or None, sampling_rate=self.rate, return_tensors="pt", **more)


@contextmanager
def translate_audio_errors(kind: str) -> Iterator[None]:
    """Translate the error of a processor that takes no audio."""
    from jinja2 import TemplateError  # noqa: PLC0415 - comes with transformers

    try:
        yield
    except (TemplateError, TypeError, ValueError) as error:
        raise BadSetup(
            f"{kind} does not take one sound and a question: {_chat.error_line(error)}; if its chat template takes "
            "text alone, set model.placeholder to what stands for a sound"
        ) from error


def make_processor(
    processor: Any, system_prompt: str | None, variables: Mapping[str, Any], placeholder: str
) -> PromptProcessor:
    """Choose the input style of a processor. Its tokenizer is set to pad on the left."""
    template, extractor = _chat.template_of(processor), extractor_of(processor)
    tokenizer = getattr(processor, "tokenizer", processor)
    tokenizer.padding_side = "left"  # a model generates at the right end
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    placeholder = placeholder or getattr(processor, "audio_placeholder", "")
    style: InputStyle = "placeholder" if placeholder and extractor is not None else "chat"
    if not template:
        style = "mistral" if "Mistral" in type(tokenizer).__name__ else "recogniser"
    if style == "recogniser" and extractor is None:
        raise BadSetup(f"{type(processor).__name__} has no chat template and takes no audio, so it cannot be evaluated")
    known = _chat.select_variables(variables, template)
    mark = placeholder if style == "placeholder" else ""
    return PromptProcessor(processor, style, rate_of(extractor), system_prompt, known, mark)


def encode_talks(talks: list[list[dict[str, Any]]], rate: Hertz) -> list[list[dict[str, Any]]]:
    """Replace the samples of conversations by files in base64."""
    return [[message | {"content": _encode_content(message["content"], rate)} for message in talk] for talk in talks]


def _encode_content(content: str | list[dict[str, Any]], rate: Hertz) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    return [
        {"type": "audio", "base64": pybase64.b64encode(encode_wav(Waveform(part["audio"][None], rate))).decode()}
        if part["type"] == "audio"
        else part
        for part in content
    ]
