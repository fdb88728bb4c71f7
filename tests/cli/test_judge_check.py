"""A judge held against people: EVA's three sets, a set of one's own, and one clear line for what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ENV, earmark
from servers import said, serving, sounds, words

from earmark.audio.encode import encode_wav
from earmark.types import Waveform


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def eva(shared: Path) -> Path:
    return shared / "data" / "eva"


def checked(*more: str) -> dict[str, Any]:
    done = earmark("judge-check", *more, "--json")
    assert done.returncode == 0, done.stderr
    return {found["set"]: found for found in json.loads(done.stdout)["sets"]}


def labels(eva: Path) -> dict[str, bool]:
    """What people said of an entity, by how it was written and asked for."""
    path = eva / "judge_validation" / "key_entity_transcription.jsonl"
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {
        f"{entity['value']}\x1f{row['transcription'][turn['turn_id']].strip()}": entity["correct"]
        for row in rows
        for turn in row["labels"]
        for entity in turn["entities"]
    }


def test_a_judge_that_knows_agrees_and_the_rest_is_counted(eva: Path) -> None:
    known = labels(eva)

    def judge(body: dict[str, Any], _: int) -> Any:
        text = words(body)
        if "[To be found]" in text:
            value = re.search(r"\[To be found\] [a-z ]+: (.*)\n", text)
            written = text.partition("[Written] <answer>\n")[2].partition("\n</answer>")[0]
            right = known.get(f"{value[1] if value else ''}\x1f{written}", False)
            return said(f"Explanation: so it is.\nVerdict: {'correct' if right else 'incorrect'}")
        return said("Explanation: hm.\nRating: 3" if "suitcase" not in text else "no rating for this one")

    with serving(judge) as server:
        found = checked(f"judge={server.url}", f"data={eva}")
        asked = len(server.asked)
        assert checked(f"judge={server.url}", f"data={eva}") == found
        assert len(server.asked) == asked, "what a judge said is remembered"
    entities, concise = found["key_entity_transcription"], found["conciseness"]
    assert (entities["cases"], entities["judge_failed"]) == (567, 0)
    assert entities["metrics"]["agreement"]["value"] > 0.98
    assert entities["metrics"]["kappa"]["value"] == 1.0
    assert (
        0.75 < entities["metrics"]["kappa"]["low"] < 0.8
    )  # 38 conversations of unequal length, where drawing told 1 to 1
    assert entities["metrics"]["kappa"]["groups"] == 38
    assert concise["cases"] == 479
    assert concise["judge_failed"] == concise["failures"]["no verdict"] > 0
    judged = 479 - concise["judge_failed"]
    assert sum(sum(row.values()) for row in concise["table"].values()) == judged
    assert set(concise["metrics"]) == {"agreement", "kappa", "kappa_linear", "kappa_quadratic"}
    assert concise["metrics"]["kappa"]["value"] == pytest.approx(0, abs=0.01)  # it says the same to everything
    assert found["agent_speech_fidelity"]["without_sound"] == 147


def test_recordings_are_sent_where_they_are_there(eva: Path, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    silence = Waveform(np.zeros((1, 1600), np.float32), 16000)
    (tmp_path / "media" / "1.1.2_assistant_faithful.wav").write_bytes(encode_wav(silence))
    with serving(lambda *_: said("Explanation: as it should be.\nRating: 1")) as server:
        found = checked(f"judge={server.url}", f"data={eva}", f"media={tmp_path / 'media'}", "limit=3")
    fidelity = found["agent_speech_fidelity"]
    assert (fidelity["cases"], fidelity["without_sound"]) == (3, 141)  # one recording belongs to six cases
    heard = [body for body in server.asked if sounds(body)]
    assert [form for form, _ in sounds(heard[0])] == ["wav"]
    assert "Rodriguez" in words(heard[0])


def test_a_set_of_ones_own_and_a_table(tmp_path: Path) -> None:
    lines = [
        {"question": "Which bird?", "reference": "a robin", "candidate": reply, "label": label}
        for reply, label in (("A robin.", "correct"), ("A wren.", "incorrect"), ("Robin it is", "correct"))
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with serving(
        lambda body, _: said(f"Judgement: {'correct' if 'A robin.' in words(body) else 'incorrect'}")
    ) as server:
        done = earmark("judge-check", f"judge={server.url}", f"data={tmp_path / 'mine.jsonl'}", "prompt=sakura")
    assert done.returncode == 0, done.stderr
    assert re.search(r"mine +sakura\.1 +agreement +0\.667", done.stdout)
    assert re.search(r"mine +sakura\.1 +kappa +0\.400", done.stdout)


def test_a_judge_that_fails_is_shown_with_what_it_said(tmp_path: Path) -> None:
    from aiohttp import web

    case = {"question": "Which bird?", "reference": "a robin", "candidate": "A robin.", "label": "correct"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(case))
    asked = (f"data={tmp_path / 'mine.jsonl'}", "prompt=sakura")
    with serving(lambda *_: said("It is correct,\nI would say, " + "or so " * 40)) as server:
        done = earmark("judge-check", f"judge={server.url}", *asked)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "without a verdict" in line]
    assert re.fullmatch(r"mine: 1 of 1 without a verdict: no verdict, such as: It is correct, I would .{70,80}…", line)
    with serving(lambda *_: web.json_response({"error": {"message": "too long"}}, status=400)) as server:
        done = earmark("judge-check", f"judge={server.url}", *asked)
    assert done.returncode == 7
    assert re.search(r"mine: 1 of 1 without a verdict: no reply, such as: .*too long", done.stdout)
    with serving(lambda *_: web.json_response({"error": {"message": "bad key"}}, status=401)) as server:
        done = earmark("judge-check", f"judge={server.url}", *asked)
    assert done.returncode == 4
    (line,) = done.stderr.strip().splitlines()
    assert "cannot be asked: HTTP 401" in line
    assert "or the same judge-check" in line


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
