"""How much sound is taken into memory at most, one clip at a time. Looked at before the memory is taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from msgspec import Struct

from earmark.types import Seconds


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """The two limits, as a user may set them."""

    longest: Seconds = 4 * 3600.0  # of what is decoded
    largest: int = 1 << 30  # bytes of a file, and of its samples once decoded


LIMITS: Final = Limits()
_in_force: ContextVar[Limits] = ContextVar("limits", default=LIMITS)


def in_force() -> Limits:
    """The limits where nobody names others. Conditions read sound by them, and know nothing of the run that they are part of."""
    return _in_force.get()


@contextmanager
def holding(limits: Limits) -> Iterator[None]:
    """Put other limits in force, in this thread, for as long as the block lasts."""
    before = _in_force.set(limits)
    try:
        yield
    finally:
        _in_force.reset(before)
