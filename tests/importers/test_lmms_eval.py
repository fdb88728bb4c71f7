"""lmms-eval: replies, failures and the numbers that were published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported_records import answered, failed, numbers, records, states, whole_rows
from imported_results import FORMS, lines

from earmark.errors import BadData


@pytest.fixture
def lmms_eval(tmp_path: Path) -> Path:
    return FORMS["lmms_eval"](tmp_path / "lmms_eval")


def test_lmms_eval_s_published_numbers_come_out_again(lmms_eval: Path) -> None:
    (file,) = lmms_eval.rglob("*_results.json")
    published = json.loads(file.read_text())["results"]
    (metrics,) = numbers("lmms_eval", lmms_eval).values()
    rows = whole_rows(metrics)
    choices = rows["heard_choices", "imported_score"]
    assert choices.metrics["theirs_accuracy"].value == pytest.approx(published["heard_choices"]["accuracy,none"])
    assert rows["heard_texts", "imported_score"].headline[1].value == pytest.approx(
        published["heard_texts"]["exact_match,none"]
    )
    assert states(choices) == {"answered": 4, "unparsed": 2, "request-failed": 1}
    assert choices.headline[1].best == pytest.approx(2 / 7)  # had the failed one been right
    assert choices.settings["measures"][1]["better"] == "lower"  # as the results tell of the length


def test_what_lmms_eval_grades_of_a_failed_request_is_a_failure(lmms_eval: Path) -> None:
    told = failed(records("lmms_eval", lmms_eval))
    assert [failure.state for failure in told] == ["request-failed", "request-failed"]
    assert all(failure.message.startswith("[LMMS_EVAL_REQUEST_FAILED after 5 retries]") for failure in told)


@pytest.mark.parametrize(
    ("resps", "expected"),
    [
        ([["a"]], ["a"]),
        ("a", ["a"]),
        ([["a", "b"]], ["a", "b"]),
        ([["a"], ["b"]], ["a", "b"]),
    ],
)
def test_lmms_eval_s_replies_lie_one_in_another(resps: Any, expected: list[str], tmp_path: Path) -> None:
    row = {"doc_id": 7, "target": "['x', 'y']", "filtered_resps": ["z"], "resps": resps, "input": "Q", "acc": 1}
    found = records("lmms_eval", lines(tmp_path / "d_samples_t.jsonl", [row]))
    assert [(answered(record).text, record.repeat) for record in found] == [
        (text, n) for n, text in enumerate(expected)
    ]
    assert found[0].item.targets == ("x", "y")
    assert [len(record.verdicts) for record in found] == [1] + [0] * (len(expected) - 1)


def test_lmms_eval_s_likelihoods_are_no_replies(tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "x", "filtered_resps": [[-1.5, False]], "input": "Q"}
    with pytest.raises(BadData, match="found no text in its replies"):
        records("lmms_eval", lines(tmp_path / "d_samples_t.jsonl", [row]))
