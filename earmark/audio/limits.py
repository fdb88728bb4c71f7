"""Limits on sound: those of a run unless it sets others, and the rates that sound may have."""

from __future__ import annotations

from typing import Final

from earmark.errors import AudioError
from earmark.types import Audio, Hertz, Limits, LoadedClip

MIN_RATE: Final[Hertz] = 1000  # below it nothing audible is left,
MAX_RATE: Final[Hertz] = 768_000  # and above it no converter works: something is wrong with the header
DEFAULT_LIMITS: Final = Limits()


def limits_of(audio: Audio) -> Limits:
    """Limits that other sound has to keep where it takes the place of this one, or is mixed into it."""
    return audio.limits if isinstance(audio, LoadedClip) else DEFAULT_LIMITS


def check_rate(rate: float, name: str) -> None:
    """Raise AudioError for a rate that no sound has, so that its header cannot be believed."""
    if not MIN_RATE <= rate <= MAX_RATE:
        raise AudioError(f"{name}: has {rate} samples a second, expected at least {MIN_RATE} and at most {MAX_RATE}")
