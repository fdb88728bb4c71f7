"""What comes back from a service, before anybody has made sense of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from earmark.types import Seconds

NO_LOGPROBS: Final = "log-probabilities were asked for, and the server sent none"


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
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return data
    return found if isinstance(found, dict) else data


def told(payload: Mapping[str, Any] | bytes) -> tuple[str, str, str]:
    """The message, the parameter and the code of an error; what is no JSON is a message."""
    if isinstance(payload, bytes):
        return payload.decode("utf-8", "replace")[:500] or "no message", "", ""
    error = payload.get("error") or payload
    if not isinstance(error, Mapping):
        return str(error)[:500], "", ""
    message = error.get("message") or error.get("detail") or "no message"
    return str(message)[:500], str(error.get("param") or ""), str(error.get("code") or error.get("type") or "")
