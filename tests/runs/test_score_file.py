"""Scores of replies in a file: what is read, what is refused, and what is resampled together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import earmark
from reply_files import complaint, scored


def test_a_record_without_a_target_is_read_and_is_in_no_score(tmp_path: Path) -> None:
    told = scored(tmp_path / "replies.jsonl", reply="B", labels=["A", "B"])
    assert (told["metrics"]["accuracy"], told["states"]["answered"], told["chance"]) == (None, 1, None)
    assert told["warnings"] == ["1 of 1 records have no target; the first is '1'"]


def test_lines_of_one_group_are_resampled_together(tmp_path: Path) -> None:
    """n24 of the findings: forty lines about four recordings, ten alike each, are four independent things."""
    file = tmp_path / "replies.jsonl"

    def told(**more: Any) -> dict[str, Any]:
        lines = [
            {"id": n, "reply": "AB"[n // 10 % 2], "target": "A", "labels": "AB"}
            | {name: value(n) for name, value in more.items()}
            for n in range(40)
        ]
        file.write_text("\n".join(map(json.dumps, lines)))
        found: dict[str, Any] = json.loads(earmark("score", str(file), "--scorer", "choice", "--json").stdout)
        return found

    alone, together = told(), told(group=lambda n: n // 10)
    assert (alone["estimates"]["accuracy"]["groups"], together["estimates"]["accuracy"]["groups"]) == (40, 4)
    width = [
        found["estimates"]["accuracy"]["high"] - found["estimates"]["accuracy"]["low"] for found in (alone, together)
    ]
    assert width[1] > 2 * width[0]
    assert alone["warnings"] == together["warnings"] == []
    (unread,) = told(recording=str, grup=str)["warnings"]
    assert unread.startswith("fields that are not read: recording, grup; those that are: answer, choices, ")


@pytest.mark.parametrize("stop", ["content_filter", "filtered", "refusal", "SAFETY", "RECITATION", "SPII"])
def test_a_line_that_was_withheld_is_refused(stop: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", "reply": "", "target": "", "finish_reason": stop}))
    told = json.loads(earmark("score", str(file), "--scorer", "wer", "--json").stdout)
    assert (told["metrics"]["wrong"], told["states"]["refused"]) == (1, 1)


def test_an_answer_that_is_no_label_is_wrong_and_told(tmp_path: Path) -> None:
    told = scored(tmp_path / "replies.jsonl", answer="Z", target="A", labels=["A", "B"])
    assert (told["metrics"]["accuracy"], told["states"]["answered"]) == (0, 1)
    assert told["warnings"] == [
        "1 of 1 records have an answer that is none of their labels, and so is wrong; the first is '1'"
    ]


@pytest.mark.parametrize(
    ("line", "complaint_"),
    [
        ({"reply": "B", "target": "B"}, "has no choices and no labels"),
        ({"target": "B", "labels": ["A", "B"]}, "has no reply and no answer"),
        ({"reply": ["B"], "labels": ["A", "B"]}, "found list for reply"),
        ({"reply": "B", "labels": ["A", "B"], "group": ["x"]}, "found list for group"),
        ({"reply": "B", "choices": 5}, "found int for choices"),
        ({"reply": "B", "labels": ["A", "A"]}, "expected each once"),
    ],
)
def test_a_record_that_cannot_be_scored_is_told(line: dict[str, Any], complaint_: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", **line}))
    status, told = complaint("score", str(file), "--scorer", "choice")
    assert (status, complaint_ in told) == (3, True)
