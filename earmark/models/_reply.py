"""What comes back from a service, before anybody has made sense of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
import orjson
from msgspec import Meta

from earmark.errors import Transient
from earmark.types import Seconds

NO_LOGPROBS: Final = "log-probabilities were asked for, and the server sent none"
ESCAPES: Final = re.compile(  # of JSON: a letter in two halves, half a letter, any other
    rb"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>u[dD][89a-fA-F]\w\w)|.)", re.DOTALL
)
Count: TypeAlias = Annotated[int, Meta(ge=0)] | None  # of tokens, as servers tell it
T = TypeVar("T")


class Reply(NamedTuple):
    """What came back, and when."""

    status: int
    headers: Mapping[str, str]
    payload: dict[str, Any] | bytes  # bytes: no JSON object
    seconds: Seconds = 0.0
    first_token: Seconds | None = None
    first_sound: Seconds | None = None


def parsed(data: bytes) -> dict[str, Any] | bytes:
    """A JSON object, or the bytes where they are none."""
    try:
        found = loaded(data)
    except orjson.JSONDecodeError:
        return data
    return found if isinstance(found, dict) else data


def loaded(data: bytes) -> Any:
    r"""JSON. Half a letter, which no text may hold and some servers send where they cut one, is U+FFFD: the answer is not lost by it.

    >>> loaded(rb'"\ud83d \ud83d\ude00 \\ud83d"') == "\ufffd \U0001f600 \\ud83d"
    True
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return orjson.loads(ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], data))


def shaped(part: Any, kind: type[T]) -> T:
    """What came, or a part of it, as what it should be. Raises Transient, saying where it is something else."""
    try:
        return msgspec.convert(part, kind)
    except msgspec.ValidationError as error:
        raise Transient(f"the reply has not the form that it should have: {error}") from error


def counted(used: Any, kind: type[T]) -> T:
    """What a server says of the tokens it took: nothing, where that cannot be read. An answer is not lost by it.

    >>> class Used(msgspec.Struct):
    ...     tokens: Count = None
    >>> counted({"tokens": "7"}, Used).tokens, counted({"tokens": -7}, Used).tokens, counted([], Used).tokens
    (7, None, None)
    """
    try:
        return msgspec.convert(used, kind, strict=False)
    except msgspec.ValidationError:
        return kind()


def told(payload: Mapping[str, Any] | bytes) -> tuple[str, str, str]:
    """The message, the parameter and the code of an error; what is no JSON is a message."""
    if isinstance(payload, bytes):
        return payload.decode("utf-8", "replace")[:500] or "no message", "", ""
    error = payload.get("error") or payload
    if not isinstance(error, Mapping):
        return str(error)[:500], "", ""
    message = error.get("message") or error.get("detail") or "no message"
    return str(message)[:500], str(error.get("param") or ""), str(error.get("code") or error.get("type") or "")
