"""Items that nobody knows the answer to, by every scorer that reads a choice."""

from __future__ import annotations

import asyncio

import pytest

from earmark.journal import Record
from earmark.scorers import ab, choice, classes, listen
from earmark.scoring import score
from earmark.types import Failure, Item, Scorer

OPEN = Item("1", choices=("cat", "dog"), labels=("A", "B"))  # without a target


@pytest.mark.parametrize(
    "scorer",
    [choice.Settings(), choice.Settings(several=True), classes.Settings(), listen.Settings(), ab.Settings()],
    ids=lambda scorer: f"{scorer.name}-{getattr(scorer, 'several', '')}",
)
def test_a_failed_request_about_an_item_without_a_target_is_counted(scorer: Scorer) -> None:
    earned = asyncio.run(score(Record(OPEN, failure=Failure("request-failed", "gone")), scorer))
    assert earned.state == "request-failed"
    worst, best = scorer.bounds(OPEN)
    assert worst == best == earned.counts
