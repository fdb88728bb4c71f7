"""Responses of a service before they are parsed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
import orjson
from msgspec import Meta

from earmark.errors import Transient
from earmark.types import Seconds

LONGEST: Final = 500  # characters of a server's message that are shown
ESCAPES: Final = re.compile(  # of JSON: a letter in two halves, half a letter, any other
    rb"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>u[dD][89a-fA-F]\w\w)|.)", re.DOTALL
)
Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)] | None  # of tokens, as servers report it
Money: TypeAlias = Annotated[float, Meta(ge=0, le=1e6)] | None  # for one answer: sums of it stay numbers
SUCCESS: Final = range(200, 300)  # HTTP statuses
T = TypeVar("T")


class Reply(NamedTuple):
    """Response of a service, and its timing."""

    status: int
    headers: Mapping[str, str]
    payload: dict[str, Any] | bytes  # bytes: no JSON object
    seconds: Seconds = 0.0
    first_token: Seconds | None = None
    first_audio: Seconds | None = None

    @property
    def ok(self) -> bool:
        """True if it may contain an answer: some servers send one with 201 or 206."""
        return self.status in SUCCESS


def parse_payload(data: bytes) -> dict[str, Any] | bytes:
    """Parse a JSON object; returns the bytes if they are none."""
    try:
        value = loads_lenient(data)
    except orjson.JSONDecodeError:
        return data
    return value if isinstance(value, dict) else data


def loads_lenient(data: bytes) -> Any:
    r"""Parse JSON, without a byte order mark.

    Half of a surrogate pair, which some servers send where they truncate, becomes U+FFFD: no answer is lost by it.

    >>> loads_lenient(rb'"\ud83d \ud83d\ude00 \\ud83d"') == "\ufffd \U0001f600 \\ud83d"
    True
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return orjson.loads(ESCAPES.sub(lambda match: rb"\ufffd" if match["half"] else match[0], data))


def convert(part: Any, kind: type[T]) -> T:
    """Convert a payload, or a part of it, to a type. Raises Transient with the place of a mismatch."""
    try:
        return msgspec.convert(part, kind)
    except msgspec.ValidationError as error:
        raise Transient(f"the reply has not the form that it should have: {error}") from error


def parse_usage(used: Any, kind: type[T]) -> T:
    """Parse token counts; empty if they are malformed, so that the response is not lost.

    >>> class Used(msgspec.Struct):
    ...     tokens: Count = None
    >>> [parse_usage(used, Used).tokens for used in ({"tokens": "7"}, {"tokens": -7}, [])]
    [7, None, None]
    """
    try:
        return msgspec.convert(used, kind, strict=False)
    except msgspec.ValidationError:
        return kind()


def error_fields(payload: Mapping[str, Any] | bytes) -> tuple[str, str, str]:
    """Return the message, the parameter and the code of an error; a payload that is no JSON is the message.

    >>> error_fields({"error": {"message": {"why": "busy"}, "param": ["n"], "code": 429}})
    ('{"why":"busy"}', '["n"]', '429')
    >>> error_fields({"error": [1]})[0]
    '[1]'
    """
    if isinstance(payload, bytes):
        return payload.decode("utf-8", "replace")[:LONGEST] or "no message", "", ""
    error = payload.get("error") or payload
    if not isinstance(error, Mapping):
        return as_text(error), "", ""
    message = error.get("message") or error.get("detail") or "no message"
    return as_text(message), as_text(error.get("param") or ""), as_text(error.get("code") or error.get("type") or "")


def as_text(part: Any) -> str:
    """Format any part of a reply."""
    if isinstance(part, str):
        return part[:LONGEST]
    try:
        return orjson.dumps(part).decode()[:LONGEST]
    except orjson.JSONEncodeError:  # lists in lists in lists
        return "(nested too deeply to be shown)"


def status_code(code: Any) -> int | None:
    """Parse the HTTP status in the code of an error, a number or its digits; None if it is none.

    >>> status_code(429), status_code("503"), status_code(True), status_code("9" * 5000), status_code(-1)
    (429, 503, None, None, None)
    """
    digits = str(code) if type(code) in (int, str) and len(str(code)) == 3 else ""
    return int(digits) if digits.isascii() and digits.isdigit() and digits >= "100" else None
