"""VoiceBench: grades, votes and choices."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_records import failed, numbers, records, states, whole_rows
from imported_results import FORMS, lines

from earmark.errors import BadData
from earmark.types import Failure


@pytest.fixture
def voicebench(tmp_path: Path) -> Path:
    return FORMS["voicebench"](tmp_path / "voicebench")


def test_voicebench_s_grades_votes_and_choices(voicebench: Path) -> None:
    (metrics,) = numbers("voicebench", voicebench).values()
    rows = whole_rows(metrics)
    graded = rows["commoneval", "imported_score"]
    assert states(graded) == {"answered": 1, "request-failed": 1, "judge-failed": 1}
    assert graded.headline[1].value == pytest.approx((4.0 + 1.0) / 2)  # 4, 5 and [[3]]; a failed request has the least
    assert graded.headline[1].best == pytest.approx((4.0 + 5.0 + 5.0) / 3)  # with the missing verdict
    voted = rows["sd-qa", "imported_score"]
    assert (voted.n, voted.headline[1].value) == (2, 0.5)  # two of three said yes in one region, one in the other
    assert {row.slice for row in metrics.rows if row.task == "sd-qa"} == {"", "split=aus", "split=usa"}
    assert rows["sd-qa", "exact"].metrics["contains"].value == 1.0
    assert rows["openbookqa", "choice"].headline[1].value == 0.5
    assert "alpacaeval: 1 answers without a reference or a verdict, which nothing scores" in metrics.warnings


def test_voicebench_s_text_is_a_condition_and_the_judged_file_counts(voicebench: Path) -> None:
    found = records("voicebench", voicebench)
    assert {record.condition for record in found if record.item.task == "alpacaeval"} == {"transcript"}
    assert {record.condition for record in found if record.item.task != "alpacaeval"} == {"plain"}
    assert sum(record.item.task == "commoneval" for record in found) == 3
    assert failed(found) == [Failure("request-failed", "response is null")]


def test_voicebench_s_dialogues_are_told(tmp_path: Path) -> None:
    file = lines(tmp_path / "m-mtbench-test-audio.jsonl", [{"prompt": ["a", "b"], "response": ["c", "d"]}])
    with pytest.raises(BadData, match="line 1: found a dialogue of several turns, expected one prompt"):
        records("voicebench", file)
