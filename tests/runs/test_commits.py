"""Commits of the data: written down with a run, shown, and told apart on a leaderboard. Settings that only score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import table_data as data
from aiohttp import web
from commands import earmark
from ranked_runs import board
from servers import said, serving

from earmark.data.fetch import NOTE, FetchedDataset

FIRST, SECOND = "a" * 40, "b" * 40
TABLE = """# Mine
title: Mine
facts: {license: CC0}
columns: {id: id, question: question, sound: audio, choices: options, answer: answer}
sets: {pets: {layouts: {hub: {repository: me/pets, split: test}}}}
scorers:
  official: {scorer: choice, parser: air-bench, denominator: read}
  earmark: {scorer: choice}
prompts: {official: {text: "{question} {choices}"}}
"""


def fetched(folder: Path, commit: str, answer: str = "A cat") -> Path:
    """A set as `earmark fetch` leaves it in a folder."""
    place = folder / "me--pets"
    rows = [
        {"id": f"q-{number}", "question": "Who?", "options": json.dumps(["A cat", "A dog"]), "answer": answer}
        for number in range(4)
    ]
    data.put_parquet(place / "data/test-00000-of-00001.parquet", rows)
    note = FetchedDataset("me/pets", "main", commit, str(place), {})
    data.put_json(place / NOTE, {name: getattr(note, name) for name in note.__struct_fields__})
    return folder


def run(folder: Path, *more: str) -> str:
    Path("mine.yaml").write_text(TABLE)
    done = earmark("run", "./mine.yaml", f"data={folder}", "preflight=false", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def signatures() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(Path("results").rglob("run.json"))]


def test_the_commit_is_written_down_with_the_run_and_shown(tmp_path: Path) -> None:
    shown = run(fetched(tmp_path, FIRST), "model=fake")
    assert f"me/pets at {FIRST}" in shown
    (signature,) = signatures()
    assert signature["revisions"] == {"me/pets": FIRST}
    checked = earmark("check", "./mine.yaml", f"data={tmp_path}")
    assert f"; me/pets at {FIRST}" in checked.stdout


def test_runs_on_other_files_stand_on_boards_of_their_own_which_name_their_commit(tmp_path: Path) -> None:
    run(fetched(tmp_path / "one", FIRST), "model=fake", "model.name=a")
    run(fetched(tmp_path / "two", SECOND, answer="A dog"), "model=fake", "model.name=b")
    told = {(board["entries"][0]["model"], board["settings"]["data"]) for board in board()}
    assert told == {("a", f"me/pets@{FIRST[:12]}"), ("b", f"me/pets@{SECOND[:12]}")}


def test_runs_on_equal_files_of_two_commits_share_a_board_that_names_both(tmp_path: Path) -> None:
    run(fetched(tmp_path / "one", FIRST), "model=fake", "model.name=a")
    place = fetched(tmp_path / "two", SECOND)
    name = "me--pets/data/test-00000-of-00001.parquet"
    (place / name).write_bytes((tmp_path / "one" / name).read_bytes())
    run(place, "model=fake", "model.name=b")
    (only,) = board()
    assert {entry["model"] for entry in only["entries"]} == {"a", "b"}
    assert only["settings"]["data"] == f"me/pets@{FIRST[:12]} me/pets@{SECOND[:12]}"
    assert f"data=me/pets@{FIRST[:12]} me/pets@{SECOND[:12]}" in earmark("leaderboard").stdout


def test_a_note_that_is_cut_off_is_one_line(tmp_path: Path) -> None:
    fetched(tmp_path, FIRST)
    (tmp_path / "me--pets" / NOTE).write_text('{"repository": "me')
    Path("mine.yaml").write_text(TABLE)
    done = earmark("run", "./mine.yaml", f"data={tmp_path}", "model=fake", "preflight=false")
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert f"{NOTE}: cannot be read" in done.stderr


def test_a_policy_that_is_changed_scores_the_finished_run_and_asks_nothing(tmp_path: Path) -> None:
    folder = fetched(tmp_path, FIRST)

    def reply(_: dict[str, Any], number: int) -> web.Response:
        return said("B" if number % 2 else "I cannot say")

    with serving(reply) as server:
        first = run(folder, f"model={server.url}")
        assert len(server.asked) == 4
        other = run(folder, f"model={server.url}", "policy=earmark")
        assert len(server.asked) == 4
        back = run(folder, f"model={server.url}")
        assert (len(server.asked), len(signatures())) == (4, 1)
        run(folder, f"model={server.url}")  # the same command starts another, as ever
        assert (len(server.asked), len(signatures())) == (8, 2)
    assert "choice earmark" in next(line for line in other.splitlines() if line.startswith("pets"))
    assert [line for line in first.splitlines() if line.startswith("pets")] == [
        line for line in back.splitlines() if line.startswith("pets")
    ]
