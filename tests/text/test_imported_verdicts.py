"""Verdicts of other harnesses in journals of version 0.1, as notes of the response."""

from __future__ import annotations

import asyncio

import msgspec
from imported_marks import GRADE

from earmark.journal import Record
from earmark.runs.scoring import score_record
from earmark.scorers.imported_score import ImportedScorer, Settings
from earmark.types import ImportedVerdict, Item, Response

OLD_LINE = """{"item":{"id":"1","task":"t"},"response":{"text":"x","notes":["resampled",
"theirs {\\"measure\\":\\"grade\\",\\"value\\":4.0,\\"explanation\\":\\"good\\"}"]}}"""


def test_a_reply_of_which_they_said_nothing_has_no_verdict() -> None:
    earned = asyncio.run(ImportedScorer(Settings((GRADE,))).score(Item("1", "t"), Response("x")))
    assert (earned.state, earned.explanation) == ("judge-failed", "they said nothing of this reply")
    record = Record(Item("1", "t"), response=Response("", "filtered"), verdicts=(ImportedVerdict("grade", 0.0),))
    assert asyncio.run(score_record(record, ImportedScorer(Settings((GRADE,))))).state == "refused"


def test_a_journal_of_0_1_gives_the_same_score_as_the_field() -> None:
    old = msgspec.json.decode(OLD_LINE, type=Record)
    verdict = ImportedVerdict("grade", 4.0, explanation="good")
    assert old.all_verdicts == (verdict,)
    new = Record(Item("1", "t"), response=Response("x"), verdicts=(verdict,))
    scorer = ImportedScorer(Settings((GRADE,)))
    earned = [asyncio.run(score_record(record, scorer)) for record in (old, new)]
    assert earned[0] == earned[1]
    assert earned[0].counts["grade"] == 4.0
