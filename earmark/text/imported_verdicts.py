"""Verdicts of another harness in journals of version 0.1, which kept them as notes of a response.

Such a note is the word "theirs" and a line of JSON: the harness's name for the measure, the value on its scale, the
answer that it parsed, and its explanation. Later journals have the field `verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from earmark.types import ImportedVerdict

NOTE_PREFIX: Final = "theirs "


def parse_notes(notes: Iterable[str]) -> tuple[ImportedVerdict, ...]:
    """Decode the verdicts among the notes of a reply.

    >>> parse_notes(["resampled", 'theirs {"measure":"accuracy","value":1.0,"answer":"B"}'])
    (ImportedVerdict(measure='accuracy', value=1.0, answer='B', explanation=''),)
    """
    return tuple(
        msgspec.json.decode(note.removeprefix(NOTE_PREFIX), type=ImportedVerdict)
        for note in notes
        if note.startswith(NOTE_PREFIX)
    )
