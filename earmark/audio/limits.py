"""Limits on sound: how much is taken into memory at most, one clip at a time, and the rates that sound may have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from msgspec import Struct

from earmark.errors import AudioError
from earmark.types import Hertz, Seconds

MIN_RATE: Final[Hertz] = 1000  # below it nothing audible is left,
MAX_RATE: Final[Hertz] = 768_000  # and above it no converter works: something is wrong with the header


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """The two limits, as a user may set them."""

    max_seconds: Seconds = 4 * 3600.0  # of what is decoded
    max_bytes: int = 1 << 30  # bytes of a file, and of its samples once decoded


DEFAULT_LIMITS: Final = Limits()
_in_force: ContextVar[Limits] = ContextVar("limits", default=DEFAULT_LIMITS)


def current_limits() -> Limits:
    """The limits where nobody names others. Conditions read sound by them, and know nothing of the run that they are
    part of.
    """
    return _in_force.get()


@contextmanager
def use_limits(limits: Limits) -> Iterator[None]:
    """Put other limits in force, in this thread, for as long as the block lasts."""
    before = _in_force.set(limits)
    try:
        yield
    finally:
        _in_force.reset(before)


def check_rate(rate: float, name: str) -> None:
    """Raise AudioError for a rate that no sound has, so that its header cannot be believed."""
    if not MIN_RATE <= rate <= MAX_RATE:
        raise AudioError(f"{name}: has {rate} samples a second, expected at least {MIN_RATE} and at most {MAX_RATE}")
