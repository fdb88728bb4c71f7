"""Runs under a folder, and nothing beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from viewed_runs import NAME, acoustics, six

from earmark.errors import BadData
from earmark.report.files import read_metrics
from earmark.types import replace
from earmark.viewer.results import Results, run_headline


def test_a_folder_of_runs_and_a_run(tmp_path: Path) -> None:
    run = six(tmp_path)
    six(tmp_path, "other/bench/2026-02-01_00-00-00")
    assert Results(tmp_path).names() == ["other/bench/2026-02-01_00-00-00", NAME]
    assert Results(run).names() == [run.name]
    assert Results(run).path(run.name) == run
    with pytest.raises(BadData, match="is no run here"):
        Results(run).path(NAME)


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "/etc", "model/../../etc", "model//bench", "model\\bench", "a\0b", "model/bench", "."]
)
def test_other_names_are_no_runs(tmp_path: Path, name: str) -> None:
    six(tmp_path / "results")
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(BadData, match="is no run here"):
        Results(tmp_path / "results").path(name)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = six(tmp_path / "outside")
    root = tmp_path / "results"
    inside = six(root)
    (root / "linked").symlink_to(outside.parent, target_is_directory=True)
    copy = root / "copy" / "bench" / "2026-01-01_00-00-00"
    copy.mkdir(parents=True)
    (copy / "run.json").write_bytes((inside / "run.json").read_bytes())
    (copy / "responses.jsonl").symlink_to("/etc/passwd")
    results = Results(root)
    assert results.names() == [NAME]
    for name in (f"linked/{outside.name}", "copy/bench/2026-01-01_00-00-00"):
        with pytest.raises(BadData, match="is no run here"):
            results.path(name)


def test_a_line_about_each_run(tmp_path: Path) -> None:
    acoustics(str(tmp_path), reply="A", name="always-a")
    six(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    by_model = {summary.model: summary for summary in Results(tmp_path).summaries()}
    real = by_model["always-a"]
    assert (real.benchmark, real.state, real.n, real.failed) == ("acoustics", "finished", 6, 0)
    assert real.headline is not None
    assert (real.headline.task, real.headline.metric, real.headline.value) == ("pitch", "accuracy", 0.5)
    assert by_model["model"].why == "not scored yet"
    assert by_model["model"].date == "2026-01-31 12:00"
    assert any(summary.why.startswith("cannot be read") for summary in by_model.values())


def test_several_tasks_without_an_average_have_no_number(tmp_path: Path) -> None:
    metrics = read_metrics(acoustics(str(tmp_path)))
    two = replace(
        metrics, headline=None, rows=[*metrics.rows, *(replace(row, task="loudness") for row in metrics.rows)]
    )
    assert run_headline(metrics, ["plain"]) is not None
    assert run_headline(two, ["plain"]) is None
    averaged = replace(
        two, rows=[*two.rows, replace(two.rows[0], task="mean")], averages={"mean": ("pitch", "loudness")}
    )
    headline = run_headline(averaged, ["plain"])
    assert headline is not None
    assert headline.task == "mean"
