"""Numbers in replies against published flags, worked examples, and their own laws."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.errors import BadData
from earmark.scorers import number
from earmark.types import Item, Response


def item(*targets: str) -> Item:
    return Item("1", targets=targets)


@given(st.decimals(-(10**6), 10**6, places=2))
def test_the_number_itself_is_right(value: Any) -> None:
    for policy in ("last", "lm-eval"):
        assert number.NumberScorer(number.Settings(policy)).counts(item(str(value)), str(value))["right"]


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
    scorer = number.NumberScorer(number.Settings(policy))
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
            counts = number.NumberScorer(number.Settings(policy)).counts(item(*row["reference"]), row["prediction"])
            assert counts["right"] == (row["prediction"] == row["reference"][0]), row
            seen += 1
    assert seen == 80


def test_number_scores_and_bounds() -> None:
    scorer = number.NumberScorer()
    unread = asyncio.run(scorer.score(item("3"), Response("three")))
    assert (unread.state, unread.answer, unread.counts) == ("unparsed", None, {"right": 0, "read": 0, "n": 1})
    assert asyncio.run(scorer.score(item("3"), Response("3", stop="filtered"))).state == "refused"
    worst, best = scorer.bounds(item("3"))
    assert [scorer.metrics["accuracy"].value(counts) for counts in (worst, best)] == [0, 1]
    with pytest.raises(BadData, match="'1' has no target"):
        scorer.counts(item(), "3")
