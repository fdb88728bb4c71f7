"""Checks of a judge against people: agreement, and what failed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import earmark
from judge_checks import checked
from servers import said, serving, words


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
