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
from earmark.scorers import exact, number
from earmark.text._english import without_articles
from earmark.text.normalise import find_normalizer
from earmark.types import Item, Response


def item(*targets: str) -> Item:
    return Item("1", targets=targets)


def matches(target: str, reply: str, **how: Any) -> list[float]:
    """exact, quasi-exact, prefix, contains."""
    return list(exact.Settings(**how).counts(item(target), reply).values())[:4]


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


def test_any_of_several_answers_is_right() -> None:
    counts = exact.Settings().counts(item("grey", "gray"), "Gray.")
    assert (counts["exact_match"], counts["quasi_exact_match"]) == (0, 1)


PUNCTUATION = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] == "P"]


@given(st.sampled_from(PUNCTUATION), st.sampled_from(PUNCTUATION), st.sampled_from(["Paris", "東京", "дом", "दिल्ली"]))
def test_no_punctuation_of_any_script_makes_a_difference(before: str, after: str, answer: str) -> None:
    assert matches(answer, f"{before}{answer}{after}")[1:] == [1, 1, 1]


def test_helms_rule_knows_ascii_punctuation_only() -> None:
    assert matches("Paris", "'Paris'!", normalizer="helm")[1] == 1
    assert matches("Paris", "“Paris”", normalizer="helm")[1:] == [0, 0, 0]
    assert exact.Settings(normalizer="helm").signature.startswith("exact|norm:helm.1|")


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
        exact.Settings().counts(item(), "a")
    with pytest.raises(UsageError, match="no normaliser is called 'squad'"):
        exact.Settings(normalizer="squad")


def test_exact_scores_and_bounds() -> None:
    scorer = exact.Settings()
    found = asyncio.run(scorer.score(item("Beatles"), Response("beatles ")))
    assert (found.answer, found.rule) == ("beatles", "quasi_exact_match")
    assert asyncio.run(scorer.score(item("x"), Response("x", stop="filtered"))).state == "refused"
    worst, best = scorer.bounds(item("Beatles"))
    for name in exact.MATCHES:
        assert (scorer.metrics[name].value(worst), scorer.metrics[name].value(best)) == (0, 1)


# ---------------------------------------------------------------- numbers


@given(st.decimals(-(10**6), 10**6, places=2))
def test_the_number_itself_is_right(value: Any) -> None:
    for policy in ("last", "lm-eval"):
        assert number.Settings(policy).counts(item(str(value)), str(value))["right"]


@pytest.mark.parametrize(
    ("reply", "last", "lm_eval", "lm_strict", "audiobench"),
    [
        ("She makes 9 * 2 = $18 a day.", "18", "$18", None, "18"),
        ("The answer is 18, not 16.", "18", "16.", None, "18"),
        ("9 * 2 = 18 #### 18", "18", "18", "18", "18"),
        (r"So \boxed{18} after 3 steps", "18", "3", None, "3"),
        ("1,800.50 dollars", "1,800.50", "1,800.50", None, "1800.5"),
        ("- 5 apples\n- 7 pears", "7", "7", None, "7"),
        ("it fell to -3", "-3", "-3", None, "-3"),
        ("pages 3-5", "5", "-5", None, "-5"),
        ("version v2", None, "2", None, "2"),
        ("three", None, None, None, None),
    ],
)
def test_numbers_by_hand(reply: str, last: Any, lm_eval: Any, lm_strict: Any, audiobench: Any) -> None:
    read = {name: policy.read(reply) for name, policy in number.POLICIES.items()}
    assert (read["last"] or "").lstrip("$") == (last or "")
    assert (read["lm-eval"], read["lm-strict"], read["audiobench"]) == (lm_eval, lm_strict, audiobench)


@pytest.mark.parametrize(
    ("policy", "target", "reply", "right"),
    [
        ("last", "18", "$18.00", 1),
        ("last", "9 * 2 = #### 1,800", "It is 1800.", 1),
        ("last", "-22.73", "−22.73", 1),
        ("last", "18", "答案是１８，不是16。", 1),
        ("last", "18", "答案：18，不是16。", 1),
        ("last", "18", "19", 0),
        ("lm-eval", "18", "$18.00", 0),  # texts are compared
        ("lm-eval", "9 * 2 = #### 1,800", "It is 1,800.", 1),
        ("audiobench", "0.75", "The answer is 3/4.", 1),
        ("audiobench", "5", "5.00", 1),
    ],
)
def test_right_numbers_by_hand(policy: Any, target: str, reply: str, right: float) -> None:
    scorer = number.Settings(policy)
    found = asyncio.run(scorer.score(item(target), Response(reply)))
    assert (found.counts["right"], found.counts["read"], found.state) == (right, 1, "answered")


LOGS = "data/audiobench-logs/cascade_whisper_large_v3_llama_3_8b_instruct"


@pytest.mark.shared
@pytest.mark.parametrize("policy", ["last", "audiobench"])
def test_audiobenchs_rows_are_right_where_it_says_so(policy: Any, shared: Path) -> None:
    """The logs keep 20 rows of each set, the numbers read already: they are equal as texts, or wrong."""
    seen = 0
    for path in sorted((shared / LOGS).glob("*_acc_score.json")):
        for row in orjson.loads(path.read_bytes())["details"]:
            counts = number.Settings(policy).counts(item(*row["reference"]), row["prediction"])
            assert counts["right"] == (row["prediction"] == row["reference"][0]), row
            seen += 1
    assert seen == 80


def test_number_scores_and_bounds() -> None:
    scorer = number.Settings()
    unread = asyncio.run(scorer.score(item("3"), Response("three")))
    assert (unread.state, unread.answer, unread.counts) == ("unparsed", None, {"right": 0, "read": 0, "n": 1})
    assert asyncio.run(scorer.score(item("3"), Response("3", stop="filtered"))).state == "refused"
    worst, best = scorer.bounds(item("3"))
    assert [scorer.metrics["accuracy"].value(counts) for counts in (worst, best)] == [0, 1]
    with pytest.raises(BadData, match="'1' has no target"):
        scorer.counts(item(), "3")
