"""Encodes prompts as messages of chat completions.

Servers differ in the part for audio (style):

    raw          {"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}}
    data         {"type": "input_audio", "input_audio": {"data": "data:audio/wav;base64,BASE64", "format": "wav"}}
    audio_url    {"type": "audio_url", "audio_url": {"url": "data:audio/wav;base64,BASE64"}}

The order of parts is the order of the prompt. Encoded audio is kept apart until it is sent: JSON has placeholders.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import pybase64
from msgspec import Struct

from earmark.errors import Rejected
from earmark.models._http import MIMES, placeholder
from earmark.types import EncodedAudio, ImageBytes, Part, Turn

Style: TypeAlias = Literal["raw", "data", "audio_url"]


class Profile(Struct, frozen=True):
    """Request style of a kind of server."""

    style: Style = "raw"
    max_body_bytes: int | None = None  # of a whole request
    streams_only: bool = False
    streamed_speech: str = "pcm16"  # format of streamed speech


PROFILES: Final = {
    "openai": Profile(max_body_bytes=20 * 1024 * 1024),
    "vllm": Profile(),
    "dashscope": Profile("data", max_body_bytes=10_000_000, streams_only=True, streamed_speech="wav"),
    "audio_url": Profile("audio_url"),
}
SERVICES: Final = {"api.openai.com": "openai", "dashscope": "dashscope"}  # by a part of the address


def find_profile(name: str, base_url: str) -> Profile:
    """Find the profile of a name; of an address if the name is empty.

    >>> [find_profile("", url).max_body_bytes for url in ("https://api.openai.com/v1", "http://127.0.0.1:8000/v1")]
    [20971520, None]
    """
    host = urlsplit(base_url).hostname or ""
    return PROFILES[name or next((known for part, known in SERVICES.items() if part in host), "vllm")]


def to_messages(turns: tuple[Turn, ...], style: Style, media: list[bytes]) -> list[dict[str, Any]]:
    """Encode turns as messages. Encoded media are appended to `media`, in order."""
    return [{"role": turn.role, "content": to_content(turn.parts, style, media)} for turn in turns]


def to_content(parts: tuple[Part, ...], style: Style, media: list[bytes]) -> str | list[dict[str, Any]]:
    """Encode the content of one message; a message of text alone is a plain string.

    >>> to_content(("Hello.",), "raw", [])
    'Hello.'
    """
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return [_content_part(part, style, media) for part in parts]


def _content_part(part: Part, style: Style, media: list[bytes]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, EncodedAudio):
        media.append(part.base64 or pybase64.b64encode(part.data))
        if style == "raw":
            return {"type": "input_audio", "input_audio": {"data": placeholder(), "format": part.format}}
        url = placeholder(f"data:{MIMES.get(part.format, f'audio/{part.format}')};base64,")
        if style == "data":
            return {"type": "input_audio", "input_audio": {"data": url, "format": part.format}}
        return {"type": "audio_url", "audio_url": {"url": url}}
    if isinstance(part, ImageBytes):
        media.append(part.base64 or pybase64.b64encode(part.data))
        image: dict[str, Any] = {"url": placeholder(f"data:{part.mime};base64,")}
        return {"type": "image_url", "image_url": image | ({"detail": part.detail} if part.detail else {})}
    raise Rejected(f"a {type(part).__name__} cannot be sent as it is; audio must be prepared first")
