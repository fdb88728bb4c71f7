"""Protocol that all parsers of choices share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct


class Parsed(Struct, frozen=True):
    """Parsed choice of one reply."""

    answer: str | None  # a label as the item spells it; several are joined by "," in the item's order
    rule: str  # the rule that parsed it, or the reason why nothing was parsed
    span: tuple[int, int] | None  # in the reply
    state: Literal["answered", "unparsed", "refused"]


class Parser(Protocol):
    """A function that parses the choice of a reply."""

    def __call__(self, reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed: ...


UNPARSED = Parsed(None, "", None, "unparsed")
