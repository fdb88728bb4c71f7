"""The Open ASR leaderboard: sets, chunks and the average."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_records import answered, numbers, read, records
from imported_results import FORMS, lines

from earmark.errors import BadData


def test_open_asr_s_sets_chunks_and_average(tmp_path: Path) -> None:
    place = FORMS["open_asr"](tmp_path)
    (one,) = read("open_asr", place)
    assert one.model == "some/lab-large-v2"
    by_task = {record.item.task.rpartition("leaderboard")[2]: record for record in one.records}
    joined = by_task["_earnings22_test"]
    assert joined.item.id == "call"
    assert (joined.item.targets, answered(joined).text) == (("we will meet at noon",), "we will meet at moon")
    assert answered(joined).seconds == 1.0
    assert answered(by_task["-multilingual_fleurs_german_test"]).text == ""
    (metrics,) = numbers("open_asr", place).values()
    rows = {row.task.rpartition("leaderboard")[2]: row for row in metrics.rows}
    assert rows["_librispeech_test.clean"].headline[1].value == pytest.approx(1 / 8)  # "um" is no word there
    assert rows["_earnings22_test"].headline[1].value == pytest.approx(1 / 5)
    assert rows["-multilingual_fleurs_german_test"].headline[1].value == 1.0
    assert rows["mean"].headline[1].value == pytest.approx((1 / 8 + 1 / 5 + 1) / 3)
    assert str(rows["_librispeech_test.clean"].signature).startswith("wer|")
    assert "open-asr" in str(rows["_librispeech_test.clean"].signature)
    assert "open-asr" not in str(rows["-multilingual_fleurs_german_test"].signature)


def test_open_asr_s_missing_chunk_is_told(tmp_path: Path) -> None:
    rows = [{"text": "a", "pred_text": "a", "parent_id": "p", "chunk_index": n} for n in (0, 2)]
    with pytest.raises(BadData, match="recording 'p' has the chunks 0, 2, expected all from 0 on"):
        records("open_asr", lines(tmp_path / "MODEL_a-b_DATASET_c_test.jsonl", rows))
