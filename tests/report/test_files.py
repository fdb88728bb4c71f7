"""Reports as files."""

from __future__ import annotations

from pathlib import Path

from earmark.journal import Record, ScoreLine
from earmark.report.files import Samples, settle
from earmark.types import Item


def test_tasks_of_any_name_have_a_file_of_samples_each(tmp_path: Path) -> None:
    tasks = ["plain", "speech/en", "speech-en", ".."]
    (tmp_path / "staged").mkdir()
    with Samples(tmp_path / "staged") as samples:
        for task in tasks:
            samples.add(Record(Item("1", task)), ScoreLine(task, "1", "plain", 0, "choice", "answered"))
    (tmp_path / "run").mkdir()
    settle(tmp_path / "staged", tmp_path / "run")
    written = sorted((tmp_path / "run" / "samples").iterdir())
    assert sorted(path.read_text().splitlines()[1].partition(",")[0] for path in written) == sorted(tasks)
    assert "plain.csv" in [path.name for path in written]
