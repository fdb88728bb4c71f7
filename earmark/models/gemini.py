"""Gemini: Google's generateContent, sound and pictures inline.

The key goes in a header, never in an address. What a reply ends with decides what it is: a stop for safety is the
model's own choice and is counted as refused; a prompt that is blocked has no answer; an end that Google calls OTHER is
asked again.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

import pybase64
from msgspec import UNSET, Struct, UnsetType

from earmark.errors import AskError, BadSetup, ContentFiltered, Rejected, Transient
from earmark.models._http import (
    MAX_REPLY,
    MIMES,
    ChunkedBody,
    MaxBytes,
    ServiceModel,
    body_chunks,
    check_size,
    error_of_status,
    open_client,
    placeholder,
    retry_after,
    sensible_wait,
)
from earmark.models._reply import Count, Reply, as_text, convert, error_fields, parse_payload, parse_usage, status_code
from earmark.plugins.examples import ModelExample
from earmark.text.stops import stop_of
from earmark.types import (
    UNSIGNED,
    Capabilities,
    Context,
    EncodedAudio,
    ImageBytes,
    Part,
    Prompt,
    Response,
    Seconds,
    Timeout,
    Usage,
)

PREFLIGHT: Final = True
SAMPLING: Final = {name: name for name in ("temperature", "seed")} | {
    "max_tokens": "maxOutputTokens",
    "top_p": "topP",
    "stop": "stopSequences",
}
DEFAULT_SAMPLING: Final[dict[str, Any]] = {"temperature": 0.0}
OUR_MIMES: Final = MIMES | {"mp3": "audio/mp3"}  # as Google names them


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str
    base_url: Annotated[str, UNSIGNED] = "https://generativelanguage.googleapis.com/v1beta"
    api_key_env: Annotated[str, UNSIGNED] = (
        ""  # the variable that holds the key; empty: GEMINI_API_KEY for Google's own address
    )
    api_key_header: Annotated[str, UNSIGNED] = ""  # the header that the key goes in; empty: x-goog-api-key
    api_key_query: Annotated[str, UNSIGNED] = ""  # the field of the address's query that it goes in instead
    system_prompt: str | None = None
    temperature: float | None | UnsetType = UNSET  # unset: the benchmark's, else 0; null: the model's default
    max_tokens: int | None | UnsetType = UNSET  # unset: the benchmark's; null: the model's default
    generation: dict[str, Any] = {}  # further fields of generationConfig, such as thinkingConfig
    extra: dict[str, Any] = {}  # and of the request, such as safetySettings
    capabilities: Capabilities = Capabilities(formats=("wav", "mp3", "flac", "ogg"), images=True, base64=True)
    max_body_bytes: Annotated[int | None, UNSIGNED] = 100_000_000  # of a whole request; null: no limit
    max_reply_bytes: Annotated[MaxBytes, UNSIGNED] = MAX_REPLY  # of a reply after unpacking; null: no limit
    timeout: Annotated[Timeout, UNSIGNED] = 600.0  # for one whole answer
    connect_timeout: Annotated[Timeout, UNSIGNED] = 30.0  # to open a connection


class Gemini(ServiceModel, frozen=True, eq=False, kw_only=True):
    """A model behind generateContent."""

    name: str
    settings: Settings
    path: str

    @property
    def capabilities(self) -> Capabilities:
        return self.settings.capabilities

    async def generate(self, prompt: Prompt) -> Response:
        body = ChunkedBody(self.body(prompt))
        check_size(body.bytes, self.settings.max_body_bytes)
        began = time.perf_counter()
        async with self.client.request("POST", self.path, data=body) as reply:
            payload = parse_payload(await self.client.read(reply))
            received = Reply(reply.status, reply.headers, payload, time.perf_counter() - began)
        return read_reply(received)

    def body(self, prompt: Prompt) -> list[bytes]:
        """Encode the request, in pieces."""
        media: list[bytes] = []
        system = [{"text": self.settings.system_prompt}] if self.settings.system_prompt is not None else []
        system += [_part(part, media) for turn in prompt.turns if turn.role == "system" for part in turn.parts]
        talk = [
            {
                "role": "model" if turn.role == "assistant" else "user",
                "parts": [_part(part, media) for part in turn.parts],
            }
            for turn in prompt.turns
            if turn.role != "system"
        ]
        request: dict[str, Any] = {"contents": talk, "generationConfig": self.sampling(prompt)}
        if system:
            request = {"system_instruction": {"parts": system}} | request  # first, as its media come first
        return body_chunks(request | self.settings.extra, media)

    def sampling(self, prompt: Prompt) -> dict[str, Any]:
        """Sampling parameters under Google's names."""
        own = {"temperature": self.settings.temperature, "max_tokens": self.settings.max_tokens}
        wanted = DEFAULT_SAMPLING | prompt.sampling | {name: value for name, value in own.items() if value is not UNSET}
        arguments = {SAMPLING[name]: value for name, value in wanted.items() if name in SAMPLING and value is not None}
        return arguments | self.settings.generation


def _part(part: Part, media: list[bytes]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    if isinstance(part, EncodedAudio | ImageBytes):
        media.append(part.base64 or pybase64.b64encode(part.data))
        mime = part.mime if isinstance(part, ImageBytes) else OUR_MIMES.get(part.format, f"audio/{part.format}")
        return {"inline_data": {"mime_type": mime, "data": placeholder()}}
    raise Rejected(f"a {type(part).__name__} cannot be sent as it is; audio must be prepared first")


class Piece(Struct, frozen=True):
    """A part of an answer."""

    text: str | None = None
    thought: bool | None = None


class Content(Struct, frozen=True):
    """Content of a response."""

    parts: list[Piece] | None = None


class GeminiCandidate(Struct, frozen=True, rename="camel"):
    """One answer."""

    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class Feedback(Struct, frozen=True, rename="camel"):
    """Feedback on the prompt."""

    block_reason: str | None = None
    block_reason_message: str | None = None


class GeminiReply(Struct, frozen=True, rename="camel"):
    """A reply."""

    candidates: list[GeminiCandidate] | None = None
    prompt_feedback: Feedback | None = None
    usage_metadata: Any = None


class ModalityTokens(Struct, frozen=True, rename="camel"):
    """Tokens of one modality."""

    modality: str | None = None
    token_count: Count = None


class GeminiUsage(Struct, frozen=True, rename="camel"):
    """Usage of a response, as the service reports it."""

    prompt_token_count: Count = None
    candidates_token_count: Count = None
    thoughts_token_count: Count = None
    prompt_tokens_details: list[ModalityTokens] | None = None
    candidates_tokens_details: list[ModalityTokens] | None = None


def read_reply(reply: Reply) -> Response:
    """Parse the response in a reply; raises the error that it contains."""
    if not reply.ok or isinstance(reply.payload, bytes) or "error" in reply.payload:
        raise to_error(reply)
    generated = convert(reply.payload, GeminiReply)
    if not generated.candidates:
        feedback = generated.prompt_feedback or Feedback()
        if reason := feedback.block_reason:
            raise ContentFiltered(f"the prompt was blocked: {reason} {feedback.block_reason_message or ''}".rstrip())
        raise Transient("a reply without an answer, and without a reason")
    candidate = generated.candidates[0]
    parts = (candidate.content or Content()).parts or ()
    text = "".join(part.text or "" for part in parts if not part.thought)
    thoughts = "".join(part.text or "" for part in parts if part.thought)
    reason = candidate.finish_reason or ""
    stop = stop_of(reason)
    if stop is None and not text:
        raise Transient(f"no answer: {reason} {candidate.finish_message or ''}".rstrip())
    notes = (f"ended with {reason}",) if stop in (None, "filtered") else ()
    return Response(
        text,
        stop or "end",
        thoughts,
        usage=parse_usage_metadata(generated.usage_metadata),
        seconds=reply.seconds,
        notes=notes,
    )


def parse_usage_metadata(raw: Any) -> Usage:
    """Usage of a response; reasoning counts as output."""
    used = parse_usage(raw, GeminiUsage)
    written = (used.candidates_token_count or 0) + (used.thoughts_token_count or 0)
    sound, speech = (_audio_tokens(details) for details in (used.prompt_tokens_details, used.candidates_tokens_details))
    return Usage(used.prompt_token_count or 0, written, sound, speech)


def _audio_tokens(details: list[ModalityTokens] | None) -> int:
    return sum(entry.token_count or 0 for entry in details or () if entry.modality == "AUDIO")


def to_error(reply: Reply) -> AskError | BadSetup:
    """Translate an error response."""
    error_text, _, _ = error_fields(reply.payload)
    error = reply.payload.get("error") if isinstance(reply.payload, dict) else None
    error = error if isinstance(error, dict) else {}
    status = status_code(error.get("code")) or (502 if reply.ok else reply.status)
    listed = error.get("details")
    details = [detail for detail in listed if isinstance(detail, dict)] if isinstance(listed, list) else []
    message = f"HTTP {status} {as_text(error.get('status') or '')}".rstrip() + f": {error_text}"
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        return BadSetup(f"{message}; check the key")
    wait = next((wait for detail in details if (wait := parse_duration(detail.get("retryDelay")))), None)
    return error_of_status(status, message, retry_after(reply.headers) if wait is None else wait)


def parse_duration(duration: Any) -> Seconds | None:
    """Parse a duration as Google writes it.

    >>> parse_duration("34.5s"), parse_duration("soon")
    (34.5, None)
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)s", duration) if isinstance(duration, str) else None
    return sensible_wait(float(match[1])) if match else None


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[Gemini]:  # noqa: ARG001 - it opens no other
    """Open a connection."""
    async with open_client(settings, header="x-goog-api-key") as client:
        path = f"/models/{settings.name.removeprefix('models/')}:generateContent"
        yield Gemini(name=settings.name, settings=settings, client=client, path=path)


def examples() -> tuple[ModelExample, ...]:
    return (
        ModelExample(
            settings={"base_url": "{url}", "name": "m"},
            served={"candidates": [{"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}]},
            text="A",
        ),
    )
