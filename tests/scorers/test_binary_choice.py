"""A choice read by rules first, then by a judge; what chooses nothing stays null."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from earmark import __version__
from earmark.engine.load import load_scorer
from earmark.errors import BadSetup, UsageError
from earmark.judges.asking import Judge
from earmark.models.fake import FakeModel
from earmark.scorers import binary_choice
from earmark.text.choice_parser import VERSION
from earmark.types import Item, Opens, Prompt, Response, Score, replace

ITEM = Item(
    "1", question="Which one is higher?", choices=("the first", "the second"), labels=("A", "B"), targets=("B",)
)
RIDDLE = "A has less of it than B has"  # no rule reads that


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))


def scored(reply: str | Response, judge: Callable[[Prompt], str] | None = None) -> Score:
    scorer = (
        replace(binary_choice.JudgedBinaryChoice(binary_choice.Settings("fake")), opened=Judge(FakeModel(judge)))
        if judge
        else binary_choice.BinaryChoiceScorer()
    )
    return asyncio.run(scorer.score(ITEM, reply if isinstance(reply, Response) else Response(reply)))


def never(_: Prompt) -> str:
    raise AssertionError("the judge was asked")


def values(*scores: Score) -> dict[str, float]:
    counts = {name: sum(score.counts[name] for score in scores) for name in scores[0].counts}
    return {name: float(metric.value(counts)) for name, metric in binary_choice.METRICS.items()}


def test_accuracy_with_nulls_wrong_without_them_and_their_rate() -> None:
    found = values(scored("B"), scored("The second."), scored("A"), scored("I cannot tell."))
    assert found == {"accuracy": 0.5, "accuracy_answered": pytest.approx(2 / 3), "null_rate": 0.25}


@pytest.mark.parametrize(
    "reply", ["B", "It is the first.", "I cannot tell which is higher.", "", "  ", Response("", "filtered")]
)
def test_what_rules_read_and_what_says_nothing_is_not_judged(reply: str | Response) -> None:
    assert scored(reply, never).answer == scored(reply).answer


def test_the_judge_reads_what_rules_cannot() -> None:
    seen: list[str] = []

    def judge(prompt: Prompt) -> str:
        seen.append(str(prompt.turns[-1].parts[-1]))
        assert prompt.choices == ("A", "B", "NONE")
        return "B"

    assert scored(RIDDLE).answer is None
    found = scored(RIDDLE, judge)
    assert (found.answer, found.state, found.rule, found.explanation) == ("B", "answered", "judge: bare", "B")
    assert found.counts["right"] == 1.0
    assert "Which one is higher?\nA. the first\nB. the second" in seen[0]
    assert RIDDLE in seen[0]


def test_a_reply_that_chooses_nothing_stays_null() -> None:
    found = scored(RIDDLE, lambda _: "NONE")
    assert (found.answer, found.state, found.counts["null"]) == (None, "unparsed", 1.0)


@pytest.mark.parametrize("verdict", ["It is clearly the second one, B or so", "A or B", "C", ""])
def test_a_judge_without_a_verdict_has_failed(verdict: str) -> None:
    found = scored(RIDDLE, lambda _: verdict)
    assert (found.state, found.counts, found.explanation) == ("judge-failed", {}, verdict)


def test_the_scorer_is_loaded_with_a_judge_or_without() -> None:
    assert load_scorer("binary_choice", {}) == binary_choice.BinaryChoiceScorer()
    assert isinstance(load_scorer("binary_choice", {"judge": "openai/gpt-4o-mini"}), Opens)
    judged = load_scorer("binary_choice", {"judge": "fake"})
    assert isinstance(judged, binary_choice.JudgedBinaryChoice)
    assert not isinstance(binary_choice.BinaryChoiceScorer(), Opens)
    assert str(judged.signature) == f"ab|reader:{VERSION}|judge:fake|prompt:choice.1|v:{__version__}"
    with pytest.raises(BadSetup, match="the judge is not open"):
        asyncio.run(judged.score(ITEM, Response(RIDDLE)))
    with pytest.raises(UsageError, match="no model is called 'nobody'"):
        load_scorer("binary_choice", {"judge": "nobody"})
