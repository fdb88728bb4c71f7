"""Verdicts of judges: read strictly, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_cases import RATINGS

from earmark.judges.parsing import parse_pair, parse_rating, parse_word
from earmark.judges.prompts import JudgePrompt

ELSEWHERE = {  # cases of kind f that are not of this file
    "judges/test_asking.py": ("f10",),
    "scorers/test_bleu.py": ("f13", "f15"),
    "scorers/test_classes.py": ("f11",),
    "stats/test_estimate.py": ("f17", "f19"),
}


def test_no_case_of_kind_f_is_left_out(cases: dict[str, Any]) -> None:
    tested = {"judges/test_parsing.py": ("f01", "f03", "f05", "f07", "f09"), **ELSEWHERE}
    for name, ids in tested.items():
        text = (Path(__file__).parents[1] / name).read_text(encoding="utf-8")
        assert all(re.search(rf'(?:case\(shared, |cases\[|, |\[|== )"{case}"', text) for case in ids)
    of_kind_f = {name for name, case in cases.items() if case["kind"] == "f-metrics"}
    assert {name for ids in tested.values() for name in ids} == of_kind_f


@pytest.mark.parametrize("name", ["f01", "f03", "f05", "f07"])
def test_ratings_of_public_bug_reports(cases: dict[str, Any], name: str) -> None:
    low, high = cases[name]["input"].get("scale", [1, 5])
    read = [parse_rating(row, (low, high)) for row in cases[name]["input"]["rows"]]
    assert [found.value for found in read] == cases[name]["expected"]["scores"]
    if name == "f03":
        assert {found.rule for found in read} == {"out of range"}


@pytest.mark.shared
def test_published_judgements_are_read_as_they_were(shared: Path) -> None:
    """AudioBench's logs: its rule takes the last word for the rating, and so loses those that go on after it."""
    read = lost = 0
    for path in (shared / "data" / "audiobench-logs").glob("*/*_judge_score.json"):
        for row in json.loads(path.read_bytes())["details"]:
            found = parse_rating(row["judge_response"], (0, 5)).value
            read += bool(row["success"])
            lost += not row["success"]
            assert found == row["rate_score"] if row["success"] else found is not None, (path, row["judge_response"])
    assert (read, lost) == (9170, 20)


def test_verdicts_of_public_bug_reports(cases: dict[str, Any]) -> None:
    rows = cases["f09"]["input"]["rows"]
    found = [parse_word(row, ("correct", "incorrect")).value for row in rows]
    assert found == cases["f09"]["expected"]["verdicts"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("4", 4),
        ("**4**", 4),
        ("**Rating:** 4/5", 4),
        ("###Short Explanation: (fine)\n###Rating: (4)", 4),
        ("Explanation: it names 2 out of 3 birds.\nRating: 4", 4),
        ("Rating: 4. It names 2 out of 3 birds.", 4),
        ("<think>Rating: 1, or 2?</think>Rating: 4", 4),
        ("4\n\nThe answer is good.", 4),
        ('{"clarity_score": 2, "score": 4}', 4),
        ("Rating: 3/10", None),
        ("Rating: 4-5", None),
        ("Rating: 4 or 5", None),
        ("Rating: 80%", None),
        ("Rating: -3", None),
        ("Rating - 4", None),
        ("My rating of 4 is not final", None),
        ("-3", None),
        ('{"score": "N/A"}', None),
        ('{"score": true}', None),
        ("I like it four times over", None),
        ("Rating: 4\nRating: unclear", 4),
        ("Rating: 2. The reply matches 3/5 words.", 2),
        ("Rating: 1\n\nNote: a full answer would deserve 5/5.", 1),
        ("It got 1/5 of it, and a better one 5 out of 5.\nRating: 2", 2),
        ("I give it 4/5.", 4),
        ("Rating： 4", 4),
        ("评分：4", 4),
        ("最终评分：4分", 4),
        ("\\boxed{4}", 4),
        ("$\\boxed{\\text{4}}$, and not 5/5", 4),
        ("Rating (1-5): 4", 4),
        ("**Rating** (from 1 to 5): **4**", 4),
        ('{"rating": 4}', 4),
        ('{"rating": "4/5"}', 4),
        ('{"rating": "4/10"}', None),
        ("Scores: 4 and 5.", None),
        ("Rating: " + "1" * 5000, None),
        ('{"rating": ' + "1" * 5000 + "}", None),
        ("2\nand then\n3", None),
        ("", None),
    ],
)
def test_a_rating(reply: str, expected: float | None) -> None:
    assert parse_rating(reply, (1, 5)).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("CORRECT", "correct"),
        ("Incorrect.", "incorrect"),
        ("**Judgement**: Incorrect", "incorrect"),
        ("Explanation: correct bird, wrong count.\nJudgement: incorrect", "incorrect"),
        ("Judgement: correct, since it is the same.", "correct"),
        ("Judgement: correct. On reflection, judgement: incorrect", "incorrect"),
        ("the score is [Correct]", "correct"),
        ("[[incorrect]]", "incorrect"),
        ('{"analysis": "same bird", "judgment": "correct"}', "correct"),
        ("Correct\n\nThe candidate says robin.", "correct"),
        ("Judgement: not correct", None),
        ("Judgement: partly correct", None),
        ("Judgement: correct option was named", None),
        ("The answer is correct in part and incorrect in part", None),
        ("Correct\nIncorrect", None),
        ("Judgement: incorrect. The option was [correct]", "incorrect"),
        ("Judgement： incorrect", "incorrect"),
        ("判断：correct", "correct"),
        ("so it is \\boxed{\\text{incorrect}}, not correct", "incorrect"),
    ],
)
def test_a_word(reply: str, expected: str | None) -> None:
    assert parse_word(reply, ("correct", "incorrect")).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("8 9", (8, 9)),
        ("8, 9\nThe second names the song.", (8, 9)),
        ("Scores:\n**8** **9**", (8, 9)),
        ("8 11", None),
        ("8 9\n9 8", None),
        ("Assistant 1: 8, Assistant 2: 9", (8, 9)),
        ("8", None),
        ("Scores: 9 and 6.", (9, 6)),
        ("Scores: 10 and 4.", (10, 4)),
        ("评分：9, 6", (9, 6)),
        ("Assistant 1: 9\nAssistant 2: 6", (9, 6)),
        ("**Assistant 2:** 6/10 (it names less)\n**Assistant 1:** 9/10 (it names the song)", (9, 6)),
        ("Assistant 1's score: 9. Assistant 2's score: 6.\n\nOn line 3 4 of the lyrics:\n3 4", (9, 6)),
        ('{"assistant_1": 9, "assistant_2": 6}', (9, 6)),
        ('```json\n{"scores": {"assistant_1": 9, "assistant_2": "6/10"}}\n```', (9, 6)),
        ('{"scores": [9, 6]}', (9, 6)),
        ("Assistant 1: 3 birds\nAssistant 2: 4 birds", None),
        ("Assistant 1: 4-5\nAssistant 2: 6", None),
        ("Assistant 1: 9/5\nAssistant 2: 6", None),
        ("Scores: 9 and 60", None),
    ],
)
def test_a_pair(reply: str, expected: tuple[float, float] | None) -> None:
    assert parse_pair(reply, (1, 10)).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Rating: 0 - it got 0/5 and needed 5/5", 0),
        ("Rating: 0\nIt would be 1/1 with the breed.", 0),
    ],
)
@pytest.mark.parametrize("ask", [ask for ask in RATINGS if ask.scale[0] == 0], ids=str)
def test_a_marked_rating_of_nothing_goes_before_a_fraction_in_prose(
    ask: JudgePrompt, reply: str, expected: float
) -> None:
    assert parse_rating(reply, ask.scale).value == expected


MARKED: list[Callable[[str], str]] = [
    "Rating: {}".format,
    "Rating： {}".format,
    "评分：{}".format,
    "Rating (of the reply): {}".format,
    "[[{}]]".format,
    "<score>{}</score>".format,
    lambda number: f"\\boxed{{{number}}}",
    lambda number: f'{{"rating": {number}}}',
]


@given(st.sampled_from(MARKED), st.sampled_from(RATINGS), st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_a_fraction_never_beats_a_marked_rating(
    mark: Callable[[str], str], ask: JudgePrompt, rating: int, other: int, before: bool
) -> None:
    prose = f"It has {other}/{ask.scale[1]:g} words, {other} out of {ask.scale[1]:g}."
    text = "\n".join([prose, mark(str(rating))][:: 1 if before else -1])
    expected = rating if ask.scale[0] <= rating <= ask.scale[1] else None
    assert parse_rating(text, ask.scale).value == expected


@given(st.text(max_size=80))
def test_whatever_a_judge_says_is_read_or_not_and_never_outside_the_scale(reply: str) -> None:
    value = parse_rating(reply, (1, 5)).value
    assert value is None or 1 <= value <= 5
    assert parse_word(reply, ("yes", "no")).value in ("yes", "no", None)
    parse_pair(reply, (1, 10))
