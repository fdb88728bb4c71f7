"""ROUGE-L against rouge-score, a worked example, and its own laws."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.errors import BadData, UsageError
from earmark.scorers import rouge
from earmark.types import Item, Response

WORDS = "A dog barks twice, a man's car isn't there; the 2nd bell rings (loudly) and people talk.".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=10).map(" ".join)


def item(*targets: str) -> Item:
    return Item("1", targets=targets)


@given(TEXTS)
def test_the_reference_itself_has_a_rouge_of_one(text: str) -> None:
    assert rouge.RougeScorer().counts(item(text), text)["rouge_l"] == 1


def test_rouge_by_hand() -> None:
    """the cat sat on the mat    against    the cat lay on a mat

    The longest common sequence is the, cat, on, mat: 4 of 6 and of 6 words, so P = R = F = 4/6.
    """
    counts = rouge.RougeScorer().counts(item("the cat lay on a mat"), "The cat sat on the mat!")
    assert counts == pytest.approx({"rouge_l": 4 / 6, "rouge_l_precision": 4 / 6, "rouge_l_recall": 4 / 6, "n": 1})


def test_rouge_is_rouge_scores() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    dice = random.Random(0)
    for _ in range(300):
        reference, reply = (" ".join(dice.choices(WORDS, k=dice.randint(0, 12))) for _ in range(2))
        theirs = scorer.score(reference, reply)["rougeL"]
        counts = rouge.RougeScorer().counts(item(reference), reply)
        ours = [counts[name] for name in ("rouge_l", "rouge_l_precision", "rouge_l_recall")]
        assert ours == pytest.approx([theirs.fmeasure, theirs.precision, theirs.recall])


def test_rouge_of_other_scripts() -> None:
    """我爱北京 against 我爱上海: two of four characters."""
    assert rouge.RougeScorer(rouge.Settings(language="zh")).counts(item("我爱北京"), "我爱上海。")["rouge_l"] == 0.5
    assert rouge.RougeScorer(rouge.Settings(language="hi")).counts(item("मेरी किताब"), "मेरा किताब")["rouge_l"] == 0.5
    assert rouge.RougeScorer().counts(item("我爱北京"), "我爱北京")["rouge_l"] == 0  # as rouge-score has it


def test_rouge_scores_bounds_and_signature() -> None:
    scorer = rouge.RougeScorer()
    counts = scorer.counts(item("a cat", "two dogs bark"), "dogs bark")
    assert counts["rouge_l"] == pytest.approx(0.8)  # the better of the two
    worst, best = scorer.bounds(item("a cat"))
    assert [scorer.metrics["rouge_l"].value(bag) for bag in (worst, best)] == [0, 1]
    assert asyncio.run(scorer.score(item("a"), Response("a", stop="filtered"))).state == "refused"
    assert "tok:earmark-zh.2,characters" in rouge.RougeScorer(rouge.Settings(language="zh")).signature.rules
    with pytest.raises(BadData, match="no target"):
        scorer.counts(item(), "a")
    with pytest.raises(UsageError, match="no language"):
        rouge.RougeScorer(rouge.Settings(language="jp"))
