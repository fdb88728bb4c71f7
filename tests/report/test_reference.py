"""Published references: what a run is set beside, and what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acousticbench_runs import letter, run, runs
from commands import ENV, earmark
from servers import said, serving

from earmark.errors import BadData
from earmark.importers import acousticbench as foreign
from earmark.journal import read_journal


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))


def test_a_run_is_held_against_its_reference() -> None:
    with serving(lambda body, _: said(letter(body)), ("Test-Model",)) as server:
        assert run(server, results="whole").returncode == 0
        (whole,) = [path.parent for path in Path("whole").rglob("run.json")]
        assert earmark("export", str(whole), "--to", "acousticbench", "--out", "ref/test_model").returncode == 0
        assert run(server, "sample=10").returncode == 0
        (ours,) = runs()
        done = earmark("compare", str(ours), "ref")
        assert done.stdout.startswith("Reference comparison: 10/10 (100.0%) match")
        assert "14 questions are only in the reference" in done.stdout
        path = Path("ref/test_model/pitch/run_1.jsonl")
        asked = {record.item.id for record in read_journal(ours / "responses.jsonl")}
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        changed = next(line for line in lines if line["question_id"] in asked)
        changed["chosen"] = None
        path.write_text("\n".join(json.dumps(line) for line in lines))
        told = json.loads(earmark("compare", str(ours), "ref", "--json").stdout)
        assert (told["matched"], told["total"]) == (9, 10)
        (one,) = told["disagreements"]
        assert (one["run"], one["id"], one["baseline"]) == ("pitch/run_1", changed["question_id"], None)
        assert "Reference comparison: 9/10 (90.0%) match" in earmark("compare", str(ours), "ref").stdout
        # a run that was cut short, its scores older than its answers
        journal = ours / "responses.jsonl"
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]) + b'{"item":{"id":"pi')
        assert "/4 (" in earmark("compare", str(ours), "ref").stdout
    done = earmark("compare", str(ours), str(Path("ref").resolve().parent / "ref" / "test_model" / "pitch"))
    assert "/4 (" in done.stdout


def test_references_that_cannot_be_compared_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "ref" / "Other" / "pitch"
    folder.mkdir(parents=True)
    (tmp_path / "ref" / "Third" / "pitch").mkdir(parents=True)
    for place in (folder, tmp_path / "ref" / "Third" / "pitch"):
        (place / "run_1.jsonl").write_text('{"id": "1", "chosen": "A"}\n')
    with pytest.raises(BadData, match="has no run of Test-Model; there are: Other, Third"):
        foreign.load_references(tmp_path / "ref", "Test-Model")
    assert foreign.load_references(tmp_path / "ref", "other")[foreign.ResultPath("Other", "pitch", 42)] == {"1": "A"}
    (folder / "run_1.jsonl").write_text('{"chosen": "A"}\n')
    with pytest.raises(BadData, match="line 1: has no id of its question; expected one of question_id, id"):
        foreign.load_references(tmp_path / "ref", "Other")
    (folder / "run_1.jsonl").write_text('{"id": "1", "chosen": "C"}\n')
    with pytest.raises(BadData, match="line 1: has no `chosen` that is A, B or null"):
        foreign.load_references(tmp_path / "ref", "Other")
    (folder / "run_1.jsonl").write_text('{"id": "1", "chosen": "A"}\n')
    with pytest.raises(BadData, match="line 1: has no gold; a run can be compared with such results"):
        list(foreign.read(folder))
    (folder / "run_1.jsonl").write_text('{"id": "1", "chosen": "A", "gold": "A", "audio": 5}\n')
    with pytest.raises(BadData, match="line 1: Expected `array`, got `int`; expected audio as paths, and two choices"):
        list(foreign.read(folder))
