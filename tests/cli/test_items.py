"""`earmark items`: lists, filters, one item, two runs, and the sound that was sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
import soundfile
from click.testing import CliRunner
from viewed_runs import acoustics, six

from earmark.cli import earmark as program
from earmark.cli.audiogram import command as audiogram
from earmark.cli.items import command
from earmark.errors import BadData, UsageError

OTHER = "other/bench/2026-02-01_00-00-00"


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command in this process; return the lines of its output."""

    def call(*words: object) -> list[str]:
        command.main([*map(str, words)], standalone_mode=False)
        return capsys.readouterr().out.splitlines()

    return call


def ids(printed: Any, *words: object) -> list[str]:
    rows = json.loads(printed(*words, "--json")[0])["rows"]
    return [(row[0] if isinstance(row, list) else row)["id"] for row in rows]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), [0, 1, 2, 3, 4, 5]),
        (("--right",), [0, 1, 2]),
        (("--wrong",), [3, 4, 5]),
        (("--state", "unparsed"), [3]),
        (("--tag", "level=hard"), [0, 3]),
        (("--wrong", "--tag", "level=easy"), [4, 5]),
        (("--search", "cannot SAY"), [3]),
        (("--rule", "first", "--task", "all", "--condition", "plain"), [0, 1, 2, 3, 4, 5]),
        (("--condition", "silence"), []),
        (("--sort", "seconds", "--limit", "2"), [5, 4]),
        (("--sort", "score", "--limit", "1"), [3]),
    ],
)
def test_filters(tmp_path: Path, printed: Any, words: tuple[str, ...], expected: list[int]) -> None:
    assert ids(printed, six(tmp_path), *words) == [f"item-{number}" for number in expected]


def test_a_line_tells_what_is_right_what_was_read_and_the_reply(tmp_path: Path, printed: Any) -> None:
    same, head, _, *lines, count = printed(six(tmp_path), "--limit", "4")
    assert same == "task: all, condition: plain"
    assert head.split() == ["id", "right", "answer", "read", "state", "reply"]
    assert lines[1].split() == ["item-1", "B", "B", "right", "B"]
    assert lines[3].split() == ["item-3", "B", "-", "unparsed", "I", "cannot", "say"]
    assert count == "4 of 6 items"


def test_two_runs_beside_each_other(tmp_path: Path, printed: Any) -> None:
    first, second = six(tmp_path), six(tmp_path, OTHER, replies=("A", "A", "B", "B", "A", "B"))
    for only, expected in {"first": [1, 2], "second": [3, 4, 5], "both": [0], "neither": []}.items():
        assert ids(printed, first, second, "--only", only) == [f"item-{number}" for number in expected]
    lines = printed(first, second, "--only", "second", "--limit", "2")
    assert lines[:2] == [f"1: model, {first}", f"2: other, {second}"]
    assert "1 read" in lines[3]
    assert lines[-1] == "2 of 3 items"
    assert len(ids(printed, first, second)) == 6
    with pytest.raises(UsageError, match="give a second RUN"):
        printed(first, "--only", "first")
    with pytest.raises(UsageError, match="at most 4"):
        printed(*[first] * 5)


def test_one_item_whole(tmp_path: Path, printed: Any) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,silence]")
    (item, *_) = ids(printed, run)
    lines = printed(run, "--id", item)
    text = "\n".join(lines)
    assert sum(line.startswith("pitch, item ") for line in lines) == 2  # under both conditions
    user = lines.index("user:")
    assert lines[user + 1].startswith("  [sound 1: ")
    assert "reply: A" in lines
    assert "choice: answered, read 'A' by" in text
    (told,) = printed(run, "--id", item, "--condition", "silence", "--json")
    (shown,) = json.loads(told)["items"]
    assert (shown["condition"], shown["words"][0]["parts"][0], shown["item"]["id"]) == ("silence", {"sound": 0}, item)
    with pytest.raises(UsageError, match="no item has the id 'none'"):
        printed(run, "--id", "none")


def test_the_sound_that_was_sent_is_written(tmp_path: Path, printed: Any) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,noise:0]")
    lines = printed(run, "--limit", "2", "--sound", tmp_path / "clips")
    files = sorted((tmp_path / "clips").iterdir())
    assert sorted(lines) == [str(path) for path in files]
    assert len(files) == 4  # two sounds in each prompt
    assert {soundfile.info(path).samplerate for path in files} == {16000}
    assert "_plain_1.wav" in files[2].name


def test_a_limit_that_the_benchmark_took_is_known_when_its_sound_is_made_again(printed: Any, tmp_path: Path) -> None:
    words = ["run", "acousticbench:pitch", "limit=3", "condition=[plain,swap]", "model=fake", f"results={tmp_path}"]
    assert CliRunner().invoke(program, words).exit_code == 0
    told = json.loads(printed(tmp_path, "--sound", tmp_path / "clips", "--condition", "swap", "--json")[-1])
    assert told["problems"] == []  # another limit would swap in another item
    assert told["written"]


def test_the_trials_of_an_audiogram_can_be_heard(tmp_path: Path, printed: Any) -> None:
    words = ["dimensions=[pitch]", "tracks=2", "trials=8", "model=fake", "preflight=false", "results=results"]
    audiogram.main(words, standalone_mode=False)
    assert printed("results", "--limit", "3")[-2].startswith("pitch")
    lines = printed("results", "--limit", "2", "--sound", tmp_path / "clips")
    assert len(lines) == 4
    assert {soundfile.info(line).samplerate for line in lines}


def test_sound_that_cannot_be_made_is_told(tmp_path: Path, printed: Any) -> None:
    run = six(tmp_path)
    with pytest.raises(BadData, match=r"no sound was written for 6 items: .*mine\.bench, which"):
        printed(run, "--sound", tmp_path / "clips", "--no-code")


def test_a_folder_stands_for_its_newest_run(
    tmp_path: Path, printed: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    six(tmp_path / "results")
    six(tmp_path / "results", OTHER)
    monkeypatch.chdir(tmp_path)
    command.main(["results"], standalone_mode=False)
    assert f"results: the run is results/{OTHER}" in capsys.readouterr().err
    command.main(["@"], standalone_mode=False)
    assert f"@: the run is results/{OTHER}" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData, match="empty: no run lies in empty; `earmark list runs empty` lists"):
        printed("empty")
    with pytest.raises(click.UsageError):
        printed()
