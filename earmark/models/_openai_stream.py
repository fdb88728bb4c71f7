"""Assembles a streamed reply to the reply that it would have been without streaming.

    data: {"choices": [{"delta": {"content": "The answer"}, "finish_reason": null}]}
    data: {"choices": [{"delta": {"content": " is B"}, "finish_reason": "stop"}]}
    data: {"choices": [], "usage": {...}}
    data: [DONE]

A stream that ends without a finish reason and without its end marker is no answer.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import aiohttp
import orjson

from earmark.errors import Transient
from earmark.models._http import HttpClient
from earmark.models._openai_reply import Completion, Message, SpeechAudio, has_logprobs, refusals, split_content
from earmark.models._reply import Reply, convert, loads_lenient
from earmark.types import Seconds

END: Final = b"[DONE]"
TEXT_FIELDS: Final = ("content", "reasoning_content", "reasoning", "refusal")  # fields of a delta that add up to a text


class StreamedReply:
    """Parts of a streamed response received so far."""

    def __init__(self, began: Seconds) -> None:
        self._began = began
        self._texts: dict[str, list[str]] = {name: [] for name in TEXT_FIELDS}
        self._audio: list[str] = []
        self._transcript: list[str] = []
        self._logprobs: list[Any] = []
        self._lines: list[bytes] = []  # of an event that has not ended
        self._usage: Any = None
        self._answered = False
        self._finish = ""
        self.error: dict[str, Any] | None = None
        self.ended = False
        self.first_token: Seconds | None = None
        self.first_sound: Seconds | None = None

    @property
    def is_complete(self) -> bool:
        """True if the answer is complete."""
        return self.ended or bool(self._finish)

    def add_event(self, data: bytes) -> None:
        """Add the data of one line; empty data ends an event, which may have several lines."""
        chunk = parse_line(data) if data and not self._lines else data
        if data == END and not self._lines:
            self.ended = True
        elif data and isinstance(chunk, bytes):
            self._lines.append(data)
        elif data:
            self._add_chunk(chunk)
        elif self._lines:
            chunk = parse_line(b"\n".join(self._lines))
            if isinstance(chunk, bytes):
                raise Transient(f"a piece of the stream is no JSON: {chunk[:200]!r}")
            self._lines.clear()
            self._add_chunk(chunk)

    def _add_chunk(self, chunk: Any) -> None:
        piece = convert(chunk, Completion)
        if piece.error:
            self.error = {"error": piece.error}
        self._usage = piece.usage or self._usage
        for choice in piece.choices or ():
            if choice.error:
                self.error = {"error": choice.error}
            self._finish = choice.finish_reason or self._finish
            self._logprobs += [choice.logprobs] if has_logprobs(choice.logprobs) else []
            self._add(choice.delta or Message())
            self._answered = True

    def _add(self, delta: Message) -> None:
        audio = delta.audio or SpeechAudio()
        texts_of_field = {name: split_content(getattr(delta, name)) for name in TEXT_FIELDS}
        words = "".join(text for text, _ in texts_of_field.values()) + (audio.transcript or "")
        if words and self.first_token is None:
            self.first_token = time.perf_counter() - self._began
        if audio.data and self.first_sound is None:
            self.first_sound = time.perf_counter() - self._began
        for name, (text, thought) in texts_of_field.items():
            self._texts[name].append(text)
            self._texts["reasoning"].append(thought)
        self._texts["refusal"].append(refusals(delta.content))
        self._audio += [audio.data] if isinstance(audio.data, str) else audio.data or []
        self._transcript.append(audio.transcript or "")

    def payload(self) -> dict[str, Any]:
        """Return the reply as it would be without streaming."""
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items()}
        if self._audio or any(self._transcript):
            message["audio"] = {"data": self._audio, "transcript": "".join(self._transcript)}
        choice = {"finish_reason": self._finish, "message": message, "logprobs": self._logprobs}
        return {"choices": [choice] if self._answered else [], "usage": self._usage}


async def collect_stream(client: HttpClient, reply: aiohttp.ClientResponse, began: Seconds) -> Reply:
    """Read a stream to its end. Raises Transient if it breaks off."""
    stream = StreamedReply(began)
    async for data in event_lines(client.iter_chunks(reply)):
        stream.add_event(client.hide(data))
        if stream.error is not None:
            return Reply(200, reply.headers, stream.error)
        if stream.ended:
            break
    if not stream.ended:
        stream.add_event(b"")
    if not stream.is_complete:
        raise Transient("the stream ended before the answer did: no finish reason, no end marker")
    seconds = time.perf_counter() - began
    return Reply(200, reply.headers, stream.payload(), seconds, stream.first_token, stream.first_sound)


def parse_line(data: bytes) -> Any:
    """Parse the data of an event; returns the bytes if they are no JSON, or only a part of it."""
    try:
        return loads_lenient(data)
    except orjson.JSONDecodeError:
        return data


async def event_lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the data of each line of a stream, and empty data for a line that ends an event.

    Lines end with CR, LF or both, and may be long, such as a piece of speech.
    """
    begun: list[bytes] = []  # pieces of a line that has not ended yet, joined once
    after_return = False
    async for piece in pieces:
        text = piece[1:] if after_return and piece.startswith(b"\n") else piece
        after_return = piece.endswith(b"\r")
        end, *lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        begun.append(end)
        if lines:
            for data in _parse_events([b"".join(begun), *lines[:-1]]):
                yield data
            begun = lines[-1:]
    for data in _parse_events([b"".join(begun)]):
        yield data


def _parse_events(lines: list[bytes]) -> Iterator[bytes]:
    """
    >>> list(_parse_events([b"data: {}", b": still here", b"", b"event: x", b"data:[DONE]"]))
    [b'{}', b'', b'[DONE]']
    """
    for line in lines:
        name, _, data = line.removeprefix(codecs.BOM_UTF8).partition(b":")
        if not line or (name == b"data" and data.strip()):
            yield data.strip()
