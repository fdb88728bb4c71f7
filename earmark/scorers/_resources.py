"""Runtime resources of a scorer (a judge, a subprocess), kept outside its fields because fields are part of the
signature.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from earmark import __version__
from earmark.errors import BadSetup
from earmark.judges.asking import Judge


def judge_signature(scorer: Struct, judge: str, text: str) -> str:
    """A signature with our version, and with the name of the open judge where its address does not tell it."""
    name = opened.model.name if (opened := attached(scorer, Judge)) else judge
    return f"{text}|v:{__version__}{'' if name in judge else f'|model:{name}'}"


ScorerType = TypeVar("ScorerType", bound=Struct)
ResourceType = TypeVar("ResourceType")


def attach(scorer: ScorerType, thing: object) -> ScorerType:
    """The same scorer, open: it holds what it asks."""
    copy = msgspec.structs.replace(scorer)
    msgspec.structs.force_setattr(copy, "held", thing)
    return copy


def attached(scorer: Struct, kind: type[ResourceType]) -> ResourceType | None:
    """Resource of an open scorer; None if it is not open."""
    thing = scorer.__dict__.get("held")
    return thing if isinstance(thing, kind) else None


def require(scorer: Struct, kind: type[ResourceType], what: str) -> ResourceType:
    """Resource of an open scorer. Raises BadSetup if it is not open."""
    thing = attached(scorer, kind)
    if thing is None:
        raise BadSetup(f"the {what} is not open; score a whole run with: earmark rescore RUN")
    return thing
