"""What adapters of services share: a connection with limits on every wait, and the network's failures under our names."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import zip_longest
from typing import Any, Final, Protocol

import aiohttp
import orjson
from aiohttp.abc import AbstractStreamWriter

from earmark.errors import AskError, BadSetup, Rejected, Transient
from earmark.types import Seconds

TRANSIENT: Final = frozenset(
    {408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529}
)  # 520 to 524: a proxy lost it
BUSY: Final = frozenset({429, 503, 529})
OUR_SETUP: Final = frozenset({401, 402, 403, 404})
MIMES: Final = {
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "m4a": "audio/mp4",
    "webm": "audio/webm",
}
KEYS: Final = ("Authorization", "x-goog-api-key")  # the heads that hold keys
SHORTEST_KEY: Final = 8  # a shorter one may be part of any word
LARGE: Final = 65536  # bytes
GAP: Final = b"\x00"  # where encoded media go into a request; JSON holds this byte nowhere else


class Reached(Protocol):
    """The settings of whatever is reached over a network."""

    @property
    def base_url(self) -> str: ...
    @property
    def timeout(self) -> Seconds:
        """For one whole answer."""
        ...

    @property
    def connect(self) -> Seconds:
        """To open a connection, and for small questions such as which models there are."""
        ...


def key_in(variable: str, *, needed: bool = False) -> str:
    """The key that an environment variable holds; empty where there is none. A line's end that came along is left out."""
    key = os.environ.get(variable, "").strip()
    if needed and not key:
        raise BadSetup(f"${variable} holds no key; set it, or name another variable with model.api_key_env=NAME")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in key):
        raise BadSetup(
            f"${variable} holds a key of several lines, or with a control character in it; expected one line"
        )
    return key


def without_key(data: bytes, headers: Mapping[str, str]) -> bytes:
    """What a service said, without the key that it was asked with: some repeat it when they refuse it.

    >>> without_key(b"no such key: sk-12345678", {"Authorization": "Bearer sk-12345678"})
    b'no such key: ***'
    """
    for name in KEYS:
        key = headers.get(name, "").rpartition(" ")[2].encode()
        if len(key) >= SHORTEST_KEY and key in data:
            data = data.replace(key, b"***")
    return data


class KeylessResponse(aiohttp.ClientResponse):
    """A response whose body never holds the key: what is read of it may be written down."""

    async def read(self) -> bytes:
        self._body = without_key(await super().read(), self.request_info.headers)
        if self.history and self.method != self.history[0].method:  # the question was left behind
            raise BadSetup(
                f"{self.history[0].url} answers with a redirection (HTTP {self.history[0].status}) to {self.url}; give the address that it leads to"
            )
        return self._body


@asynccontextmanager
async def session(settings: Reached, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientSession]:
    """A connection to a service; the run bounds what is under way."""
    timeout = aiohttp.ClientTimeout(total=settings.timeout, sock_connect=min(settings.connect, settings.timeout))
    connector, cookies = aiohttp.TCPConnector(limit=0), aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(
        headers=headers, timeout=timeout, connector=connector, cookie_jar=cookies, response_class=KeylessResponse
    ) as opened:
        yield opened


@contextmanager
def translated_errors(settings: Reached) -> Iterator[None]:
    """Failures of the network under our own names."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as error:
        raise Transient(
            f"no connection to {settings.base_url} within {settings.connect:g} s; model.connect=SECONDS waits longer"
        ) from error
    except TimeoutError as error:
        raise Transient(f"no whole answer within {settings.timeout:g} s; model.timeout=SECONDS waits longer") from error
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise BadSetup(f"'{settings.base_url}' is no address; expected one such as http://127.0.0.1:8000/v1") from error
    except aiohttp.ClientConnectorCertificateError as error:
        raise BadSetup(
            f"{settings.base_url} shows a certificate that this machine does not trust ({error.certificate_error}); check the address, or install the certificate"
        ) from error
    except aiohttp.ClientError as error:
        raise Transient(f"{type(error).__name__}: {error}") from error


def by_status(status: int, message: str, wait: Seconds | None) -> AskError | BadSetup:
    """What an HTTP status amounts to, where nothing more is known."""
    if status in OUR_SETUP:
        return BadSetup(f"{message}; check the key, the address and the model's name")
    if status in TRANSIENT:
        return Transient(message, wait, busy=status in BUSY)
    return Rejected(message)


def asked_to_wait(headers: Mapping[str, str]) -> Seconds | None:
    """How long the head of a reply asks us to wait."""
    return retry_after(headers.get("Retry-After"), datetime.now(UTC))


def retry_after(header: str | None, now: datetime) -> Seconds | None:
    """How long a server asks us to wait, given in seconds or as a date; None where it does not say or cannot be read.

    >>> now = datetime(1994, 11, 6, 8, 49, 30, tzinfo=UTC)
    >>> [retry_after(head, now) for head in ("2", "2abc", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994")]
    [2.0, None, 7.0, 7.0]
    """
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)  # a date of the old form names no zone: all are of Greenwich
    return max(0.0, (at - now).total_seconds())


def gap(before: str = "") -> orjson.Fragment:
    """A text in JSON that encoded media will fill."""
    return orjson.Fragment(b'"' + before.encode() + GAP + b'"')


def pieces(request: Mapping[str, Any], media: list[bytes]) -> list[bytes]:
    """A request as it goes over the wire, in pieces, its gaps filled.

    >>> pieces({"data": gap("data:")}, [b"AAAA"])
    [b'{"data":"data:', b'AAAA', b'"}']
    """
    words = orjson.dumps(request).split(GAP)
    return [piece for pair in zip_longest(words, media, fillvalue=b"") for piece in pair if piece]


class Body(aiohttp.payload.Payload):
    """A request body of JSON in pieces, sent one after the other: encoded sound is not copied into one long text."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._pieces = pieces
        self._size = sum(map(len, pieces))

    @property
    def bytes(self) -> int:
        """How long it is."""
        return self._size or 0

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._pieces).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        few: list[bytes] = []
        for piece in self._pieces:  # small ones together; a large one alone: copying it costs more than a system call
            if len(piece) < LARGE:
                few.append(piece)
                continue
            if few:
                await writer.write(b"".join(few))
                few = []
            await writer.write(piece)
        if few:
            await writer.write(b"".join(few))


def check_size(size: int, limit: int | None) -> None:
    """Raise Rejected for a request that the service would not take, before it is sent."""
    if limit is not None and size > limit:
        raise Rejected(
            f"the request has {size:,} bytes, the service takes {limit:,}; nothing was sent. Send fewer or shorter clips, or raise model.max_body_bytes"
        )
