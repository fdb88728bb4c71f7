"""A run with a broken file: one line names the file, and what is derived is made again."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark

from earmark.runs.rundir import lock

COMMAND = ("run", "mine.bench", "model=fake", "items=4")


@pytest.fixture
def run() -> Path:
    assert earmark(*COMMAND).returncode == 0
    (signed,) = Path("results").rglob("run.json")
    return signed.parent


def cut(path: Path) -> None:
    """Leave half a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("file", "data", "words", "told"),
    [
        ("config.yaml", b"\x83\xff", ("rescore",), "config.yaml: cannot be read"),
        ("config.yaml", b"run: [", ("rescore",), "config.yaml: cannot be read"),
        ("config.yaml", b"5\n", ("retry",), "config.yaml: cannot be read"),
        ("responses.jsonl", b"{}\n", ("export", "--to", "csv"), "responses.jsonl, line 1: is no record of a run"),
        ("responses.jsonl", b"", ("export", "--to", "csv"), "scores.jsonl: all, item item-0 is not in the journal"),
    ],
)
def test_a_broken_file_is_named(run: Path, file: str, data: bytes, words: tuple[str, ...], told: str) -> None:
    (run / file).write_bytes(data)
    done = earmark(words[0], str(run), *words[1:])
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr


def test_a_run_without_its_numbers_says_how_to_get_them(run: Path) -> None:
    (run / "metrics.json").unlink()
    assert f"to score what is there: earmark rescore {run}" in earmark("show", str(run)).stderr
    assert earmark("rescore", str(run)).returncode == 0
    assert earmark("show", str(run)).returncode == 0


def test_a_retry_of_a_run_without_failures_says_so(run: Path) -> None:
    done = earmark("retry", str(run))
    assert (done.returncode, done.stderr) == (0, "nothing to ask again: no item is request-failed or sound-failed\n")


def test_what_a_killed_scoring_left_is_cleared_away(run: Path) -> None:
    (run / ".scoring-killed").mkdir()
    (run / ".scoring-killed" / "scores.jsonl").touch()
    assert earmark("rescore", str(run)).returncode == 0
    assert not list(run.glob(".scoring-*"))


def test_a_run_that_is_being_written_is_not_scored(run: Path) -> None:
    with lock(run):
        done = earmark("rescore", str(run))
    assert (done.returncode, "is being written by another process" in done.stderr) == (5, True)


def test_an_export_writes_over_no_answer(run: Path) -> None:
    before = (run / "responses.jsonl").read_bytes()
    done = earmark("export", str(run), "--to", "jsonl", "--out", str(run / "responses.jsonl"))
    assert (done.returncode, "would write over a file of a run" in done.stderr) == (2, True)
    assert (run / "responses.jsonl").read_bytes() == before
    assert all(earmark("export", str(run), "--to", "csv").returncode == 0 for _ in range(2))


def test_a_folder_in_the_place_of_a_file_is_named(run: Path) -> None:
    (run / "run.json").unlink()
    (run / "run.json").mkdir()
    done = earmark("show", str(run))
    assert (done.returncode, "run.json: Is a directory" in done.stderr) == (3, True)


def test_broken_numbers_are_made_again_by_the_same_command(run: Path) -> None:
    cut(run / "metrics.json")
    assert "unfinished" in earmark("list", "runs").stdout
    done = earmark(*COMMAND)
    assert done.returncode == 0, done.stderr
    assert "going on with" in done.stderr
    assert earmark("show", str(run)).returncode == 0
