"""Verdicts of another harness, kept as notes of a response.

A note is the word "theirs" and a line of JSON: the harness's name for the measure, the value on its scale, the answer
that it parsed, and its explanation. `importers/` writes such notes; `scorers/imported_score.py` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

NOTE_PREFIX: Final = "theirs "


class ImportedVerdict(Struct, frozen=True, omit_defaults=True):
    """One number that another harness gave to one reply."""

    measure: str  # as the harness calls it
    value: float | None = None  # on its scale; None: no value, as where its judge failed
    answer: str | None = None  # parsed from the reply, "" for nothing; None: unknown
    explanation: str = ""


def to_notes(verdicts: Iterable[ImportedVerdict]) -> tuple[str, ...]:
    """Encode verdicts as notes of a reply.

    >>> to_notes([ImportedVerdict("accuracy", 1.0, "B")])
    ('theirs {"measure":"accuracy","value":1.0,"answer":"B"}',)
    """
    return tuple(NOTE_PREFIX + msgspec.json.encode(verdict).decode() for verdict in verdicts)


def parse_notes(notes: Iterable[str]) -> dict[str, ImportedVerdict]:
    """Decode the verdicts among the notes of a reply, by measure.

    >>> parse_notes(["resampled", *to_notes([ImportedVerdict("accuracy", 0.0)])])["accuracy"].value
    0.0
    """
    parsed = [
        msgspec.json.decode(note.removeprefix(NOTE_PREFIX), type=ImportedVerdict)
        for note in notes
        if note.startswith(NOTE_PREFIX)
    ]
    return {verdict.measure: verdict for verdict in parsed}
