"""VoiceBench's phrases for BIG-Bench Hard: by hand, with the two rules that are wrong on their face."""

from __future__ import annotations

import asyncio

import pytest

from earmark.errors import BadData
from earmark.scorers.bbh import BbhScorer
from earmark.text.bbh_phrases import KINDS, PHRASES, read_bbh
from earmark.types import Item, Response


@pytest.mark.parametrize(
    ("kind", "reply", "expected"),
    [
        ("hyperbaton", "The answer is (B).", 1),
        ("hyperbaton", "The correct adjective order is: **option (A)**", 0),
        ("hyperbaton", "a", 0),
        ("hyperbaton", "b", 0),  # theirs: a bare b is (a)
        ("hyperbaton", "B) a small red house", 1),
        ("hyperbaton", "Option A is incorrect, and option B is correct.", 1),
        ("hyperbaton", "The correct adjective order is in the second option", 1),
        ("hyperbaton", "Sentence B, 'old green car', seems to have a more logical order", 1),
        ("hyperbaton", "Neither of both", None),
        ("navigate", "Yes.", 1),
        ("navigate", "First left, then right. You are not at the starting point.", 0),
        ("navigate", "You'll end up right back where you started", None),  # their phrase has a blank for the apostrophe
        ("navigate", "So the answer is: no", 0),
        ("web_of_lies", "Therefore, the answer is that Kim tells the truth.", 1),
        ("web_of_lies", "Kim says that Lee lies", 0),
        ("web_of_lies", "So Kim must be lying", 1),  # theirs
        ("web_of_lies", "I do not know", None),
        ("sports_understanding", "The sentence is not plausible.", 0),
        ("sports_understanding", "The sentence 'He scored' is not plausible.", 1),  # theirs: with words between
        ("sports_understanding", "Considering these points, the sentence is plausible", 1),
        ("sports_understanding", "not plausible", 0),
        ("sports_understanding", "It depends", None),
    ],
)
def test_examples_by_hand(kind: str, reply: str, expected: int | None) -> None:
    assert read_bbh(reply, kind) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_every_phrase_is_read_unless_an_earlier_one_stands_in_it(kind: str) -> None:
    for phrase, _ in PHRASES[kind]:
        plain = phrase.removeprefix("re:").lstrip("^$=").replace("(.+?)", "x")
        if "." not in plain:  # one of theirs has a stop, which is a blank by then, and so is never found
            assert read_bbh(plain, kind) is not None, phrase
    assert all(value in (0, 1) for _, value in PHRASES[kind])


def test_counts() -> None:
    item = Item("web_of_lies_3", targets=("no",))
    right, wrong, unread = (
        asyncio.run(BbhScorer().score(item, Response(reply))) for reply in ("No.", "The answer is yes", "Hm")
    )
    assert [score.counts["right"] for score in (right, wrong, unread)] == [1, 0, 0]
    assert [score.counts["read"] for score in (right, wrong, unread)] == [1, 1, 0]
    assert [score.state for score in (right, wrong, unread)] == ["answered", "answered", "unparsed"]
    tagged = Item("7", targets=("(a)",), tags={"kind": "hyperbaton"})
    assert asyncio.run(BbhScorer().score(tagged, Response("The answer is (a)"))).answer == "(a)"


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Item("snarks_1", targets=("(a)",)), "its id names no kind; expected one of sports_understanding"),
        (Item("navigate_1", targets=("maybe",)), "has the targets maybe; expected yes, no"),
    ],
)
def test_an_item_of_no_kind_is_an_error(item: Item, message: str) -> None:
    with pytest.raises(BadData, match=message):
        asyncio.run(BbhScorer().score(item, Response("yes")))
