"""Parses a reply of chat completions into a response or an error.

An error inside a 200, a body that is no JSON and a reply without choices are failures.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias
from uuid import uuid4

import msgspec
import numpy as np
import pybase64
from msgspec import Struct

from earmark.audio.encode import FULL_SCALE, encode_wav
from earmark.data.cache import atomic_write, cache_dir, hash64
from earmark.errors import AskError, BadSetup, ContentFiltered, Rejected, Transient
from earmark.models._http import error_of_status, retry_after
from earmark.models._reply import Count, Money, Reply, as_text, convert, error_fields, parse_usage, status_code
from earmark.text.stops import stop_of
from earmark.types import NO_LOGPROBS_NOTE, Clip, Hertz, Response, Usage, Waveform

FILTERED_CODES: Final = ("content_filter", "content_policy_violation", "moderation_blocked")
OUT_OF_CREDIT: Final = ("insufficient_quota", "billing_hard_limit_reached")
TOOL_FINISHES: Final = ("tool_calls", "function_call")
BROKEN_FINISH: Final = "error"  # the finish reason of routers whose provider broke off
AUDIO_UNSUPPORTED: Final = re.compile(  # in errors of models without audio, llama.cpp with a 500, vLLM with a 400
    r"audio input is not supported|(?:is )?not a multimodal model|at most 0 audio|does not support audio", re.IGNORECASE
)
SPEECH_RATE: Final[Hertz] = 24000  # of speech that comes as bare samples
# First bytes of audio files. An mp3 without a title begins with one of three marks; bare samples may begin with ff too.
SPEECH_MAGIC: Final = {b"RIFF": "wav", b"fLaC": "flac", b"OggS": "ogg", b"ID3": "mp3"} | dict.fromkeys(
    (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"), "mp3"
)


class SpeechAudio(Struct, frozen=True):
    """Speech of a message, whole or a piece of it."""

    data: str | list[str] | None = None  # base64
    transcript: str | None = None


class Thought(Struct, frozen=True, omit_defaults=True):
    """A piece of a thought."""

    type: str | None = None
    text: str | None = None


class ContentPart(Struct, frozen=True):
    """A part of a message. Other kinds are ignored."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None
    thinking: str | list[Thought | str] | None = None


Content: TypeAlias = str | list[ContentPart | str] | None


class Message(Struct, frozen=True):
    """A message, whole or the delta of a stream."""

    content: Content = None
    reasoning_content: Content = None  # these two are the same, under the names of different servers
    reasoning: Content = None
    refusal: str | None = None
    audio: SpeechAudio | None = None


class ReplyChoice(Struct, frozen=True):
    """One answer. Streams have `delta` instead of `message`."""

    message: Message | None = None
    delta: Message | None = None
    finish_reason: str | None = None
    logprobs: Any = None
    error: Any = None


class TokenDetails(Struct, frozen=True):
    """Number of audio tokens among the tokens."""

    audio_tokens: Count = None


class ChatUsage(Struct, frozen=True):
    """Usage of a response, as the server reports it."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None
    cost: Money = None


class Completion(Struct, frozen=True):
    """A reply, whole or a piece of a stream."""

    choices: list[ReplyChoice] | None = None
    usage: Any = None
    error: Any = None


def read_reply(reply: Reply, *, logprobs: bool = False) -> Response:
    """Parse the response in a reply; raises the error that it contains. Its speech is read by `read_speech`."""
    if not reply.ok or isinstance(reply.payload, bytes) or not reply.payload.get("choices"):
        raise to_error(reply)
    completion = convert(reply.payload, Completion)
    choice, usage = (completion.choices or [ReplyChoice()])[0], _usage(completion.usage)
    message, stop = choice.message or Message(), stop_of(choice.finish_reason) or "end"
    if choice.error:
        raise to_error(reply._replace(payload={"error": choice.error}))
    if choice.finish_reason == BROKEN_FINISH:
        raise Transient("the server ended the answer with an error of unknown kind")
    if choice.message is None and stop == "end":
        raise Transient("the reply is malformed: no message in its first choice")
    if refusal := message.refusal or refusals(message.content):
        return Response(refusal, "filtered", usage=usage, seconds=reply.seconds)
    text, thoughts = split_content(message.content)
    text = text or (message.audio and message.audio.transcript) or ""
    if not text and choice.finish_reason in TOOL_FINISHES:  # an empty answer would be right where silence is
        raise Rejected("the model called a tool instead of answering; remove the tools from model.extra")
    return Response(
        text,
        stop,
        split_content(message.reasoning_content)[0] or split_content(message.reasoning)[0] or thoughts,
        usage=usage,
        seconds=reply.seconds,
        first_token=reply.first_token,
        first_audio=reply.first_audio,
        notes=(NO_LOGPROBS_NOTE,) if logprobs and not has_logprobs(choice.logprobs) else (),
    )


def has_logprobs(logprobs: Any) -> bool:
    """True if there are log-probabilities, not only an empty field.

    >>> [has_logprobs(value) for value in ({"content": [{"logprob": -0.1}]}, {"content": None, "refusal": None}, None)]
    [True, False, False]
    """
    return any(logprobs.values()) if isinstance(logprobs, dict) else bool(logprobs)


def split_content(content: Content) -> tuple[str, str]:
    """Split a message, a string or a list of typed parts, into its text and its thoughts."""
    if not isinstance(content, list):
        return content or "", ""
    words = [part if isinstance(part, str) else _words(part) for part in content]
    thoughts = [part.thinking for part in content if isinstance(part, ContentPart) and part.thinking]
    return "".join(words), "\n".join(msgspec.json.encode(thought).decode() for thought in thoughts)


def _words(part: ContentPart) -> str:
    return (part.text or "") if part.type in (None, "text", "output_text") else ""


def refusals(content: Content) -> str:
    """Join the refusals among the parts of a message."""
    parts = content if isinstance(content, list) else ()
    return "".join(part.refusal or "" for part in parts if isinstance(part, ContentPart))


def _usage(raw: Any) -> Usage:
    used = parse_usage(raw, ChatUsage)
    read, written = used.prompt_tokens_details or TokenDetails(), used.completion_tokens_details or TokenDetails()
    return Usage(
        used.prompt_tokens or 0,
        used.completion_tokens or 0,
        read.audio_tokens or 0,
        written.audio_tokens or 0,
        used.cost or 0.0,
    )


def to_error(reply: Reply) -> AskError | BadSetup:
    """Translate an error response."""
    error_text, _, _ = error_fields(reply.payload)
    status = reply.status
    error = (reply.payload.get("error") or reply.payload) if isinstance(reply.payload, dict) else None
    code = (error.get("code") or error.get("type") or "") if isinstance(error, dict) else ""
    message = f"HTTP {status}: {error_text}"
    if reply.ok:  # an error inside a success: its own code is the status
        status = status_code(code) or 502
        message = f"HTTP {status}: {error_text}" if code else f"HTTP {reply.status} without an answer: {error_text}"
    code = as_text(code)
    if any(word in code for word in FILTERED_CODES):
        return ContentFiltered(message)
    if code in OUT_OF_CREDIT:
        return BadSetup(f"{message}; the account has no credit left")
    if AUDIO_UNSUPPORTED.search(error_text):
        return BadSetup(
            f"{message}; serve a model with audio input, or this one with its audio part (llama.cpp: --mmproj FILE)"
        )
    return error_of_status(status, message, retry_after(reply.headers))


async def read_speech(reply: Reply) -> Clip | None:
    """Store the speech of an answer as a file in the cache, from where the run takes it."""
    choices = convert(reply.payload, Completion).choices or [ReplyChoice()]
    audio = (choices[0].message or Message()).audio
    if not audio or not audio.data:
        return None
    try:
        data = decode_speech([audio.data] if isinstance(audio.data, str) else audio.data)
    except ValueError as error:  # binascii.Error is one; text beyond ASCII is another
        raise Transient(f"the speech of the answer is no base64: {error}") from error
    return await asyncio.to_thread(store_speech, data, audio.transcript or "")


def decode_speech(chunks: Sequence[str]) -> bytes:
    """Decode base64 in chunks, each encoded alone or cut anywhere.

    >>> decode_speech(["AAE=", "Ag=="]), decode_speech(["AA", "EC"])
    (b'\\x00\\x01\\x02', b'\\x00\\x01\\x02')
    """
    if any(chunk.endswith("=") for chunk in chunks[:-1]):
        return b"".join(pybase64.b64decode(chunk) for chunk in chunks)
    return pybase64.b64decode("".join(chunks))


def store_speech(data: bytes, words: str) -> Clip:
    """Store speech as a file: unchanged, or as WAV if it is bare samples of 16 bits."""
    form = next((form for head, form in SPEECH_MAGIC.items() if data.startswith(head)), "")
    if not form:
        samples = np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / np.float32(FULL_SCALE)
        data, form = encode_wav(Waveform(samples[None], SPEECH_RATE)), "wav"
    place = cache_dir("speech", "replies") / f"{hash64(data)}-{uuid4().hex}.{form}"  # the run moves it to its folder
    return Clip(str(atomic_write(place, data)), name=place.name, transcript=words)
