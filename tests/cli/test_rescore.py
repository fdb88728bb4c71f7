"""`earmark rescore`: a run that lacks its numbers, that was killed, or that is being written."""

from __future__ import annotations

from pathlib import Path

from commands import earmark

from earmark.runs.rundir import lock


def test_a_run_without_its_numbers_says_how_to_get_them(run: Path) -> None:
    (run / "metrics.json").unlink()
    assert f"or score it as it is: earmark rescore {run}" in earmark("show", str(run)).stderr
    assert earmark("rescore", str(run)).returncode == 0
    assert earmark("show", str(run)).returncode == 0


def test_what_a_killed_scoring_left_is_cleared_away(run: Path) -> None:
    (run / ".scoring-killed").mkdir()
    (run / ".scoring-killed" / "scores.jsonl").touch()
    assert earmark("rescore", str(run)).returncode == 0
    assert not list(run.glob(".scoring-*"))


def test_a_run_that_is_being_written_is_not_scored(run: Path) -> None:
    with lock(run):
        done = earmark("rescore", str(run))
    assert (done.returncode, "is being written by another process" in done.stderr) == (5, True)
