"""Replies scored from Python equal those of a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import earmark
from earmark.errors import BadData, UsageError

REPLIES = [
    {"id": 1, "reply": "hello world", "target": "hello word"},
    {"id": 2, "reply": "good morning", "target": "good morning"},
]


def test_records_and_files_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(reply) + "\n" for reply in REPLIES))
    of_records = earmark.score(REPLIES, scorer="wer", language="en")
    of_file = earmark.score(path, scorer="wer", language="en")
    assert of_records.scores == of_file.scores
    assert of_records.scores[0]["value"] == 0.25
    assert [item["id"] for item in of_records.items] == ["1", "2"]
    assert "0.250" in repr(of_records)
    assert "<td>wer</td>" in of_records._repr_html_()


def test_in_a_notebook() -> None:
    async def cell() -> float:
        found: float = earmark.score(
            [{"id": 1, "reply": "(B)", "target": "B", "choices": ["x", "y"]}], scorer="choice"
        ).scores[0]["value"]
        return found

    assert asyncio.run(cell()) == 1.0


def test_bad_input_says_what_was_found() -> None:
    with pytest.raises(BadData, match="replies, record 2"):
        earmark.score([REPLIES[0], {"id": 3}], scorer="wer", language="en")
    with pytest.raises(BadData, match="stands for two records"):
        earmark.score([REPLIES[0], REPLIES[0]], scorer="wer", language="en")
    with pytest.raises(UsageError, match="no scorer is called 'werr'"):
        earmark.score(REPLIES, scorer="werr")
    with pytest.raises(UsageError, match="langage"):
        earmark.score(REPLIES, scorer="wer", langage="en")
