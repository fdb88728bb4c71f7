"""A judge held against people: EVA's three sets, a set of one's own, and one clear line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ENV, earmark


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("more", "status", "told"),
    [
        ([], 2, "judge-check needs data=FOLDER"),
        (["data=nowhere"], 3, "nowhere: found none of key_entity_transcription.jsonl"),
        (["data=mine.jsonl"], 2, "which prompt is to be checked by it"),
        (["data=mine.jsonl", "prompt=mine"], 2, "no prompt for judges is called 'mine'; there are: air-bench"),
        (["data=mine.jsonl", "prompt=air-bench"], 2, "compares two answers"),
        (["data=mine.jsonl", "prompt=sakura"], 3, "case 1: the label 'good' is none of correct, incorrect"),
        (["data=mine.jsonl", "prompt=sakura", "judge=nobody"], 3, "the label 'good'"),
        (
            ["data=short.jsonl", "prompt=sakura"],
            3,
            (
                "short.jsonl, line 1: Object missing required field `label`; expected an object with question, candidate, "
                "label"
            ),
        ),
        (["data=torn.jsonl", "prompt=sakura"], 3, "torn.jsonl, line 1: Input data was truncated"),
        (["data=other"], 3, "conciseness.jsonl, line 1: Object missing required field `conv_turns`"),
        (["data=beyond"], 3, "labels a turn beyond the 1 that were said and written"),
        (["colour=red"], 2, "no setting is called 'colour'; there are: judge, data, media, prompt, votes, temperature"),
        (["data=right.jsonl", "prompt=sakura", "votes=0"], 2, "votes=0: a judge has one vote at least"),
        (["data=right.jsonl", "prompt=sakura", "judge=nobody"], 2, "no model is called 'nobody'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(more: list[str], status: int, told: str) -> None:
    case = {"question": "Which?", "reference": "a robin", "candidate": "A robin."}
    Path("mine.jsonl").write_text(json.dumps(case | {"label": "good"}))
    Path("right.jsonl").write_text(json.dumps(case | {"label": "correct"}))
    Path("short.jsonl").write_text(json.dumps(case))
    Path("torn.jsonl").write_text('{"question": "Wh')
    Path("other").mkdir()
    Path("other/conciseness.jsonl").write_text('{"conversation_id": "1", "turns": []}')
    Path("beyond").mkdir()
    entity = {"type": "time", "value": "9", "correct": True}
    heard = {"user_tts": ["Hi."], "transcription": ["Hi."], "labels": [{"turn_id": 1, "entities": [entity]}]}
    Path("beyond/key_entity_transcription.jsonl").write_text(json.dumps(heard))
    done = earmark("judge-check", "judge=fake", *more)
    (line,) = done.stderr.strip().splitlines()
    assert told in line
    assert done.returncode == status
