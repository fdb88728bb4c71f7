"""Responses of models as a journal holds them."""

from __future__ import annotations

import sys
from typing import Any, Final

import msgspec

from earmark.data.plain import ENCODER, REPLACED, builtin, repair
from earmark.errors import Rejected
from earmark.types import Response


def check_response(reply: object) -> Response:
    """Return what a model gave as it will be read back from a journal. Raises Rejected for what no journal holds.

    Lone surrogates become U+FFFD and scalars of numpy numbers; measures that are no numbers, such as a cost of nan, are
    left out; a likelihood of minus infinity is the lowest number. The first and the two last are noted.
    """
    if not isinstance(reply, Response):
        raise Rejected(f"the model gave {type(reply).__name__}, expected a Response")
    try:
        return _RESPONSE.decode(ENCODER.encode(reply))
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, msgspec.MsgspecError):
        return _repair_response(reply)


def _repair_response(reply: Response) -> Response:
    notes = []
    try:
        given: dict[str, Any] = msgspec.to_builtins(reply, enc_hook=builtin)
        plain: dict[str, Any] = repair(given)
        if plain != given:
            notes.append(REPLACED)
        for name, kind in _MEASURES.items():
            if name in plain and not _holds(plain[name], kind):
                del plain[name]
                notes.append(f"{name} left out: no finite numbers")
        if float("-inf") in plain.get("likelihoods", ()):
            plain["likelihoods"] = [max(value, -sys.float_info.max) for value in plain["likelihoods"]]
            notes.append("a likelihood of minus infinity was replaced by the lowest number")
        plain["notes"] = [*plain.get("notes", ()), *notes]
        return _RESPONSE.decode(ENCODER.encode(plain))
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise Rejected(f"the model gave an answer that cannot be written down: {error}") from error


_RESPONSE: Final = msgspec.json.Decoder(Response)
_MEASURES: Final = {
    field.name: field.type
    for field in msgspec.structs.fields(Response)
    if field.name in ("usage", "seconds", "first_token", "first_sound")
}


def _holds(value: Any, kind: Any) -> bool:
    """Return whether a journal gives a value back as it was."""
    try:
        msgspec.json.decode(ENCODER.encode(value), type=kind)
    except (OverflowError, msgspec.MsgspecError):
        return False
    return True
