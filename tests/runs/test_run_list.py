"""Runs in a list: their number, or why there is none."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import acoustics

from earmark.report.files import read_metrics
from earmark.runs.run_list import ListedRun, list_runs, run_lines
from earmark.stats.estimate import Estimate


def test_a_run_is_listed_with_its_headline(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,silence]")
    (listed,) = list_runs(tmp_path)
    metrics = read_metrics(run)
    assert metrics.headline
    row = metrics.rows[metrics.headline.row]
    assert listed == ListedRun(
        str(run), "fake", "acoustics", ("plain", "silence"), "finished", "accuracy", row.headline[1], row.n
    )


def test_lines() -> None:
    runs = [
        ListedRun("a/1", "m", "b", ("plain",), metric="wer", score=Estimate(0.5, 0.25, 0.75), n=1200),
        ListedRun("a/2", "m", "b", ("plain", "silence"), state="unfinished", n=3),
        ListedRun("a/3", "m", "b", ("plain",), n=7),
    ]
    assert run_lines(runs) == [
        ("m", "b", "1", "plain", "1,200", "0.500 (0.250-0.750)"),
        ("m", "b", "2", "plain, silence", "3", "unfinished"),
        ("m", "b", "3", "plain", "7", "several tasks"),
    ]
    other = ListedRun("a/4", "m", "b", ("plain",), metric="accuracy", score=Estimate(0.5, 0.25, 0.75), n=1)
    assert [line[-1] for line in run_lines([runs[0], other])] == [
        "wer 0.500 (0.250-0.750)", "accuracy 0.500 (0.250-0.750)"
    ]  # fmt: skip
