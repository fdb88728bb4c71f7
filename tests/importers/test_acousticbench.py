"""AcousticBench in its own form: runs go out and come in again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from acousticbench_runs import letter, rows, run, runs
from commands import ENV, earmark
from servers import said, serving


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))


def test_three_repeats_are_three_runs_and_go_out_and_in_again() -> None:
    with serving(lambda body, _: said(letter(body)), ("Test-Model",)) as server:
        done = run(server, "sample=10", "repeats=3")
    assert done.returncode == 0, done.stderr
    (ours,) = runs()
    before = rows(ours)
    figures = before["pitch"]["repeats"]["numbers"]
    assert len(figures) == 3
    done = earmark("export", str(ours), "--to", "acousticbench", "--out", "reference_trajectories/Test-Model")
    folder = Path("reference_trajectories/Test-Model/pitch")
    assert sorted(path.name for path in folder.iterdir()) == [
        "run_1.jsonl",
        "run_2.jsonl",
        "run_3.jsonl",
        "summary.json",
    ]
    lines = [json.loads(line) for line in (folder / "run_2.jsonl").read_text().splitlines()]
    assert {line["seed"] for line in lines} == {43}
    assert {line["chosen"] for line in lines} <= {"A", "B"}
    summary = json.loads((folder / "summary.json").read_text())
    assert [told["accuracy"] for told in summary["runs"]] == figures
    assert summary["std_accuracy"] == before["pitch"]["repeats"]["summary"]["deviation"]
    done = earmark("import", "reference_trajectories", "results=imported")
    assert done.returncode == 0, done.stderr
    (back,) = [path.parent for path in Path("imported").rglob("run.json")]
    after = rows(back)
    assert f" answers in {len(set(after) - {'mean over tasks'})} tasks, 0 of them failed" in done.stdout
    assert earmark("rescore", str(back), "--scorer", "imported_score", "measures=[{name: chosen}]").returncode == 0
    chosen = rows(back)["pitch"]["metrics"]["theirs_chosen"]["value"]
    assert chosen == pytest.approx(before["pitch"]["metrics"]["accuracy"]["value"])
    assert earmark("rescore", str(back)).returncode == 0
    for task, row in after.items():
        assert row["metrics"] == before[task]["metrics"]
        assert row["states"] == before[task]["states"]
    assert earmark("export", str(back), "--to", "acousticbench", "--out", "again").returncode == 0
    assert Path("again/pitch/run_2.jsonl").read_bytes() == (folder / "run_2.jsonl").read_bytes()


def test_results_in_the_form_of_the_seed_end_with_a_comparison_and_come_back_alone() -> None:
    form = "output_dir={model}-{task}-{backend}-seed{seed}-{time}"
    with serving(lambda body, _: said(letter(body)), ("Test-Model",)) as server:
        first = run(server, "task=pitch", "sample=10", form)
        assert first.returncode == 0, first.stderr
        (ours,) = runs()
        assert ours.parent == Path("results")
        assert re.fullmatch(r"Test-Model-pitch-openai-seed42-20\d\d-.*", ours.name)
        done = earmark("export", str(ours), "--to", "acousticbench-results", "--out", "out")
        assert done.returncode == 0, done.stderr
        (folder,) = Path("out").iterdir()
        assert re.fullmatch(r"Test-Model-pitch-openai-seed42-.*", folder.name)
        assert sorted(path.name for path in folder.iterdir()) == ["config.json", "metrics.json", "responses.jsonl"]
        assert json.loads((folder / "config.json").read_text())["seed"] == 42
        assert earmark("export", str(ours), "--to", "acousticbench", "--out", "refs/Test-Model").returncode == 0
        again = run(server, "sample=10", "reference=refs", "resume=false")
        wrong = run(server, "sample=10", "reference=out", "resume=false", results="none")
    assert again.returncode == 0, again.stderr
    assert "Reference comparison: 10/10 (100.0%) match, Test-Model and Test-Model in refs" in again.stdout
    assert wrong.returncode == 3 or "expected a folder with MODEL/TASK/run_1.jsonl" in wrong.stderr
    lone = Path("responses.jsonl")
    lone.write_bytes((folder / "responses.jsonl").read_bytes())
    back = earmark("import", str(lone), "results=imported")
    assert back.returncode == 0, back.stderr
    (imported,) = [path.parent for path in Path("imported").rglob("run.json")]
    assert imported.parent == Path("imported/Test-Model/acousticbench")
    assert rows(imported)["pitch"]["metrics"]["accuracy"] == rows(ours)["pitch"]["metrics"]["accuracy"]
