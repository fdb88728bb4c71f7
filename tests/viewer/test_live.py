"""A run in progress."""

from __future__ import annotations

from pathlib import Path

import pytest
from mine import bench
from viewed_runs import NAME, acoustics, record, write_lines, write_run

from earmark.engine.load import load_scorer
from earmark.scorers.choice import ChoiceScorer
from earmark.types import replace
from earmark.viewer import live
from earmark.viewer.filters import Filters
from earmark.viewer.live import LiveRuns
from earmark.viewer.results import Results


def unfinished(run: Path, lines: int) -> list[bytes]:
    """Take a finished run back to its first lines; return all of them."""
    whole = (run / "responses.jsonl").read_bytes().splitlines(keepends=True)
    (run / "responses.jsonl").write_bytes(b"".join(whole[:lines]))
    (run / "scores.jsonl").unlink()
    (run / "metrics.json").unlink()
    return whole


def test_answers_are_scored_as_they_come(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path))
    whole = unfinished(run, 2)
    results = Results(tmp_path)
    name = run.relative_to(tmp_path).as_posix()
    runs = LiveRuns(results, lambda _: "")
    first = runs.look(name)
    assert (first["n"], first["finished"], first["why"]) == (2, False, "")
    assert all(row["right"] in (True, False) for row in first["new"])
    assert runs.look(name)["new"] == []
    with (run / "responses.jsonl").open("ab") as file:
        file.write(whole[2] + whole[3][:20])
    second = runs.look(name)
    assert (second["n"], len(second["new"])) == (3, 1)
    with (run / "responses.jsonl").open("ab") as file:
        file.write(whole[3][20:] + b"".join(whole[4:]))
    last = runs.look(name)
    assert last["n"] == 6
    (share,) = last["right"]
    assert (share["marked"], share["right"]) == (6, 3)
    assert results.table(name).count(Filters(mark="right")) == 3


def test_a_benchmark_that_may_not_be_imported_is_shown_unscored(tmp_path: Path) -> None:
    write_run(tmp_path, [record(0)], scored=False)
    look = LiveRuns(Results(tmp_path), lambda _: "it may not").look(NAME)
    assert (look["n"], look["why"]) == (1, "it may not")
    assert [row["right"] for row in look["new"]] == [None]


def test_a_judge_is_never_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path, [record(0), record(1)], scored=False)
    asking = replace(bench.make(), scorers=lambda _: (load_scorer("judge", {"judge": "nobody"}), ChoiceScorer()))
    monkeypatch.setattr(live, "reopen", lambda _: (asking, None))
    runs = LiveRuns(Results(tmp_path), lambda _: "")
    look = runs.look(NAME)
    assert [row["scorer"] for row in look["new"]] == ["choice", "choice"]
    assert runs.look(NAME)["why"] == ""


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path))
    look = LiveRuns(Results(tmp_path), lambda _: "").look(run.relative_to(tmp_path).as_posix())
    assert (look["finished"], look["new"], look["n"]) == (True, [], 6)


def test_a_run_without_any_line_yet(tmp_path: Path) -> None:
    run = write_run(tmp_path, [], scored=False)
    (run / "responses.jsonl").unlink()
    runs = LiveRuns(Results(tmp_path), lambda _: "not now")
    assert runs.look(NAME)["n"] == 0
    write_lines(run / "responses.jsonl", [record(0)])
    assert runs.look(NAME)["n"] == 1
