"""Agreement of imported verdicts with our reading, against scikit-learn."""

from __future__ import annotations

import asyncio
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_marks import GRADE
from sklearn.metrics import cohen_kappa_score

from earmark.journal import Record
from earmark.report.imported_agreement import AgreementCounter, headline_measure
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.imported_score import ImportedMeasure, ImportedScorer, Settings
from earmark.types import ImportedVerdict, Item, Response


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_agreement_and_kappa_are_sklearn_s(pairs: list[tuple[bool, bool]]) -> None:
    beside = AgreementCounter()
    for n, (theirs, ours) in enumerate(pairs):
        item = Item(str(n), "t", choices=("x", "y"), labels=("A", "B"), targets=("A",))
        response = Response("A" if ours else "B")
        record = Record(item, response=response, verdicts=(ImportedVerdict("judge", float(theirs)),))
        beside.add(record, "judge", asyncio.run(ChoiceScorer().score(item, response)))
    told = beside.estimates()
    assert told["imported"].value == pytest.approx(fmean(theirs for theirs, _ in pairs))
    assert told["agreement"].value == pytest.approx(fmean(theirs == ours for theirs, ours in pairs))
    if len({theirs for theirs, _ in pairs} | {ours for _, ours in pairs}) > 1:
        assert told["kappa"].value == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
    else:
        assert told["kappa"].value is None


def test_only_right_or_wrong_is_set_beside_ours() -> None:
    right = ImportedMeasure("judge")
    assert headline_measure([ChoiceScorer(), ImportedScorer(Settings((right, GRADE)))]) == "judge"
    assert headline_measure([ImportedScorer(Settings((GRADE, right)))]) == ""  # the headline is a grade
    assert headline_measure([ChoiceScorer()]) == ""
    beside, item = AgreementCounter(), Item("1", "t", labels=("A", "B"), targets=("A",))
    for value in (None, 0.5):
        response = Response("A")
        record = Record(item, response=response, verdicts=(ImportedVerdict("judge", value),))
        beside.add(record, "judge", asyncio.run(ChoiceScorer().score(item, response)))
    assert beside.estimates() == {}
