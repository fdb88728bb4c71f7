"""A streamed reply, put together to the reply that it would have been whole.

    data: {"choices": [{"delta": {"content": "The answer"}, "finish_reason": null}]}
    data: {"choices": [{"delta": {"content": " is B"}, "finish_reason": "stop"}]}
    data: {"choices": [], "usage": {...}}
    data: [DONE]

A stream that ends without a reason to finish and without its end marker is no answer, however much of one has come.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import aiohttp
import orjson

from earmark.errors import Transient
from earmark.models._http import without_key
from earmark.models._openai_reply import Audio, Completion, Message, any_of, texts
from earmark.models._reply import Reply, loaded, shaped
from earmark.types import Seconds

END: Final = b"[DONE]"
LISTS: Final = ("content", "reasoning_content", "reasoning", "refusal")  # fields of a delta that add up to a text


class Gathered:
    """What has come of a stream so far."""

    def __init__(self, began: Seconds) -> None:
        self._began = began
        self._texts: dict[str, list[str]] = {name: [] for name in LISTS}
        self._audio: list[str] = []
        self._transcript: list[str] = []
        self._logprobs: list[Any] = []
        self._usage: Any = None
        self._answered = False
        self._finish = ""
        self.error: dict[str, Any] | None = None
        self.ended = False
        self.first_token: Seconds | None = None
        self.first_sound: Seconds | None = None

    @property
    def whole(self) -> bool:
        """Whether the answer came to its end."""
        return self.ended or bool(self._finish)

    def take(self, event: bytes) -> None:
        """One event."""
        if event == END:
            self.ended = True
            return
        try:
            chunk = loaded(event)
        except orjson.JSONDecodeError as error:
            raise Transient(f"a piece of the stream is no JSON: {event[:200]!r}") from error
        piece = shaped(chunk, Completion)
        if piece.error:
            self.error = {"error": piece.error}
        self._usage = piece.usage or self._usage
        for choice in piece.choices or ():
            if choice.error:
                self.error = {"error": choice.error}
            self._finish = choice.finish_reason or self._finish
            self._logprobs += [choice.logprobs] if any_of(choice.logprobs) else []
            self._add(choice.delta or Message())
            self._answered = True

    def _add(self, delta: Message) -> None:
        audio = delta.audio or Audio()
        said = {name: texts(getattr(delta, name)) for name in LISTS}
        words = "".join(text for text, _ in said.values()) + (audio.transcript or "")
        if words and self.first_token is None:
            self.first_token = time.perf_counter() - self._began
        if audio.data and self.first_sound is None:
            self.first_sound = time.perf_counter() - self._began
        for name, (text, thought) in said.items():
            self._texts[name].append(text)
            self._texts["reasoning"].append(thought)
        self._audio += [audio.data] if isinstance(audio.data, str) else audio.data or []
        self._transcript.append(audio.transcript or "")

    def payload(self) -> dict[str, Any]:
        """The reply as it would have come whole."""
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items()}
        if self._audio or any(self._transcript):
            message["audio"] = {"data": self._audio, "transcript": "".join(self._transcript)}
        choice = {"finish_reason": self._finish, "message": message, "logprobs": self._logprobs}
        return {"choices": [choice] if self._answered else [], "usage": self._usage}


async def gathered(reply: aiohttp.ClientResponse, began: Seconds) -> Reply:
    """A stream to its end. Raises Transient where it breaks off."""
    found = Gathered(began)
    async for event in events(reply.content):
        found.take(without_key(event, reply.request_info.headers))
        if found.error is not None:
            return Reply(200, reply.headers, found.error)
        if found.ended:
            break
    if not found.whole:
        raise Transient("the stream ended before the answer did: no reason to finish, no end marker")
    seconds = time.perf_counter() - began
    return Reply(200, reply.headers, found.payload(), seconds, found.first_token, found.first_sound)


async def events(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """The data of a stream's events. A line may be long: a piece of speech is."""
    begun: list[bytes] = []  # a line that has not ended yet, in pieces: put together once
    async for piece in content.iter_any():
        end, *lines = piece.split(b"\n")
        begun.append(end)
        if lines:
            for event in _data([b"".join(begun), *lines[:-1]]):
                yield event
            begun = lines[-1:]
    for event in _data([b"".join(begun)]):
        yield event


def _data(lines: list[bytes]) -> Iterator[bytes]:
    """
    >>> list(_data([b"data: {}", b": still here", b"", b"event: x", b"data:[DONE]"]))
    [b'{}', b'[DONE]']
    """
    return (line[5:].strip() for line in lines if line.startswith(b"data:") and line[5:].strip())
