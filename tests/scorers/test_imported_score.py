"""What another harness gave: a mean in its own scale, failures at the worst, and how it agrees with our reading."""

from __future__ import annotations

import asyncio
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_marks import GRADE

from earmark.journal import Record
from earmark.report.aggregates import Aggregates
from earmark.report.rows import Row
from earmark.runs.scoring import score_record
from earmark.scorers.imported_score import ImportedMeasure, ImportedScorer, Settings
from earmark.types import Failure, ImportedVerdict, Item, Response

ERROR = ImportedMeasure("wer", highest=None, better="lower")


def record(n: int, value: float | None, read: str | None = None) -> Record:
    verdicts = (ImportedVerdict("grade", value, read, explanation="they say"), ImportedVerdict("wer", value))
    return Record(Item(str(n), "t"), response=Response("x"), verdicts=verdicts)


def failure(n: int) -> Record:
    return Record(Item(str(n), "t"), failure=Failure("request-failed", "busy"))


def scored(records: list[Record], *measures: ImportedMeasure) -> Row:
    scorer, cells = ImportedScorer(Settings(measures)), Aggregates()
    for one in records:
        cells.add(one, scorer, asyncio.run(score_record(one, scorer)))
    (row,) = cells.to_rows()
    return row


@given(st.lists(st.floats(0, 5), min_size=1, max_size=8))
def test_it_is_their_mean_and_stays_in_their_scale(values: list[float]) -> None:
    found = scored([record(n, value) for n, value in enumerate(values)], GRADE).headline[1]
    assert found.value == pytest.approx(fmean(values))
    assert found.low is None or -1e-9 <= found.low <= (found.high or 5) <= 5 + 1e-9


def test_by_hand() -> None:
    row = scored([record(0, 5.0), record(1, 2.0), record(2, None), record(3, 4.0, ""), failure(4)], GRADE)
    name, found = row.headline
    assert name == "theirs_grade"
    assert found.value == pytest.approx((5 + 2 + 4 + 0) / 4)  # a failure is worth the least, a missing verdict nothing
    assert found.worst == pytest.approx(11 / 5)  # with the missing verdict at its worst,
    assert found.best == pytest.approx(21 / 5)  # and both at their best
    assert {state: n for state, n in row.states.items() if n} == {
        "answered": 2,
        "unparsed": 1,
        "request-failed": 1,
        "judge-failed": 1,
    }
    assert str(row.signature).startswith("theirs|grade:0-5|v:")


@pytest.mark.parametrize(
    ("told", "worst", "best"),
    [
        (GRADE, 0.0, 5.0),
        (ERROR, 1.0, 0.0),
        (ImportedMeasure("rating", 1, 5), 1.0, 5.0),
        (ImportedMeasure("length", highest=None), 0.0, 0.0),
        (ImportedMeasure("loss", 0, 2, "lower"), 2.0, 0.0),
    ],
)
def test_what_a_failure_counts_and_what_it_may_have_hidden(told: ImportedMeasure, worst: float, best: float) -> None:
    assert (told.worst, told.best) == (worst, best)


def test_several_measures_are_read_from_the_same_replies() -> None:
    row = scored([record(0, 0.5), record(1, 1.5)], GRADE, ERROR)
    assert {name: found.value for name, found in row.metrics.items()} == {"theirs_grade": 1.0, "theirs_wer": 1.0}
