"""Commands that are killed in the middle: the next one finishes or removes what they left."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark
from recorded_runs import run

from earmark.errors import BadData
from earmark.journal import METRICS_FILE
from earmark.report import files
from earmark.report.files import read_metrics
from earmark.runs import rundir
from earmark.runs.scoring import read_scores


class KilledError(BaseException):
    """Stands for kill -9: nothing catches it."""


def test_a_rescore_that_is_killed_between_its_renames_is_finished_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run("model=fake").folder
    before = read_metrics(folder)
    moved: list[Path] = []
    replace = Path.replace

    def kill(path: Path, target: Path) -> Path:
        if ".scoring-" in str(path) and moved:
            raise KilledError
        moved.append(path)
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", kill)
        patched.setattr("tempfile.TemporaryDirectory.cleanup", lambda _: None)
        with pytest.raises(KilledError):
            files.publish_files(_staged(folder), folder)
    with pytest.raises(BadData, match="its numbers are of other scores"):
        read_metrics(folder)
    assert earmark("rescore", str(folder)).returncode == 0
    assert read_metrics(folder).rows == before.rows
    assert not [*folder.glob(".*scoring*"), *folder.glob(".*.part")]
    assert len([*read_scores(folder / "scores.jsonl")]) == 40


def _staged(folder: Path) -> Path:
    """Scores of another rule and their metrics, as a rescore has them ready."""
    staged = folder / ".scoring-killed"
    staged.mkdir()
    text = (folder / "scores.jsonl").read_text()
    (staged / "a.csv").write_text("first to be moved")
    (staged / "scores.jsonl").write_text(text.replace('"choice"', '"other"'))
    (staged / METRICS_FILE).write_bytes((folder / METRICS_FILE).read_bytes())
    (folder / "scores.jsonl").write_text(text + "\n")  # as if the first rename had come
    return staged


def test_folders_without_a_description_are_removed_by_the_next_run(tmp_path: Path) -> None:
    parent = run("model=fake").folder.parent
    (parent / "2026-01-01_00-00-00").mkdir()
    (parent / "2026-01-01_00-00-01").mkdir()
    (parent / "2026-01-01_00-00-01" / "config.yaml").touch()
    (parent / "2026-01-01_00-00-02").mkdir()
    (parent / "2026-01-01_00-00-02" / "mine.txt").touch()
    run("model=fake", "resume=false")
    left = [path.name for path in parent.iterdir() if path.name.startswith("2026-01-01")]
    assert left == ["2026-01-01_00-00-02"]


def test_an_import_knows_its_own(tmp_path: Path, shared: Path) -> None:
    source = next(shared.rglob("*.eval"), None) or next(shared.rglob("*_score.json"))
    first = earmark("import", str(source), "--model", "m")
    assert first.returncode == 0, first.stderr
    runs = rundir.find_runs("results")
    again = earmark("import", str(source), "--model", "m")
    assert (again.returncode, rundir.find_runs("results")) == (0, runs)
    assert "holds these results already" in again.stderr


def test_what_a_killed_import_left_is_removed(shared: Path) -> None:
    source = next(shared.rglob("*.eval"), None) or next(shared.rglob("*_score.json"))
    Path("results/.import-killed/0.run").mkdir(parents=True)
    assert earmark("import", str(source), "--model", "m").returncode == 0
    assert not [*Path("results").glob(".import*")]
