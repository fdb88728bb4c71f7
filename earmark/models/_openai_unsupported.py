"""Parameters that a model does not support, learned from its errors.

A newer model takes `max_completion_tokens` instead of `max_tokens`, only its own temperature, and so on, and answers
400 otherwise. An unsupported parameter is renamed or left out and the request is sent again at once; later requests are
adjusted from the start. Every response concerned carries a note. A parameter that the user has set is never left out
silently.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from earmark.errors import BadSetup
from earmark.models._reply import Reply, error_fields

RENAMED_PARAMETERS: Final = {"max_tokens": "max_completion_tokens"}  # the same under another name
OPTIONAL_PARAMETERS: Final = frozenset(
    "max_tokens max_completion_tokens temperature top_p seed stop logprobs top_logprobs stream_options".split()
)
UNSUPPORTED_MESSAGE: Final = re.compile(
    r"unsupported|not supported|does ?n[o']t support|not (?:allowed|permitted|accepted|available|compatible)"
    r"|un(?:recognized|known|expected)|extra (?:inputs|fields)|only the default|deprecated",
    re.IGNORECASE,
)
MAX_ADJUSTMENTS: Final = 5  # requests until an answer, the first included: most models refuse one parameter at a time


class RequestOutcome(NamedTuple):
    """A reply with the fields that were sent, and notes on their changes."""

    reply: Reply
    sent: Mapping[str, Any]
    notes: tuple[str, ...]


class UnsupportedParameters:
    """Parameters that one model does not support, learned from its errors."""

    def __init__(self, own: Mapping[str, str] = MappingProxyType({})) -> None:
        self.own = own  # parameters that the user has set, with the name of the setting: never left out
        self.changes: dict[str, str] = {}  # from a name to its replacement; empty: none
        self.finding = asyncio.Lock()  # taken by the request that learns, while others wait

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the changes made to requests."""
        return tuple(
            f"{new} sent for {old}, which the model refuses" if new else f"{old} left out, which the model refuses"
            for old, new in self.changes.items()
        )

    def strip(self, request: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        """Remove unsupported parameters from a request; returns it with notes."""
        if not self.changes:
            return request, ()
        fields = dict(request)
        notes = []
        for (old, new), note in zip(self.changes.items(), self.notes, strict=True):
            if old in fields:
                value = fields.pop(old)
                if new:
                    fields[new] = value
                notes.append(note)
        return fields, tuple(notes)

    def update(self, asked: RequestOutcome) -> bool:
        """Learn from a reply; True if it refuses parameters that were sent, so that the request should be repeated."""
        if asked.reply.status not in (400, 422):
            return False
        payload, sent = asked.reply.payload, asked.sent
        refused = find_unsupported(payload, sent)
        for name in refused:
            new = RENAMED_PARAMETERS.get(name, "")
            if new in sent or new in self.changes:
                new = ""
            if not new and name in self.own:
                raise BadSetup(
                    f"the model refuses {name}={sent[name]!r}, which you have set ({error_fields(payload)[0]}); take "
                    f"it out with {self.own[name]}=null"
                )
            self.changes[name] = new
        return bool(refused)


def find_unsupported(payload: Mapping[str, Any] | bytes, sent: Mapping[str, Any]) -> list[str]:
    """Find the parameters among those sent that an error calls unsupported.

    >>> error = {"message": "Unsupported parameter: 'max_tokens' is not supported", "param": "max_tokens"}
    >>> find_unsupported({"error": error}, {"max_tokens": 8, "temperature": 0.0})
    ['max_tokens']
    >>> find_unsupported(b"max_tokens is too large", {"max_tokens": 8})
    []
    """
    message, param, code = error_fields(payload)
    if not UNSUPPORTED_MESSAGE.search(f"{message} {code.replace('_', ' ')}"):
        return []
    if param in OPTIONAL_PARAMETERS and param in sent:
        return [param]
    return [name for name in sent if name in OPTIONAL_PARAMETERS and re.search(rf"\b{name}\b", message)]
