"""HTTP client of the adapters: limits on waits and on replies, redacted keys, and errors of the network as AskError."""

from __future__ import annotations

import ipaddress
import zlib
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from aiohttp.abc import AbstractStreamWriter
from msgspec import Meta, Struct
from yarl import URL

from earmark.errors import AskError, BadSetup, Rejected, Transient
from earmark.models._keys import KeySettings, find_key, hide, parse_address
from earmark.types import Seconds, replace

TRANSIENT: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529})  # 520-524: a proxy's
BUSY: Final = frozenset({429, 503, 529})
SETUP_STATUSES: Final = frozenset({401, 402, 403, 404})
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MIMES: Final = {
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "m4a": "audio/mp4",
    "webm": "audio/webm",
}
LARGE_CHUNK: Final = 65536  # bytes
MaxBytes: TypeAlias = Annotated[int, Meta(ge=1)] | None
MAX_REPLY: Final = 16 * 1024 * 1024  # bytes of a reply after unpacking, unless the user says otherwise
OWN_DOMAINS: Final = (".local", ".lan", ".internal", ".localdomain", ".home.arpa")
GZIP_OR_ZLIB, RAW_DEFLATE = 47, -15  # zlib's numbers for the format of its input
PLACEHOLDER: Final = b"\x00"  # stands for encoded media in a request; JSON contains this byte nowhere else
ENGINES: Final = ("vllm", "sglang", "llamacpp")  # servers that users run, as their list of models names them


class HttpSettings(KeySettings, Protocol):
    """Settings of a model that is reached over a network."""

    @property
    def timeout(self) -> Seconds:
        """For one complete response."""
        ...

    @property
    def connect_timeout(self) -> Seconds:
        """To open a connection, and for small requests such as the list of models."""
        ...

    @property
    def max_reply_bytes(self) -> int | None:
        """Of a reply after decompression; None: no limit."""
        ...


class HttpClient:
    """A client of one service. Its requests follow no redirect, and every wait has a limit."""

    def __init__(
        self, session: aiohttp.ClientSession, settings: HttpSettings, key: str, query: Mapping[str, str]
    ) -> None:
        self.session, self.settings, self._key = session, settings, key
        self._query = query  # added to the query of every request
        self._proxy, self._proxy_headers = proxy_for(parse_address(settings.base_url))
        self._urls: dict[str, URL] = {}
        self._moved: tuple[str, ...] = ()  # a warning, where this is not the address that was given

    def url(self, path: str) -> URL:
        """Return the address of one endpoint."""
        if path not in self._urls:
            self._urls[path] = endpoint(self.settings.base_url, path).update_query(self._query)
        return self._urls[path]

    def moved_to(self, base_url: str) -> HttpClient:
        """Return a client of another address of the same server."""
        moved: HttpSettings = replace(self.settings, base_url=base_url)  # type: ignore[type-var] # structs, all of them
        client = HttpClient(self.session, moved, self._key, self._query)
        client._moved = (f"{self.settings.base_url} lists no models, {base_url} does, and is used",)
        return client

    @property
    def is_hosted(self) -> bool:
        """True if the address is none of this machine or of a private network."""
        return not is_own(parse_address(self.settings.base_url).host or "")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to show before the first request."""
        url = parse_address(self.settings.base_url)
        if not self._key or url.scheme == "https" or is_loopback(url.host or ""):
            return self._moved
        return (*self._moved, f"the key is sent to {url.host} unencrypted, by http://; use https://")

    @asynccontextmanager
    async def request(
        self, method: str, path: str, *, wait: Literal["timeout", "connect_timeout"] = "timeout", **body: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request. `wait` names the setting that limits the time until the complete reply has been read."""
        limits = self.settings
        longest = limits.timeout if wait == "timeout" else limits.connect_timeout
        timeout = aiohttp.ClientTimeout(total=longest, sock_connect=min(limits.connect_timeout, longest))
        options: dict[str, Any] = {"proxy": self._proxy, "proxy_headers": self._proxy_headers, "timeout": timeout}
        url = self.url(path)
        with self._translate_errors(wait, longest):
            async with self.session.request(method, url, allow_redirects=False, **options, **body) as reply:
                if reply.status in REDIRECTS:
                    raise BadSetup(self._hide_in_text(_redirection(url, reply)))
                yield reply

    async def read(self, reply: aiohttp.ClientResponse, *, at_least: int = 0) -> bytes:
        """Read the body of a reply, without the key. Raises Rejected if it is too large."""
        packed = reply.headers.get("Content-Encoding")
        if not packed and reply.content_length and reply.content_length <= self._max_bytes(at_least):
            return self.hide(await reply.read())
        return self.hide(b"".join([piece async for piece in self.iter_chunks(reply, at_least=at_least)]))

    async def iter_chunks(self, reply: aiohttp.ClientResponse, *, at_least: int = 0) -> AsyncIterator[bytes]:
        """Yield the body of a reply as it arrives, decompressed. Raises Rejected if it grows too large."""
        size, limit = 0, self._max_bytes(at_least)
        async for piece in unpack(reply):
            size += len(piece)
            if size > limit:
                raise Rejected(
                    f"the reply has more than {limit:,} bytes, and the rest was not read; raise model.max_reply_bytes"
                )
            yield piece

    def hide(self, data: bytes) -> bytes:
        """Replace the key in data of the service."""
        return hide(data, self._key)

    def _max_bytes(self, at_least: int) -> float:
        limit = self.settings.max_reply_bytes
        return float("inf") if limit is None else max(limit, at_least)

    def _hide_in_text(self, text: str) -> str:
        return hide(text.encode(errors="replace"), self._key).decode()

    @contextmanager
    def _translate_errors(self, wait: str, longest: Seconds) -> Iterator[None]:
        """Translate errors of the network."""
        address, connect = self.settings.base_url, self.settings.connect_timeout
        if self._proxy:
            address += f" through the proxy {self._proxy}"
        try:
            yield
        except aiohttp.ConnectionTimeoutError as error:
            raise Transient(f"no connection to {address} within {connect:g} s; raise model.connect_timeout") from error
        except TimeoutError as error:
            raise Transient(f"no complete response within {longest:g} s; raise model.{wait}") from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise BadSetup(
                f"{address} shows a certificate that this machine does not trust ({error.certificate_error}); "
                "check the address, or install the certificate"
            ) from error
        except aiohttp.ClientError as error:
            raise Transient(self._hide_in_text(f"{type(error).__name__}: {error}")) from error


class ServiceModel(Struct, frozen=True, eq=False, kw_only=True):
    """Base class of models that are reached over a network."""

    client: HttpClient
    engine: str = ""  # the server's software, if its list of models says

    @property
    def is_hosted(self) -> bool:
        """True if it is a public service: neither at a private address, nor an engine that users run themselves."""
        return self.client.is_hosted and self.engine not in ENGINES

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.client.warnings


@asynccontextmanager
async def open_client(settings: HttpSettings, *, header: str = "") -> AsyncIterator[HttpClient]:
    """Open a client of a service; the run limits concurrency. Neither ~/.netrc nor cookies are used.

    The key is sent where the settings say, else in `header` as it is, else as a bearer token.
    """
    key, name = find_key(settings), settings.api_key_header or header
    headers = {"Accept-Encoding": "identity"}  # a reply that is compressed anyway is decompressed within the limit
    if key and not settings.api_key_query:
        headers |= {name: key} if name else {"Authorization": f"Bearer {key}"}
    query = {settings.api_key_query: key} if settings.api_key_query else {}
    connector, cookies = aiohttp.TCPConnector(limit=0), aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(
        headers=headers, connector=connector, cookie_jar=cookies, auto_decompress=False
    ) as session:
        yield HttpClient(session, settings, key, query)


def endpoint(base_url: str, path: str) -> URL:
    """Join the address of a service and the path of an endpoint; a query of the address stays at the end.

    >>> str(endpoint("http://host/x?api-version=2024-10-21", "/chat/completions"))
    'http://host/x/chat/completions?api-version=2024-10-21'
    """
    address, _, query = base_url.partition("#")[0].partition("?")
    own_path, _, own_query = path.partition("?")
    both = "&".join(filter(None, (query, own_query)))
    return URL(f"{address.rstrip('/')}{own_path}{'?' if both else ''}{both}")


def proxy_for(url: URL) -> tuple[URL | None, dict[str, str] | None]:
    """Find the proxy for an address in HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and its user and password.

    Addresses of this machine are reached directly. ~/.netrc is not read: it would send its passwords to servers.
    """
    host = url.host or ""
    address = None if is_loopback(host) or proxy_bypass(f"{host}:{url.port}") else getproxies().get(url.scheme)
    if not address:
        return None, None
    variable = f"{url.scheme.upper()}_PROXY"
    try:
        proxy = URL(address if "://" in address else f"http://{address}")
    except ValueError as error:
        raise BadSetup(f"{variable} holds no address; expected http://HOST:PORT") from error
    if proxy.scheme not in ("http", "https") or not proxy.host:
        raise BadSetup(
            f"{variable} names a proxy of {proxy.scheme}://, expected http://HOST:PORT; NO_PROXY={host} avoids it"
        )
    user = b64encode(f"{proxy.user or ''}:{proxy.password or ''}".encode()).decode()
    return proxy.with_user(None), {"Authorization": f"Basic {user}"} if proxy.user or proxy.password else None


def is_loopback(host: str) -> bool:
    """True if a host is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_own(host: str) -> bool:
    """True if a host is this machine or in a private network, as far as its name shows.

    >>> is_own("10.1.2.3"), is_own("gpu7"), is_own("gpu7.cluster.internal"), is_own("api.openai.com"), is_own("8.8.8.8")
    (True, True, True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return is_loopback(host) or "." not in host or host.endswith(OWN_DOMAINS)


def _redirection(url: URL, reply: aiohttp.ClientResponse) -> str:
    target = reply.headers.get("Location", "")
    with suppress(ValueError):  # an invalid address is shown as it is
        target = str(url.join(URL(target)))
    return (
        f"{url} redirects (HTTP {reply.status}) to {target[:500]}; redirects are not followed: give the final address"
    )


async def unpack(reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """Yield the body of a reply decompressed, in pieces of bounded size."""
    packing = reply.headers.get("Content-Encoding", "").strip().lower()
    if packing in ("", "identity"):
        async for piece in reply.content.iter_any():
            yield piece
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise Rejected(
            f"the reply is compressed as {packing[:80]!r}, which was not requested; expected gzip, deflate or none"
        )
    inflate: zlib._Decompress | None = None
    try:
        async for piece in reply.content.iter_any():
            if inflate is None:  # some servers send deflate without its header
                inflate = zlib.decompressobj(GZIP_OR_ZLIB if piece[0] in (0x1F, 0x78) else RAW_DEFLATE)
            left = piece
            while left and not inflate.eof:
                yield inflate.decompress(left, LARGE_CHUNK)
                left = inflate.unconsumed_tail
        if inflate is not None:
            yield inflate.flush()
    except zlib.error as error:
        raise Transient(f"the reply cannot be decompressed: {error}") from error
    if inflate is not None and not inflate.eof:
        raise Transient("the reply ended within its compressed data")


def error_of_status(status: int, message: str, wait: Seconds | None) -> AskError | BadSetup:
    """Translate an HTTP status, if nothing more is known."""
    if status in SETUP_STATUSES:
        return BadSetup(f"{message}; check the key, the address (most end in /v1) and the model's name")
    if status in TRANSIENT:
        return Transient(message, wait, busy=status in BUSY)
    return Rejected(message)


def retry_after(headers: Mapping[str, str]) -> Seconds | None:
    """Parse the wait that the headers of a reply ask for."""
    return parse_retry_after(headers.get("Retry-After"), datetime.now(UTC))


def parse_retry_after(header: str | None, now: datetime) -> Seconds | None:
    """Parse a wait, in seconds or as a date; None if there is none, or no valid one.

    >>> now = datetime(1994, 11, 6, 8, 49, 30, tzinfo=UTC)
    >>> dates = "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:00 GMT"
    >>> [parse_retry_after(header, now) for header in ("2", *dates)]
    [2.0, 7.0, 7.0, None]
    >>> [parse_retry_after(header, now) for header in ("2abc", "-5", "nan", "inf", "0")]
    [None, None, None, None, None]
    """
    if header is None:
        return None
    try:
        return sensible_wait(float(header))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # a date of the old form names no zone
        return sensible_wait((moment - now).total_seconds())
    except (ValueError, OverflowError):
        return None


def sensible_wait(seconds: Seconds) -> Seconds | None:
    """Return a wait that a server asks for; None if it is none, so that our own back-off applies."""
    return seconds if 0 < seconds < float("inf") else None


def placeholder(before: str = "") -> orjson.Fragment:
    """Return a string in JSON that encoded media will fill."""
    return orjson.Fragment(b'"' + before.encode() + PLACEHOLDER + b'"')


def body_chunks(request: Mapping[str, Any], media: list[bytes]) -> list[bytes]:
    """Encode a request in pieces, its placeholders filled.

    >>> body_chunks({"data": placeholder("data:")}, [b"AAAA"])
    [b'{"data":"data:', b'AAAA', b'"}']
    """
    words = orjson.dumps(request).split(PLACEHOLDER)
    return [piece for pair in zip_longest(words, media, fillvalue=b"") for piece in pair if piece]


class ChunkedBody(aiohttp.payload.Payload):
    """A request body of JSON in pieces, sent one after the other: encoded audio is not copied into one long string."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._pieces = pieces
        self._size = sum(map(len, pieces))

    @property
    def bytes(self) -> int:
        """Length in bytes."""
        return self._size or 0

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._pieces).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        few: list[bytes] = []
        for piece in self._pieces:  # small ones are joined; copying a large one costs more than a system call
            if len(piece) < LARGE_CHUNK:
                few.append(piece)
                continue
            if few:
                await writer.write(b"".join(few))
                few = []
            await writer.write(piece)
        if few:
            await writer.write(b"".join(few))


def check_size(size: int, limit: int | None) -> None:
    """Raise Rejected for a request that is too large for the service, before it is sent."""
    if limit is not None and size > limit:
        raise Rejected(
            f"the request has {size:,} bytes, the service takes {limit:,}; nothing was sent. Send fewer or shorter "
            "clips, or raise model.max_body_bytes"
        )
