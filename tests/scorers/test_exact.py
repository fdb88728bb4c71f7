"""Short answers and numbers against published flags, worked examples, and their own laws."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.errors import BadData, UsageError
from earmark.scorers import exact
from earmark.text._english import without_articles
from earmark.text.normalise import find_normalizer
from earmark.types import Item, Response


def item(*targets: str) -> Item:
    return Item("1", targets=targets)


def matches(target: str, reply: str, **how: Any) -> list[float]:
    """exact, quasi-exact, prefix, contains."""
    return list(exact.ExactScorer(exact.Settings(**how)).counts(item(target), reply).values())[:4]


# ---------------------------------------------------------------- exact match


@given(st.text(min_size=1).filter(str.strip))
def test_the_answer_itself_matches(text: str) -> None:
    assert matches(text, text)[:2] == [1, 1]


@given(st.text(), st.text(min_size=1))
def test_what_matches_strictly_matches_leniently(reply: str, target: str) -> None:
    strict, quasi, prefix, _ = matches(target, reply)
    assert strict <= quasi
    assert not quasi or not find_normalizer("answer")(target) or prefix


@pytest.mark.parametrize(
    ("target", "reply", "expected"),
    [
        ("The Beatles", "The Beatles", [1, 1, 1, 1]),
        ("The Beatles", " the beatles! ", [0, 1, 1, 1]),
        ("The Beatles", "Beatles, of course", [0, 0, 1, 1]),
        ("The Beatles", "It was the Beatles.", [0, 0, 0, 1]),
        ("art", "It starts", [0, 0, 0, 0]),  # not inside a word
        ("东京", "答案是东京。", [0, 0, 0, 1]),
        ("The", "a", [0, 1, 0, 0]),  # nothing is left of either
        ("yes", "", [0, 0, 0, 0]),
        ("Paris", "The answer is “Paris”.", [0, 0, 0, 1]),
        ("Paris", "«Paris»", [0, 1, 1, 1]),
        ("Paris", "Paris…", [0, 1, 1, 1]),
        ("Paris", "Paris—the capital", [0, 0, 1, 1]),
        ("Paris", "Ｐａｒｉｓ！", [0, 1, 1, 1]),
        ("東京", "東京。", [0, 1, 1, 1]),
        ("東京", "「東京」です", [0, 0, 1, 1]),
        ("don't", "don’t", [0, 1, 1, 1]),
        ("don’t", "I don't know", [0, 0, 0, 1]),
        ("São Paulo", "Sa\u0303o Paulo", [0, 1, 1, 1]),
        ("São Paulo", "in Sa\u0303o Paulo.", [0, 0, 0, 1]),
        ("Kraków", "Krakow", [0, 0, 0, 0]),
        ("1990-1995", "1990–1995", [0, 1, 1, 1]),
        ("-5", "−5", [0, 1, 1, 1]),
        ("€5", "5 €", [0, 1, 1, 1]),
        ("दिल्ली", "दिल्ली।", [0, 1, 1, 1]),
        ("القاهرة", "القاهرة؟", [0, 1, 1, 1]),
    ],
)
def test_matches_by_hand(target: str, reply: str, expected: list[float]) -> None:
    assert matches(target, reply) == expected


def test_inside_a_word_where_asked() -> None:
    assert matches("art", "It starts", boundary="letters")[3] == 1


@pytest.mark.parametrize(
    ("reply", "strict"), [("clean", 1.0), ("CLEAN", 1.0), ("clean ", 0.0), ("clean.", 0.0), ("", 0.0)]
)
def test_dynamic_superbs_rule_knows_no_case_and_strips_nothing(reply: str, strict: float) -> None:
    assert matches("Clean", reply, case="ignored", blanks="kept")[0] == strict
    assert matches("Clean", reply, case="ignored", blanks="kept")[1] == float(bool(reply))  # ours beside it


def test_the_headline_may_be_another_measure() -> None:
    scorer = exact.ExactScorer(exact.Settings(headline="contains"))
    assert next(iter(scorer.metrics)) == "contains"
    assert {*scorer.metrics} == {*exact.ExactScorer().metrics}
    assert scorer.signature != exact.ExactScorer().signature


def test_any_of_several_answers_is_right() -> None:
    counts = exact.ExactScorer().counts(item("grey", "gray"), "Gray.")
    assert (counts["exact_match"], counts["quasi_exact_match"]) == (0, 1)


PUNCTUATION = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] == "P"]


@given(st.sampled_from(PUNCTUATION), st.sampled_from(PUNCTUATION), st.sampled_from(["Paris", "東京", "дом", "दिल्ली"]))
def test_no_punctuation_of_any_script_makes_a_difference(before: str, after: str, answer: str) -> None:
    assert matches(answer, f"{before}{answer}{after}")[1:] == [1, 1, 1]


def test_helms_rule_knows_ascii_punctuation_only() -> None:
    assert matches("Paris", "'Paris'!", normalizer="helm")[1] == 1
    assert matches("Paris", "“Paris”", normalizer="helm")[1:] == [0, 0, 0]
    assert exact.ExactScorer(exact.Settings(normalizer="helm")).signature.rules.startswith("exact|norm:helm.1|")


def squad(text: str) -> str:
    """The normalisation of the SQuAD script, written again: lower, punctuation, articles, blanks."""
    letters = "".join(c for c in text.lower() if c not in r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""")
    return " ".join(word for word in re.sub(r"\b(a|an|the)\b", " ", letters).split())


@given(st.text("the an a.,!' cat\t-Z", max_size=30))
def test_quasi_exact_is_squads(text: str) -> None:
    assert without_articles(text) == squad(text)


@pytest.mark.shared
def test_contains_is_what_vocalbench_published(shared: Path) -> None:
    """Whether 2,000 written and 2,000 spoken answers hold the right one. The three that differ hold nothing like it."""
    folder = shared / "data/vocalbench"
    asked = {row["Qid"]: row["Answer"] for row in orjson.loads((folder / "json/knowledge.json").read_bytes())}
    rows = orjson.loads((folder / "result_llama-omni/result_knowledge.json").read_bytes())
    differ = [
        row["question_id"]
        for row in rows
        for reply, flag in (("prediction", "s2t_right"), ("asr_pred", "s2s_right"))
        if matches(asked[row["question_id"]], row[reply], normalizer="whisper-en", boundary="letters")[3]
        != row.get(flag, 0)
    ]
    assert differ == ["knowledge-0974", "knowledge-0974", "knowledge-1958"]


def test_exact_tells_what_is_wrong() -> None:
    with pytest.raises(BadData, match="'1' has no target"):
        exact.ExactScorer().counts(item(), "a")
    with pytest.raises(UsageError, match="no normaliser is called 'squad'"):
        exact.ExactScorer(exact.Settings(normalizer="squad"))


def test_exact_scores_and_bounds() -> None:
    scorer = exact.ExactScorer()
    found = asyncio.run(scorer.score(item("Beatles"), Response("beatles ")))
    assert (found.answer, found.rule) == ("beatles", "quasi_exact_match")
    assert asyncio.run(scorer.score(item("x"), Response("x", stop="filtered"))).state == "refused"
    worst, best = scorer.bounds(item("Beatles"))
    for name in exact.MATCHES:
        assert (scorer.metrics[name].value(worst), scorer.metrics[name].value(best)) == (0, 1)
