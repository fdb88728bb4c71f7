"""What scorers with a judge or a worker share."""

from __future__ import annotations

from typing import TypeVar

from earmark.errors import BadSetup
from earmark.judges.asking import Judge

ResourceType = TypeVar("ResourceType")


def judge_name(judge: str, opened: Judge | None) -> tuple[tuple[str, object], ...]:
    """The name of an open judge for its signature, where the judge's address does not tell it."""
    name = opened.model.name if opened else judge
    return () if name in judge else (("model", name),)


def require_open(resource: ResourceType | None, what: str) -> ResourceType:
    """The resource of an open scorer. Raises BadSetup if it is not open."""
    if resource is None:
        raise BadSetup(f"the {what} is not open; score a whole run with: earmark rescore RUN")
    return resource
