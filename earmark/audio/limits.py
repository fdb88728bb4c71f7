"""How much sound is taken into memory at most, one clip at a time. Looked at before the memory is taken."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from earmark.types import Seconds


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """The two limits, as a user may set them."""

    longest: Seconds = 4 * 3600.0  # of what is decoded
    largest: int = 1 << 30  # bytes of a file, and of its samples once decoded


LIMITS: Final = Limits()
