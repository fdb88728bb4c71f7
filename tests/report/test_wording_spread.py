"""`prompt=[...]` tells how much of a score is the wording, by a paired interval."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.report.wording_spread import spread_table, wording_spreads
from earmark.runs.run_scores import load_run_scores

MODULE = """
def answer(prompt):
    text = "".join(part for turn in prompt.turns for part in turn.parts if isinstance(part, str))
    if "Could you please" in text:
        return "B"
    return "I cannot say." if "Reply" in text else "A"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "by_words.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "odd.txt").write_text("Reply! {question} {choices}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*words: str) -> str:
    done = CliRunner().invoke(cli.earmark, ["run", "acoustics:pitch", "items=40", "model=fake", *words])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_a_list_of_prompts_is_run_one_by_one_and_ends_with_their_spread(folder: Path) -> None:
    output = invoke("model.reply=by_words:answer", "prompt=[official,polite,odd.txt]")
    assert len(list(folder.glob("results/*/*/*/metrics.json"))) == 3
    assert "acoustics: spread over 3 wordings of the prompt" in output
    assert "pitch plain accuracy 0.333 0.289 0.500 polite odd.txt 0.500 (0.311 to 0.641) <0.001" in output


def test_the_spread_is_that_of_the_scores(folder: Path) -> None:
    model = {"model": "fake", "reply": "by_words:answer"}
    runs = {
        name: earmark.run("acoustics:pitch", model, prompt=name, items=40, progress=False)
        for name in ("short", "polite", "odd.txt")
    }
    scores = {name: load_run_scores(run.folder) for name, run in runs.items()}
    (spread,) = wording_spreads({name: run.metrics.rows for name, run in runs.items()}, scores)
    values = [run.scores()[0]["value"] for run in runs.values()]
    assert values == [0.5, 0.5, 0.0]
    assert spread.mean == pytest.approx(sum(values) / 3)
    assert spread.sd == pytest.approx((2 * (1 / 6) ** 2 + (1 / 3) ** 2) ** 0.5 / 2**0.5)
    assert (spread.range, spread.worst) == (0.5, "odd.txt")
    assert spread.difference
    assert spread.difference.p
    assert spread.difference.n == 40
    assert spread.p == pytest.approx(3 * spread.difference.p)
    assert spread_table([spread])[0][5] == "0.500"


def test_one_wording_has_no_spread(folder: Path) -> None:
    run = earmark.run("acoustics:pitch", "fake", items=8, progress=False)
    assert wording_spreads({"a": run.metrics.rows}, {"a": load_run_scores(run.folder)}) == []
    done = CliRunner().invoke(cli.earmark, ["run", "acoustics:pitch", "model=fake", "prompt=[short]"])
    assert "expected several prompts" in str(done.exception)
