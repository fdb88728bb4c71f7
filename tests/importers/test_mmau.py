"""MMAU: two keys, matches, and answers that are hidden."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from imported_records import answered, failed, numbers, records, states, verdicts, whole_rows
from imported_results import FORMS, QUESTION, whole

from earmark.errors import BadData
from earmark.types import Failure


def test_mmau_s_two_keys_and_questions_that_were_not_answered(tmp_path: Path) -> None:
    found = records("mmau", FORMS["mmau"](tmp_path))
    assert [answered(record).text for record in found[:3]] == ["A woman.", "(B)", "Man"]
    assert failed(found) == [Failure("request-failed", "no model_output")]
    assert (found[0].item.labels, found[0].item.targets) == (("A", "B", "C", "D"), ("B",))
    assert found[0].item.tags == {"difficulty": "easy", "category": "Reasoning", "skill": "Speaker"}
    (metrics,) = numbers("mmau", tmp_path, "m").values()
    assert states(whole_rows(metrics)["speech", "choice"]) == {"answered": 2, "request-failed": 1}
    assert {row.slice for row in metrics.rows} >= {"difficulty=easy", "skill=Speaker"}


def test_mmau_keeps_a_match_where_there_is_one_and_refuses_hidden_answers(tmp_path: Path) -> None:
    row = QUESTION | {"id": "q", "model_output": "Man", "match": 0, "category": ["Reasoning"]}
    (record,) = records("mmau", whole(tmp_path / "a.json", [row]))
    assert verdicts(record)["match"].value == 0.0
    assert record.item.tags["category"] == "Reasoning"
    with pytest.raises(BadData, match=r"question 1: found something else .*category"):
        records("mmau", whole(tmp_path / "a.json", [row | {"category": 3}]))
    with pytest.raises(BadData, match="question 1: found the answer '' among 4 choices"):
        records("mmau", whole(tmp_path / "a.json", [row | {"answer": ""}]))


@pytest.mark.shared
def test_mmau_s_published_questions(shared: Path, tmp_path: Path) -> None:
    questions = json.loads((shared / "data" / "mmau" / "mmau-test-mini.json").read_text())
    assert len(questions) == 1000
    file = whole(tmp_path / "a.json", [row | {"model_output": row["answer"]} for row in questions])
    found = records("mmau", file)
    assert len(found) == 1000
    twice = [record for record in found if len(record.item.targets) > 1]
    assert len(twice) == 16  # the right option is listed twice
    assert all(
        len({record.item.choices[record.item.labels.index(label)] for label in record.item.targets}) == 1
        for record in twice
    )
