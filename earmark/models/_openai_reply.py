"""From a reply of chat completions to an answer, or to what went wrong.

An answer is an answer whole or not at all: an error inside a 200, a body that is no JSON or a reply without choices is a
failure.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import orjson
import pybase64

from earmark.audio.encode import FULL_SCALE, wav
from earmark.data.cache import folder, short, write
from earmark.errors import AskError, BadSetup, Filtered
from earmark.models._http import asked_to_wait, by_status
from earmark.models._reply import NO_LOGPROBS, Reply, told
from earmark.types import Clip, Hertz, Response, Usage, Wave

STOPS: Final[dict[str, Literal["end", "length", "filtered"]]] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
FILTERED: Final = ("content_filter", "content_policy_violation", "moderation_blocked")
OUT_OF_CREDIT: Final = ("insufficient_quota", "billing_hard_limit_reached")
NO_SOUND: Final = re.compile(  # as servers of models without ears say it, llama.cpp with a 500, vLLM with a 400
    r"audio input is not supported|(?:is )?not a multimodal model|at most 0 audio|does not support audio", re.IGNORECASE
)
SPEECH_RATE: Final[Hertz] = 24000  # of speech that comes as bare samples
HEADS: Final = {b"RIFF": "wav", b"fLaC": "flac", b"OggS": "ogg", b"ID3": "mp3", b"\xff": "mp3"}  # of sound files


def read_reply(reply: Reply, *, logprobs: bool = False) -> Response:
    """The answer in a reply, or the AskError that the reply amounts to. Its speech is read by `spoken`."""
    payload = reply.payload
    if reply.status != 200 or isinstance(payload, bytes) or not payload.get("choices"):
        raise failure(reply)
    choice = payload["choices"][0]
    message = choice.get("message") or {}
    if message.get("refusal"):
        return Response(message["refusal"], "filtered", usage=_usage(payload), seconds=reply.seconds)
    text, thoughts = texts(message.get("content"))
    return Response(
        text or (message.get("audio") or {}).get("transcript") or "",
        STOPS.get(choice.get("finish_reason") or "", "end"),
        message.get("reasoning_content") or message.get("reasoning") or thoughts,
        usage=_usage(payload),
        seconds=reply.seconds,
        first_token=reply.first_token,
        first_sound=reply.first_sound,
        notes=(NO_LOGPROBS,) if logprobs and not choice.get("logprobs") else (),
    )


def texts(content: Any) -> tuple[str, str]:
    """The words of a message and the thoughts beside them; content is a text, nothing, or a list of typed parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", ""
    parts = [part for part in content if isinstance(part, dict)]
    said = [part.get("text") or "" for part in parts if part.get("type") in ("text", "output_text")]
    thought = [orjson.dumps(part["thinking"]).decode() for part in parts if part.get("thinking")]
    return "".join(said), "\n".join(thought)


def _usage(payload: Mapping[str, Any]) -> Usage:
    used = payload.get("usage") or {}
    read, written = used.get("prompt_tokens_details") or {}, used.get("completion_tokens_details") or {}
    return Usage(
        used.get("prompt_tokens") or 0,
        used.get("completion_tokens") or 0,
        read.get("audio_tokens") or 0,
        written.get("audio_tokens") or 0,
        used.get("cost") or 0.0,
    )


def failure(reply: Reply) -> AskError | BadSetup:
    """What went wrong, in our own words and kinds."""
    said, _, _ = told(reply.payload)
    status = reply.status
    error = (reply.payload.get("error") or reply.payload) if isinstance(reply.payload, dict) else None
    code = (error.get("code") or error.get("type") or "") if isinstance(error, dict) else ""
    if status == 200:  # an error inside a success: its own code says what it is
        status = code if isinstance(code, int) else int(code) if str(code).isdecimal() else 502
    message = f"HTTP {status}: {said}"
    if any(word in str(code) for word in FILTERED):
        return Filtered(message)
    if str(code) in OUT_OF_CREDIT:
        return BadSetup(f"{message}; the account has no credit left")
    if NO_SOUND.search(said):
        return BadSetup(
            f"{message}; serve a model that hears, or this one with its part for sound (llama.cpp: --mmproj FILE)"
        )
    return by_status(status, message, asked_to_wait(reply.headers))


async def spoken(reply: Reply) -> Clip | None:
    """The speech of an answer, kept as a file in the cache under a digest of its bytes."""
    if isinstance(reply.payload, bytes):
        return None
    audio = (reply.payload["choices"][0].get("message") or {}).get("audio") or {}
    chunks = audio.get("data")
    if not chunks:
        return None
    data = decoded([chunks] if isinstance(chunks, str) else chunks)
    return await asyncio.to_thread(kept, data, audio.get("transcript") or "")


def decoded(chunks: Sequence[str]) -> bytes:
    """Sound from base64 that came in pieces: each coded alone, or cut anywhere.

    >>> decoded(["AAE=", "Ag=="]), decoded(["AA", "EC"])
    (b'\\x00\\x01\\x02', b'\\x00\\x01\\x02')
    """
    if any(chunk.endswith("=") for chunk in chunks[:-1]):
        return b"".join(pybase64.b64decode(chunk) for chunk in chunks)
    return pybase64.b64decode("".join(chunks))


def kept(data: bytes, words: str) -> Clip:
    """Speech as a file: as it is, or with a head where it is bare samples of 16 bits."""
    form = next((form for head, form in HEADS.items() if data.startswith(head)), "")
    if not form:
        samples = np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / np.float32(FULL_SCALE)
        data, form = wav(Wave(samples[None], SPEECH_RATE)), "wav"
    place = folder("speech", "replies") / f"{short(data)}.{form}"
    return Clip(str(place if place.exists() else write(place, data)), name=place.name, words=words)
