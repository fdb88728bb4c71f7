"""What scorers with a judge or a worker share."""

from __future__ import annotations

from typing import TypeVar

from earmark.errors import BadSetup
from earmark.judges.asking import Judge
from earmark.types import Signature, replace

ResourceType = TypeVar("ResourceType")


def sign_judge(signature: Signature, judge: str, opened: Judge | None) -> Signature:
    """A signature with the name of the open judge, where the judge's address does not tell it."""
    name = opened.model.name if opened else judge
    return signature if name in judge else replace(signature, details=(*signature.details, ("model", name)))


def require_open(resource: ResourceType | None, what: str) -> ResourceType:
    """The resource of an open scorer. Raises BadSetup if it is not open."""
    if resource is None:
        raise BadSetup(f"the {what} is not open; score a whole run with: earmark rescore RUN")
    return resource
