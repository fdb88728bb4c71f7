"""Personalized Hearing in the script's own form: results go out and come back."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path

import pytest
from commands import earmark

from earmark.benchmarks import _hearing_data as hearing_data
from earmark.importers import personalized_hearing as foreign
from earmark.journal import read_journal
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.choice import Settings as ChoiceSettings


@pytest.fixture
def fixture(shared: Path) -> Path:
    return shared / "fixtures/personalized_hearing"


@pytest.mark.shared
def test_results_go_out_and_come_back_in_the_scripts_own_form(fixture: Path, tmp_path: Path) -> None:
    words = (
        "run",
        "personalized_hearing",
        f"data={fixture}/data",
        f"media={fixture}/media",
        "model=fake",
        "model.reply=<final_answer> (a)",
    )
    assert earmark(*words).returncode == 0
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    assert earmark("export", str(run), "--to", "personalized-hearing", "--out", str(tmp_path / "out")).returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "out/001.jsonl").read_text().splitlines()]
    assert list(lines[0]) == [
        "user_id",
        "candidate_id",
        "type",
        "options",
        "gold",
        "picked",
        "outcome",
        "reply",
        "latency_s",
    ]
    assert {line["outcome"] for line in lines} <= {"correct", "wrong"}
    with (tmp_path / "out/001.jsonl").open("a") as file:  # a later failure and a line cut short change nothing
        file.write(json.dumps(lines[0] | {"outcome": "error", "picked": [], "error": "APITimeoutError: x"}) + "\n")
        file.write('{"user_id": "001", "candi')
    assert foreign.matches(tmp_path / "out")
    done = earmark("import", str(tmp_path / "out"), "--model", "theirs")
    assert done.returncode == 0, done.stderr
    before = json.loads((run / "metrics.json").read_text())["rows"][0]["metrics"]["accuracy"]
    (copy,) = Path("results/theirs").rglob("metrics.json")
    assert json.loads(copy.read_text())["rows"][0]["metrics"]["accuracy"] == before
    read = json.loads((copy.parent / "run.json").read_text())["model"]["files"]  # a digest of each
    assert set(read) == {f"out/{path.name}" for path in (tmp_path / "out").glob("*.jsonl")}


@pytest.mark.shared
def test_conditions_and_repeats_go_out_apart_and_other_benchmarks_not_at_all(fixture: Path, tmp_path: Path) -> None:
    words = ("personalized_hearing", f"data={fixture}/data", f"media={fixture}/media", "users=[001]", "per_user=2")
    assert earmark("run", *words, "condition=[plain,no-media]", "repeats=2", "model=fake").returncode == 0
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    assert earmark("export", str(run), "--to", "personalized-hearing", "--out", str(tmp_path)).returncode == 0
    written = {
        str(file.relative_to(tmp_path)): len(file.read_text().splitlines()) for file in tmp_path.rglob("*.jsonl")
    }
    assert written == {f"{place}001.jsonl": 2 for place in ("", "repeat_2/", "no-media/", "no-media/repeat_2/")}
    assert earmark("run", "acoustics:pitch", "items=24", "model=fake", "results=other").returncode == 0
    (other,) = (path.parent for path in Path("other").rglob("run.json"))
    done = earmark("export", str(other), "--to", "personalized-hearing")
    assert done.returncode == 2
    assert "is for runs of personalized_hearing, and" in done.stderr


@pytest.mark.shared
def test_users_may_share_the_ids_of_their_questions(fixture: Path, tmp_path: Path) -> None:
    """The script keeps a file for each user, so ids need to differ within one alone."""
    shutil.copytree(fixture / "data", tmp_path / "data")
    for file in tmp_path.glob(f"data/*/{hearing_data.QUESTIONS}"):
        file.write_text(re.sub(r'"candidate_id": *"\d+_', '"candidate_id": "', file.read_text()))
    words = ("personalized_hearing", f"data={tmp_path}/data", f"media={fixture}/media")
    done = earmark("run", *words, "model=fake", "model.reply=<final_answer> (a)")
    assert done.returncode == 0, done.stderr
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    assert earmark("export", str(run), "--to", "personalized-hearing", "--out", str(tmp_path / "out")).returncode == 0
    lines = [
        json.loads(line) for file in sorted(tmp_path.glob("out/*.jsonl")) for line in file.read_text().splitlines()
    ]
    assert [(line["user_id"], line["candidate_id"]) for line in lines[4:7]] == [
        ("001", "q0004"),
        ("002", "q0000"),
        ("002", "q0001"),
    ]
    (tmp_path / "one").mkdir()
    (tmp_path / "one/all.jsonl").write_text("\n".join(map(json.dumps, lines)))  # as somebody may put them together
    (imported,) = foreign.read(tmp_path / "one")
    assert sorted(record.item.id for record in imported.records) == sorted(
        record.item.id for record in read_journal(run / "responses.jsonl")
    )


def test_the_four_outcomes_of_the_script(tmp_path: Path) -> None:
    line = {
        "user_id": "1",
        "candidate_id": "c",
        "type": "t",
        "options": ["(a) w", "(b) x", "(c) y", "(d) z"],
        "gold": "a",
    }
    rows = [
        line
        | {"candidate_id": "1", "picked": ["a"], "outcome": "correct", "reply": "<final_answer> (a)", "latency_s": 1.5},
        line | {"candidate_id": "2", "picked": [], "outcome": "parse_failure", "reply": "hm", "latency_s": 1.0},
        line | {"candidate_id": "3", "picked": [], "outcome": "error", "error": "APITimeoutError: x", "latency_s": 9.0},
        line
        | {"candidate_id": "3", "picked": ["b"], "outcome": "wrong", "reply": "<final_answer> (b)", "latency_s": 1.0},
        line | {"candidate_id": "4", "picked": [], "outcome": "error", "error": "APITimeoutError: x", "latency_s": 9.0},
    ]
    (tmp_path / "1.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (imported,) = foreign.read(tmp_path)
    scorer = ChoiceScorer(ChoiceSettings("personalized-hearing"))
    answers = [
        asyncio.run(scorer.score(r.item, r.response)).answer if r.response else r.failure for r in imported.records
    ]
    assert answers[:3] == ["a", None, "b"]
    assert answers[3] is not None
