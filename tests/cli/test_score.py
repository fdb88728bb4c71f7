"""`earmark score`: replies of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import earmark
from reply_files import complaint, scored


def test_replies_of_a_file_are_scored(tmp_path: Path) -> None:
    lines = [
        {"id": "1", "reply": "The answer is B.", "target": "dog", "choices": ["cat", "dog"]},
        {"id": "2", "reply": "A", "target": "B", "labels": ["A", "B"]},
        {"id": "3", "reply": "no idea", "target": "A", "labels": ["A", "B"]},
        {"id": "4", "reply": "ignored", "target": "A", "labels": ["A", "B"], "answer": "A"},
    ]
    file, items = tmp_path / "replies.jsonl", tmp_path / "items.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    done = earmark("score", str(file), "--scorer", "choice", "--json", "--items", str(items))
    told = json.loads(done.stdout)
    assert told["metrics"]["accuracy"] == 0.5
    assert told["n"] == 4
    written = [json.loads(line) for line in items.read_text().splitlines()]
    assert [line["answer"] for line in written] == ["B", "A", None, "A"]
    assert all({"id", "answer", "state", "counts", "rule", "why"} <= line.keys() for line in written)
    file.write_text('{"id": "1", "reply": "A", "target": "A", "labels": ["A"]}\nnot json\n')
    status, line = complaint("score", str(file), "--scorer", "choice")
    assert (status, f"{file}, line 2: is no JSON" in line) == (3, True)
    status, line = complaint("score", str(file), "--scorer", "choice", "parser=nobody")
    assert (status, "no reader is called 'nobody'" in line) == (2, True)
    status, line = complaint("score", str(file), "--scorer", "choice", "--items", str(tmp_path / "nowhere" / "items"))
    assert (status, "no such folder" in line) == (2, True)


def test_replies_of_a_file_may_be_given_in_other_shapes(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    assert scored(file, reply="Dog.", target="dog", choices={"A": "cat", "B": "Dog"})["metrics"]["accuracy"] == 1
    both = {"reply": "A and C", "target": ["A", "C"], "labels": ["A", "B", "C"]}
    told = scored(file, "multi_select=true", **both)
    assert (told["metrics"]["accuracy"], told["chance"]) == (1, pytest.approx(1 / 7))
    assert scored(file, "multi_select=true", **both | {"reply": "A"})["metrics"]["accuracy"] == 0
    assert scored(file, "multi_select=true", **both | {"answer": ["C", "a"]})["metrics"]["accuracy"] == 1
    assert scored(file, reply=0, target=0, labels=[0, 1])["metrics"]["accuracy"] == 1
    assert scored(file, answer="dog", gold="dog", choices=["cat", "dog"])["metrics"]["accuracy"] == 1
    cut = {"reply": "So the answer is A", "target": "A", "labels": ["A", "B"], "finish_reason": "length"}
    assert scored(file, **cut)["states"]["answered"] == 1
    assert scored(file, "thinking=opened", **cut)["states"]["unparsed"] == 1


def test_targets_that_name_no_choice_are_refused_and_listed(tmp_path: Path) -> None:
    """Finding K6."""
    choices = ["snare", "kick", "hi-hat"]
    targets = ["kick ", "(B)", "B.", "B. kick", "KICK"]
    file = tmp_path / "replies.jsonl"
    lines = [{"id": at, "reply": "B", "target": target, "choices": choices} for at, target in enumerate(targets)]
    file.write_text("\n".join(map(json.dumps, lines)))
    told = json.loads(earmark("score", str(file), "--scorer", "choice", "--json").stdout)
    assert (told["metrics"]["accuracy"], told["n"]) == (1, 5)
    wrong = [{"id": f"x{at}", "reply": "B", "target": "cymbal", "choices": choices} for at in range(7)]
    file.write_text("\n".join(map(json.dumps, [*lines, *wrong])))
    status, line = complaint("score", str(file), "--scorer", "choice")
    assert status == 3
    assert "7 of 12 items have a target that is none of their labels or choices: 'x0' ('cymbal'), 'x1'" in line
    assert "'x4' ('cymbal') and 2 more" in line


def test_the_replies_that_are_scored_are_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"id": 1, "reply": "A", "target": "A", "labels": "AB"}\n')
    before = file.read_bytes()
    status, line = complaint("score", str(file), "--scorer", "choice", "--items", f"{tmp_path}/./replies.jsonl")
    assert (status, "would overwrite the replies" in line) == (2, True)
    assert file.read_bytes() == before


def test_classes_need_the_texts_of_choices(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"id": "1", "reply": "A", "target": "A", "labels": ["A", "B"]}')
    status, told = complaint("score", str(tmp_path / "replies.jsonl"), "--scorer", "listen")
    assert (status, "has labels and no choices" in told) == (3, True)
