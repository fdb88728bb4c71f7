"""One minus the error rate of an item, at least 0: by hand, by jiwer, and its laws."""

from __future__ import annotations

import asyncio

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.errors import BadData
from earmark.scorers.clipped_accuracy import ClippedAccuracyScorer, Settings
from earmark.types import Item, Response

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=8).map(" ".join)


def kept(unit: str, target: str, reply: str) -> float:
    scorer = ClippedAccuracyScorer(Settings(unit))  # type: ignore[arg-type]
    return asyncio.run(scorer.score(Item("1", targets=(target,)), Response(reply))).counts["kept"]


@pytest.mark.parametrize(
    ("unit", "target", "reply", "expected"),
    [
        ("words", "Hello, world!", "hello world", 1.0),
        ("words", "hello world", "hello there world", 0.5),
        ("words", "hello world", "I think that it says hello world", 0.0),  # five errors in two words
        ("words", "hello world", "", 0.0),
        ("words", "", "", 1.0),
        ("words", "", "x", 0.0),
        ("words", "你好 world", "你 好world", 1.0),
        ("phones", "HH AH L OW", "hh ah l", 0.75),
        ("tags", "NN VB NN", "NN VB nn", 2 / 3),
        ("tags", "NN, VB, NN", "NN VB NN", 1.0),
    ],
)
def test_examples_by_hand(unit: str, target: str, reply: str, expected: float) -> None:
    assert kept(unit, target, reply) == pytest.approx(expected)


@given(WORDS, WORDS)
def test_it_is_one_minus_the_rate_of_jiwer(target: str, reply: str) -> None:
    assert kept("words", target, reply) == pytest.approx(max(0.0, 1 - jiwer.wer(target, reply)))


@given(WORDS)
def test_the_target_itself_is_best_and_the_best_reference_counts(target: str) -> None:
    scorer = ClippedAccuracyScorer()
    item = Item("1", targets=("x y z", target))
    assert asyncio.run(scorer.score(item, Response(target))).counts == {"kept": 1.0, "exact": 1.0, "n": 1.0}
    assert scorer.bounds(item) == ({"kept": 0.0, "exact": 0.0, "n": 1.0}, {"kept": 1.0, "exact": 1.0, "n": 1.0})


def test_an_item_without_a_target_is_an_error() -> None:
    scorer = ClippedAccuracyScorer(Settings("phones"))
    with pytest.raises(BadData, match="item '1' has no target; expected the phones of the right answer"):
        asyncio.run(scorer.score(Item("1"), Response("x")))
