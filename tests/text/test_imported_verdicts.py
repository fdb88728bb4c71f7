"""Verdicts of other harnesses, kept in notes."""

from __future__ import annotations

import asyncio

from imported_marks import GRADE

from earmark.scorers.imported_score import ImportedScorer, Settings
from earmark.text.imported_verdicts import ImportedVerdict, to_notes
from earmark.types import Item, Response


def test_a_reply_of_which_they_said_nothing_has_no_verdict() -> None:
    earned = asyncio.run(ImportedScorer(Settings((GRADE,))).score(Item("1", "t"), Response("x")))
    assert (earned.state, earned.explanation) == ("judge-failed", "they said nothing of this reply")
    withheld = asyncio.run(
        ImportedScorer(Settings((GRADE,))).score(
            Item("1", "t"), Response("", "filtered", notes=to_notes([ImportedVerdict("grade", 0.0)]))
        )
    )
    assert withheld.state == "refused"
