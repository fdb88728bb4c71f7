"""A model that is asked the same thing once: its answers are remembered by content, in a file of the cache.

What was asked is the model's settings and name, every word and role of the prompt, its choices and sampling, and a
digest of the bytes of each sound and picture. Only whole answers are kept: a failure, a withheld or an empty answer and
one that was cut short are asked for again. A remembered answer costs nothing and says so in its notes.

`model.cache=true` gives any model a cache; a judge always has one.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec
import orjson

from earmark.config.settings import ModelConfig
from earmark.data.cache import cache_dir
from earmark.errors import BadData, Rejected
from earmark.plugins import unsigned_fields
from earmark.types import (
    EncodedAudio,
    ImageBytes,
    Model,
    Part,
    Prompt,
    Response,
    Seconds,
    Usage,
    Waveform,
    Wrapper,
    replace,
)

CACHE_FORMAT: Final = 1  # of what is remembered: raised when prompts are named or answers kept in another way
BUSY_TIMEOUT: Final[Seconds] = 60.0  # how long another process may keep the file to itself
ADDRESS: Final = "base_url"  # an unsigned setting that is in the key: another address may be another model
FROM_CACHE: Final = "remembered"
PRAGMAS: Final = (
    "pragma journal_mode=wal",
    "pragma synchronous=normal",
    "create table if not exists answers (key blob primary key, answer blob not null, at real not null) without rowid",
)


class ResponseCache:
    """Answers by key in a file that several processes may share."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._translate_errors():
            self._file = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
            try:
                for line in PRAGMAS:
                    self._file.execute(line)
            except sqlite3.Error:
                self._file.close()
                raise

    def find(self, key: bytes) -> Response | None:
        with self._translate_errors():
            row = self._file.execute("select answer from answers where key = ?", [key]).fetchone()
        return msgspec.json.decode(row[0], type=Response) if row else None

    def keep(self, key: bytes, response: Response) -> None:
        with self._translate_errors():
            self._file.execute(
                "insert or replace into answers values (?, ?, ?)", [key, msgspec.json.encode(response), time.time()]
            )

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadData(
                f"{self._path}: answers cannot be remembered there ({error}); make room or delete it"
            ) from error


class CachedModel(Wrapper):
    """A model whose answers are kept, and given again for the same prompt."""

    def __init__(self, model: Model, memory: ResponseCache, settings: Mapping[str, Any]) -> None:
        super().__init__(model)
        self.cache = memory
        self._who = orjson.dumps([CACHE_FORMAT, model.name, settings], option=orjson.OPT_SORT_KEYS)
        self._asking: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def generate(self, prompt: Prompt) -> Response:
        key = hashlib.sha256(self._who + prompt_content(prompt)).digest()
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:  # the same question asked twice at once is asked once
            cached = self.cache.find(key)
            if cached is not None:
                return replace(cached, usage=Usage(), notes=(*cached.notes, FROM_CACHE))
            response = await self.model.generate(prompt)
            if response.stop == "end" and response.text.strip():
                self.cache.keep(key, response)
            return response


def without_cache(model: Model) -> Model:
    """The same without its memory, where it has one: for who must know how it answers now."""
    inner: object = model
    while isinstance(inner, Wrapper):
        if isinstance(inner, CachedModel):
            return inner.model
        inner = inner.model
    return model


def prompt_content(prompt: Prompt) -> bytes:
    """Everything of a prompt that a model is given, media by digest.

    >>> from earmark.types import Turn
    >>> prompt_content(Prompt((Turn("user", ("Hello.",)),)))
    b'[[["user",["Hello."]]],[],[],{}]'
    """
    turns = [(turn.role, [_part_content(part) for part in turn.parts]) for turn in prompt.turns]
    return orjson.dumps([turns, prompt.choices, prompt.labels, prompt.sampling], option=orjson.OPT_SORT_KEYS)


def _part_content(part: Part) -> str | list[object]:
    if isinstance(part, str):
        return part
    if isinstance(part, EncodedAudio):
        return ["sound", part.format, hashlib.sha256(part.data).hexdigest()]
    if isinstance(part, Waveform):
        return ["samples", part.rate, part.samples.shape[0], hashlib.sha256(part.samples.tobytes()).hexdigest()]
    if isinstance(part, ImageBytes):
        return ["image", part.mime, part.detail, hashlib.sha256(part.data).hexdigest()]
    raise Rejected(
        f"a {type(part).__name__} cannot be remembered as it is; media are prepared before they are asked about"
    )


def key_settings(config: ModelConfig) -> dict[str, Any]:
    """Return the settings of a model that may change an answer, as part of the key of each."""
    plain = {"backend": config.common.backend} | msgspec.to_builtins(config.settings)
    left_out = unsigned_fields(type(config.settings)) - {ADDRESS}
    return {name: value for name, value in plain.items() if name not in left_out}


@contextmanager
def open_cache() -> Iterator[ResponseCache]:
    """Open the cache of answers that all runs share."""
    with closing(ResponseCache(cache_dir("answers") / "answers.sqlite")) as cache:
        yield cache
