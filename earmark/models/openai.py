"""Chat completions: OpenAI, and every server that speaks its language and takes `input_audio`.

One endpoint over aiohttp. Sound goes out as raw base64 with the format that its bytes have; the order of parts is the
order of the prompt. An answer is an answer whole or not at all: an error inside a 200, a body that is no JSON or a
reply without choices is a failure.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import zip_longest
from typing import Any, Literal

import aiohttp
import orjson
import pybase64
from aiohttp.abc import AbstractStreamWriter
from msgspec import UNSET, Struct, UnsetType
from yarl import URL

from earmark.errors import AskError, BadSetup, Filtered, Rejected, Transient
from earmark.types import Hears, Image, Part, Prompt, Response, Seconds, Sound, Usage

STOPS: dict[str, Literal["end", "length", "filtered"]] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
BUSY = frozenset({429, 503, 529})
OUR_SETUP = frozenset({401, 402, 403, 404})
FILTERED = ("content_filter", "content_policy_violation", "moderation_blocked")
LARGE = 65536  # bytes
GAP = b"\x00"  # where encoded media go into a request; JSON holds this byte nowhere else
OUT_OF_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set in YAML or as `model.name=value`."""

    name: str = ""  # empty: the first that the server lists
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = (
        "OPENAI_API_KEY"  # the environment variable that holds the key; the key itself is never a setting
    )
    system_prompt: str | None = None
    temperature: float | None | UnsetType = (
        UNSET  # unset: what the benchmark prescribes, else 0; null: the server's default
    )
    max_tokens: int | None | UnsetType = UNSET  # unset: what the benchmark prescribes; null: the server's default
    extra: dict[str, Any] = {}  # further fields of the request body, as the server documents them
    hears: Hears = Hears(pictures=True, base64=True)
    timeout: Seconds = 600.0  # for one whole answer


class ChatModel(Struct, frozen=True, eq=False):
    """A model behind a chat completions endpoint."""

    name: str
    settings: Settings
    session: aiohttp.ClientSession
    url: URL

    @property
    def hears(self) -> Hears:
        return self.settings.hears

    async def generate(self, prompt: Prompt) -> Response:
        body = Body(self.body(prompt))
        started = time.perf_counter()
        with translated_errors(self.settings):
            async with self.session.post(self.url, data=body) as reply:
                payload, status, headers = await reply.read(), reply.status, reply.headers
        return read_reply(payload, status, headers, time.perf_counter() - started)

    def body(self, prompt: Prompt) -> list[bytes]:
        """The request as it goes over the wire, in pieces: encoded sound is not copied into one long text."""
        media: list[bytes] = []
        messages = [{"role": turn.role, "content": content(turn.parts, media)} for turn in prompt.turns]
        if self.settings.system_prompt is not None:
            messages.insert(0, {"role": "system", "content": self.settings.system_prompt})
        request: dict[str, Any] = {"model": self.name, "messages": messages}
        for field, usual in (("temperature", 0.0), ("max_tokens", None)):
            value = getattr(self.settings, field)
            value = prompt.sampling.get(field, usual) if value is UNSET else value
            if value is not None:
                request[field] = value
        words = orjson.dumps(request | self.settings.extra).split(GAP)
        return [piece for pair in zip_longest(words, media, fillvalue=b"") for piece in pair if piece]


class Body(aiohttp.payload.Payload):
    """A request body in pieces, sent one after the other."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._pieces = pieces
        self._size = sum(map(len, pieces))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._pieces).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        few: list[bytes] = []
        for (
            piece
        ) in self._pieces:  # small ones together; a large one alone, since copying it costs more than a system call
            if len(piece) < LARGE:
                few.append(piece)
                continue
            if few:
                await writer.write(b"".join(few))
                few = []
            await writer.write(piece)
        if few:
            await writer.write(b"".join(few))


def content(parts: tuple[Part, ...], media: list[bytes]) -> str | list[dict[str, Any]]:
    """The content of one message; a message of words alone is a plain string. Encoded media go to `media`, in order.

    >>> content(("Hello.",), [])
    'Hello.'
    """
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return [_content_part(part, media) for part in parts]


def _content_part(part: Part, media: list[bytes]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Image):
        media.append(part.base64 or pybase64.b64encode(part.data))
        url: dict[str, Any] = {"url": orjson.Fragment(b'"data:' + part.mime.encode() + b";base64," + GAP + b'"')}
        return {"type": "image_url", "image_url": url | ({"detail": part.detail} if part.detail else {})}
    if isinstance(part, Sound):
        media.append(part.base64 or pybase64.b64encode(part.data))
        return {
            "type": "input_audio",
            "input_audio": {"data": orjson.Fragment(b'"' + GAP + b'"'), "format": part.format},
        }
    raise Rejected(f"a {type(part).__name__} cannot be sent as it is; sound is prepared before it is asked about")


def read_reply(payload: bytes, status: int, headers: Mapping[str, str], seconds: Seconds) -> Response:
    """The answer in a reply, or the AskError that the reply amounts to."""
    try:
        reply = orjson.loads(payload)
    except orjson.JSONDecodeError:
        reply = None
    if status != 200 or not isinstance(reply, dict) or not reply.get("choices"):
        raise failure(reply if isinstance(reply, dict) else payload, status, headers)
    choice = reply["choices"][0]
    message = choice.get("message") or {}
    stop = STOPS.get(choice.get("finish_reason") or "", "end")
    if message.get("refusal"):
        return Response(message["refusal"], "filtered", usage=_usage(reply), seconds=seconds)
    text, thoughts = _texts(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("reasoning") or thoughts
    return Response(text, stop, reasoning, usage=_usage(reply), seconds=seconds)


def _texts(content: Any) -> tuple[str, str]:
    """The words of a message and the thoughts beside them; content is a text, nothing, or a list of typed parts."""
    if isinstance(content, list):
        said = [
            part.get("text") or ""
            for part in content
            if isinstance(part, dict) and part.get("type") in ("text", "output_text")
        ]
        thought = [
            orjson.dumps(part["thinking"]).decode()
            for part in content
            if isinstance(part, dict) and part.get("thinking")
        ]
        return "".join(said), "\n".join(thought)
    return content or "", ""


def _usage(reply: dict[str, Any]) -> Usage:
    used = reply.get("usage") or {}
    details = used.get("prompt_tokens_details") or {}
    return Usage(used.get("prompt_tokens") or 0, used.get("completion_tokens") or 0, details.get("audio_tokens") or 0)


def failure(reply: dict[str, Any] | bytes, status: int, headers: Mapping[str, str]) -> AskError | BadSetup:
    """What went wrong, in our own words and kinds."""
    told = (reply.get("error") or reply) if isinstance(reply, dict) else {}
    told = told if isinstance(told, dict) else {"message": str(told)}
    code = told.get("code") or told.get("type") or ""
    said = str(
        told.get("message")
        or told.get("detail")
        or (reply.decode("utf-8", "replace") if isinstance(reply, bytes) else "no message")
    )[:500]
    if status == 200:  # an error inside a success: its own code says what it is
        status = code if isinstance(code, int) else 502
    message = f"HTTP {status}: {said}"
    if any(word in str(code) for word in FILTERED):
        return Filtered(message)
    if str(code) in OUT_OF_CREDIT:
        return BadSetup(f"{message}; the account has no credit left")
    if status in OUR_SETUP:
        return BadSetup(f"{message}; check the key, the address and the model's name")
    if status in TRANSIENT:
        return Transient(message, retry_after(headers.get("Retry-After"), datetime.now(UTC)), busy=status in BUSY)
    return Rejected(message)


def retry_after(header: str | None, now: datetime) -> Seconds | None:
    """How long a server asks us to wait, given in seconds or as a date; None where it does not say or cannot be read.

    >>> retry_after("2", datetime.now(UTC)), retry_after("2abc", datetime.now(UTC))
    (2.0, None)
    """
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - now).total_seconds())
    except ValueError:
        return None


@contextmanager
def translated_errors(settings: Settings) -> Iterator[None]:
    """Failures of the network under our own names."""
    try:
        yield
    except TimeoutError as error:
        raise Transient(f"no whole answer within {settings.timeout:g} s; model.timeout=SECONDS waits longer") from error
    except aiohttp.InvalidURL as error:
        raise BadSetup(f"'{settings.base_url}' is no address; expected one such as http://127.0.0.1:8000/v1") from error
    except aiohttp.ClientError as error:
        raise Transient(f"{type(error).__name__}: {error}") from error


@asynccontextmanager
async def load(settings: Settings) -> AsyncIterator[ChatModel]:
    """Open a connection and find the model's name."""
    key = os.environ.get(settings.api_key_env, "")
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    timeout = aiohttp.ClientTimeout(total=settings.timeout, sock_connect=min(30.0, settings.timeout))
    connector, cookies = aiohttp.TCPConnector(limit=0), aiohttp.DummyCookieJar()  # the run bounds what is under way
    async with aiohttp.ClientSession(
        headers=headers, timeout=timeout, connector=connector, cookie_jar=cookies
    ) as session:
        name = settings.name or await first_listed(session, settings)
        yield ChatModel(name, settings, session, URL(f"{settings.base_url}/chat/completions"))


async def first_listed(session: aiohttp.ClientSession, settings: Settings) -> str:
    """The first model that a server lists."""
    try:
        with translated_errors(settings):
            async with session.get(f"{settings.base_url}/models", timeout=aiohttp.ClientTimeout(total=30)) as reply:
                listed = orjson.loads(await reply.read()) if reply.status == 200 else {}
    except (Transient, orjson.JSONDecodeError) as error:
        raise BadSetup(
            f"nothing answers at {settings.base_url} ({error}); start the server, or give model.base_url=URL"
        ) from error
    models = listed.get("data") or [] if isinstance(listed, dict) else []
    if not models:
        raise BadSetup(
            f"{settings.base_url}/models lists no model (HTTP {reply.status}); give its name with model.name=NAME, and check ${settings.api_key_env}"
        )
    name: str = models[0]["id"]
    return name
