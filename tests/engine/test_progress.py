"""Progress: every record is entered once, as an answer, a refusal or a failure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.engine.progress import Progress, count_record
from earmark.journal import Record
from earmark.types import Failure, Item, Response, Usage

RECORDS = {
    "answered": Record(Item("1"), response=Response("A", usage=Usage(10, 2, 8, cost=0.5))),
    "filtered": Record(Item("1"), response=Response("", "filtered", usage=Usage(10))),
    "refused": Record(Item("1"), failure=Failure("refused", "no")),
    "failed": Record(Item("1"), failure=Failure("request-failed", "busy")),
    "no sound": Record(Item("1"), failure=Failure("sound-failed", "broken")),
}


@given(st.lists(st.sampled_from(sorted(RECORDS))))
def test_each_record_is_counted_in_one_place(names: list[str]) -> None:
    progress = Progress(total=len(names))
    for name in names:
        count_record(progress, RECORDS[name])
    assert progress.done == len(names)
    assert progress.failed == names.count("failed") + names.count("no sound")
    assert progress.refused == names.count("refused") + names.count("filtered")
    assert progress.tokens_in == 10 * (names.count("answered") + names.count("filtered"))
    assert (progress.tokens_out, progress.tokens_sound) == (2 * names.count("answered"), 8 * names.count("answered"))
    assert progress.cost == pytest.approx(0.5 * names.count("answered"))


def test_the_rest_takes_as_long_as_the_rate_says() -> None:
    progress = Progress(total=100, done=20, done_before=40, seconds=10.0)
    assert progress.rate == 2.0
    assert progress.remaining == 20.0, "what earlier sittings answered says nothing about the rate and is not left"
    assert Progress(total=100, done=100, seconds=10.0).remaining == 0.0


def test_before_the_first_answer_nobody_knows_the_rest() -> None:
    assert (Progress(total=5).rate, Progress(total=5, seconds=3.0).remaining) == (0.0, None)
