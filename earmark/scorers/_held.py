"""What a scorer asks while it is open, a judge or a program: beside its fields, for those sign its numbers and are written down."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from earmark.errors import BadSetup

Scoring = TypeVar("Scoring", bound=Struct)
Thing = TypeVar("Thing")


def holding(scorer: Scoring, thing: object) -> Scoring:
    """The same scorer, open: it holds what it asks."""
    copy = msgspec.structs.replace(scorer)
    msgspec.structs.force_setattr(copy, "held", thing)
    return copy


def held(scorer: Struct, kind: type[Thing]) -> Thing | None:
    """What an open scorer holds; None where it is not open."""
    thing = scorer.__dict__.get("held")
    return thing if isinstance(thing, kind) else None


def asked_by(scorer: Struct, kind: type[Thing], what: str) -> Thing:
    """What an open scorer asks. Raises BadSetup where it is not open."""
    thing = held(scorer, kind)
    if thing is None:
        raise BadSetup(f"the {what} is not open; score a whole run with: earmark rescore RUN")
    return thing
