"""What another harness said of a reply, kept beside the reply as a note.

A note is the word "theirs" and a line of JSON: their name for the measure, the value in their scale, what they read from
the reply, and their words. `scorers/theirs.py` makes numbers of such notes; `foreign/` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

MARK: Final = "theirs "


class Verdict(Struct, frozen=True, omit_defaults=True):
    """One number that another harness gave to one reply."""

    of: str  # their name for the measure
    value: float | None = None  # in their scale; None: they gave none, as where their judge failed
    read: str | None = None  # what they read from the reply, "" for nothing; None: not told
    why: str = ""


def noted(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """Verdicts as notes of a reply.

    >>> noted([Verdict("accuracy", 1.0, "B")])
    ('theirs {"of":"accuracy","value":1.0,"read":"B"}',)
    """
    return tuple(MARK + msgspec.json.encode(verdict).decode() for verdict in verdicts)


def verdicts(notes: Iterable[str]) -> dict[str, Verdict]:
    """The verdicts among the notes of a reply, by measure.

    >>> verdicts(["resampled", *noted([Verdict("accuracy", 0.0)])])["accuracy"].value
    0.0
    """
    found = [msgspec.json.decode(note.removeprefix(MARK), type=Verdict) for note in notes if note.startswith(MARK)]
    return {verdict.of: verdict for verdict in found}
