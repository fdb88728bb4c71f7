"""Requirements on a run: by the interval, not by the number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.errors import BadData, EarmarkError, UsageError
from earmark.runs.gate import check_not_worse, check_requirements, parse_requirement


def run(folder: Path, reply: str, **settings: object) -> Path:
    model = {"model": "fake", "reply": reply}
    return earmark.run(
        "acoustics:loudness", model, progress=False, results=str(folder / reply.replace(":", "-")), **settings
    ).folder


@pytest.fixture
def right(tmp_path: Path) -> Path:
    return run(tmp_path, "examples.listeners:loudest", items=48)


def check(folder: Path, *texts: str, task: str = "", condition: str = "plain") -> list[bool]:
    found = check_requirements(folder, [parse_requirement(text) for text in texts], task, condition)
    return [result.passed for result in found]


def test_the_lower_end_decides(right: Path) -> None:
    """48 of 48 are right: the interval goes from 0.926 to 1."""
    assert check(right, "accuracy>=0.92", "accuracy>=0.93", "accuracy>0.5", "accuracy<=1", "accuracy<1") == [
        True, False, True, True, False
    ]  # fmt: skip
    (result,) = check_requirements(right, [parse_requirement("accuracy>=0.93")])
    assert "lower end of the 95 % interval is 0.926 (value 1.000, n 48" in result.line
    assert result.line.startswith("FAIL  loudness plain: accuracy>=0.93")


def test_what_is_not_there_is_refused(right: Path, tmp_path: Path) -> None:
    for texts, task, condition in (
        (["wer<=0.1"], "", "plain"),
        (["accuracy>=0"], "pitch", "plain"),
        (["accuracy>=0"], "", "silence"),
    ):
        with pytest.raises(UsageError, match="loudness plain accuracy"):
            check(right, *texts, task=task, condition=condition)
    for text in ("accuracy", "accuracy=0.8", ">=0.8", "accuracy>=high", "accuracy>=0.8x"):
        with pytest.raises(UsageError, match="is no requirement"):
            parse_requirement(text)
    with pytest.raises(EarmarkError):
        check(tmp_path / "nothing", "accuracy>=0")


def test_an_unfinished_run_meets_nothing(right: Path) -> None:
    path = right / "metrics.json"
    path.write_text(path.read_text().replace('"finished": true', '"finished": false'))
    with pytest.raises(BadData, match="is unfinished"):
        check(right, "accuracy>=0")


def test_not_worse_by_the_interval_of_the_difference(right: Path, tmp_path: Path) -> None:
    always = run(tmp_path, "A", items=48)
    (worse,) = check_not_worse(always, right, 0.02)
    (better,) = check_not_worse(right, always, 0.02)
    (same,) = check_not_worse(right, right, 0.1)
    (same_and_strict,) = check_not_worse(right, right, 0.01)
    assert [worse.passed, better.passed, same.passed, same_and_strict.passed] == [False, True, True, False]
    assert "lower end" in worse.line
    assert worse.value == -0.5
    with pytest.raises(UsageError, match="a margin above 0"):
        check_not_worse(right, always, 0.0)
    with pytest.raises(UsageError, match="no question in common"):
        check_not_worse(right, always, 0.1, task="pitch")


def test_the_command_says_so_and_exits_with_8(right: Path) -> None:
    def command(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli.earmark, ["check", str(right), *words])
        return done.exit_code, done.output

    assert command("accuracy>=0.9")[0] == 0
    status, out = command("accuracy>=0.95", "--task", "loudness", "--json")
    told = json.loads(out)
    assert (status, told["passed"], told["requirements"][0]["low"] > 0.92) == (8, False, True)
    status, out = command("--not-worse-than", str(right), "--by", "0.1")
    assert (status, out.split()[:4]) == (0, ["pass", "loudness", "plain:", "accuracy"])
    assert "the lower end of the difference's 95 % interval is -0.0" in out
    for words in ((), ("--by", "0.1")):
        assert isinstance(CliRunner().invoke(cli.earmark, ["check", str(right), *words]).exception, UsageError)
