"""EvalScope: reviews with how each reply ended, and the numbers that were published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from imported_records import answered, numbers, read, records, states, verdicts, whole_rows
from imported_results import FORMS, lines


@pytest.fixture
def evalscope(tmp_path: Path) -> Path:
    return FORMS["evalscope"](tmp_path / "evalscope")


def test_evalscope_s_reviews_with_how_each_reply_ended(evalscope: Path) -> None:
    found = {(record.item.task, record.item.id, record.repeat): record for record in records("evalscope", evalscope)}
    assert len(found) == 10
    assert {repeat for task, _, repeat in found if task == "general_vqa_heard"} == {0, 1}
    heard = found["general_vmcq_heard", "0", 0]
    assert (heard.item.choices, heard.item.targets) == (("cat", "dog", "bird", "car"), ("B",))
    assert [clip.name for clip in heard.item.clips] == ["a.wav"]
    assert answered(found["general_vmcq_heard", "4", 0]).stop == "length"
    assert answered(found["general_vmcq_heard", "5", 0]).stop == "filtered"


def test_evalscope_s_published_numbers_come_out_again(evalscope: Path) -> None:
    (metrics,) = numbers("evalscope", evalscope).values()
    report = json.loads((evalscope / "reports" / "mock-audio" / "general_vmcq.json").read_text())
    row = whole_rows(metrics)["general_vmcq_heard", "imported_score"]
    assert row.headline[1].value == pytest.approx(report["metrics"][0]["score"], abs=5e-5)  # published to four places
    assert states(row) == {"answered": 2, "unparsed": 3, "refused": 1}
    assert "published by evalscope: general_vmcq: accuracy 0.1667" in metrics.warnings
    assert (
        "general_vmcq_heard: 1 of 7 requests failed there and are not in the log: they are in no number here"
        in metrics.warnings
    )


def test_evalscope_without_its_predictions_and_reports(evalscope: Path) -> None:
    file = evalscope / "reviews" / "mock-audio" / "general_vmcq_heard.jsonl"
    moved = file.rename(evalscope / "moved.jsonl")
    (one,) = read("evalscope", moved)
    assert (one.model, {answered(record).stop for record in one.records}) == ("", {"end"})


def test_evalscope_before_messages(tmp_path: Path) -> None:
    score = {"value": {"acc": True}, "status": "success", "prediction": "B", "extracted_prediction": "B"}
    judged = {"value": {"acc": 0.0}, "status": "failed", "explanation": "the judge gave no answer"}
    rows = [
        {"index": 0, "input": "Which?\nA) a\nB) b", "target": "B", "sample_score": {"score": score}},
        {"index": 1, "input": "Which?\nA) a\nB) b", "target": "B", "sample_score": {"score": score | judged}},
    ]
    found = records("evalscope", lines(tmp_path / "reviews" / "m" / "old_default.jsonl", rows))
    assert [(record.item.id, record.item.targets, answered(record).text) for record in found] == [
        ("0", ("B",), "B"),
        ("1", ("B",), "B"),
    ]
    assert [verdicts(record)["acc"].value for record in found] == [1.0, None]
