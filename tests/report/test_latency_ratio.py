"""Two runs are compared by seconds and tokens answer by answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.journal import Record
from earmark.report.latency_ratio import latency_ratios, ratio_table
from earmark.types import Failure, Item, Response, Usage


def record(n: int, seconds: float, tokens: int = 0) -> Record:
    return Record(Item(str(n), "a"), response=Response("x", seconds=seconds, usage=Usage(tokens_out=tokens)))


def test_ratios_are_of_the_same_questions() -> None:
    baseline = [record(n, float(n), 10) for n in range(1, 41)]
    candidate = [record(n, n * (0.5 if n % 4 else 2.0), 20) for n in range(1, 81)]
    seconds, tokens = latency_ratios(baseline, candidate)
    assert (seconds.measure, seconds.n, seconds.baseline) == ("seconds", 40, 20.5)
    assert seconds.ratio == (0.5, 0.5, 0.5)
    assert (tokens.measure, tokens.baseline, tokens.candidate, tokens.ratio.value) == ("tokens_out", 10, 20, 2.0)
    assert ratio_table([tokens]) == [("a", "plain", "tokens_out", "10", "20", "2", "2-2", "40")]


def test_the_last_record_of_a_question_counts() -> None:
    failed = Record(Item("1", "a"), failure=Failure("request-failed", "no"))
    (ratio,) = latency_ratios([record(1, 1.0)], [record(1, 9.0), record(1, 3.0)])
    assert ratio.ratio == (3.0, None, None)
    assert ratio_table([ratio])[0][6] == "-"
    assert latency_ratios([record(1, 1.0)], [record(1, 9.0), failed]) == []


@pytest.mark.parametrize("form", ["", "--json"])
def test_compare_shows_them_under_the_scores(tmp_path: Path, form: str) -> None:
    runs = [
        earmark.run("acoustics:pitch", {"model": "fake", "name": name}, items=24, results=str(tmp_path), progress=False)
        for name in ("old", "new")
    ]
    words = ["compare", *(str(run.folder) for run in runs), "--latency"]
    done = CliRunner().invoke(cli.earmark, [*words, *[form] * bool(form)])
    if form:
        assert "--latency says something below the table" in str(done.exception)
        return
    assert "candidate / baseline" in done.output
    assert "real_time" in done.output
