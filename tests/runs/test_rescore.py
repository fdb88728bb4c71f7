"""Scoring anew: nothing is asked, the journal stays, and only what scores may change."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mine import bench

from earmark.config.compose import compose_config
from earmark.errors import BadData, UsageError
from earmark.evaluate import Callbacks, evaluate
from earmark.report.files import read_metrics
from earmark.runs.rescore import compare_parsers, reopen, rescore
from earmark.scorers.exact import ExactScorer


def run(*words: str) -> Path:
    said = Callbacks(lambda _: None, lambda _: None)
    benchmark = bench.make(items=8)
    return asyncio.run(evaluate(benchmark, compose_config(["model=fake", "items=8", *words]), said)).folder


def again(folder: Path, **changes: Any) -> None:
    asyncio.run(rescore(folder, changes))


def test_numbers_come_out_as_they_were_and_nothing_is_asked() -> None:
    folder = run()
    journal, before = (folder / "responses.jsonl").read_bytes(), read_metrics(folder)
    (folder / "scores.jsonl").unlink()
    again(folder)
    assert read_metrics(folder) == before
    assert (folder / "scores.jsonl").exists()
    assert (folder / "responses.jsonl").read_bytes() == journal


def test_a_run_that_was_never_scored_is_scored_as_far_as_it_goes() -> None:
    folder = run()
    before = read_metrics(folder)
    (folder / "metrics.json").unlink()
    again(folder)
    found = read_metrics(folder)
    assert found.rows == before.rows
    assert (before.finished, found.finished) == (True, False), "how many questions there were, nobody has told it"


def test_another_scorer_reads_the_same_replies() -> None:
    folder = run("model.reply=B")
    found = asyncio.run(rescore(folder, {}, ExactScorer()))
    (row,) = found.rows
    assert (row.scorer, row.n) == ("exact", 8)
    assert row.headline[1].value == 0.5


@pytest.mark.parametrize(
    ("changes", "told"), [({"question": "Why?"}, "question=Why? decides what is asked"), ({"colour": "red"}, "colour")]
)
def test_a_setting_that_does_not_score_is_refused_and_the_numbers_stay(changes: dict[str, str], told: str) -> None:
    folder = run()
    before = (folder / "metrics.json").read_bytes()
    with pytest.raises(UsageError, match=told.replace("?", r"\?")):
        again(folder, **changes)
    assert (folder / "metrics.json").read_bytes() == before


def test_a_run_is_opened_again_with_its_own_settings() -> None:
    benchmark, config = reopen(run("repeats=2"))
    assert benchmark.settings == {"items": 8, "seed": 0}
    assert config.run.repeats == 2


@pytest.mark.parametrize("content", [b"\x83\xff", b"run: [", b"5\n", None])
def test_settings_that_cannot_be_read_are_named_with_their_file(content: bytes | None) -> None:
    folder = run()
    (folder / "config.yaml").unlink()
    if content is not None:
        (folder / "config.yaml").write_bytes(content)
    with pytest.raises(BadData, match=r"config\.yaml: cannot be read .*; restore it from a copy"):
        reopen(folder)


def test_parsers_stand_side_by_side_over_the_replies_of_all_runs() -> None:
    first, second = run("model.reply=B"), run("model.reply=I would say (A).", "resume=false")
    found = asyncio.run(compare_parsers([first, second], ["earmark", "listen-g1"]))
    assert [(each.parser, each.row.n) for each in found] == [("earmark", 16), ("listen-g1", 16)]
    assert found[0].row.headline[1].value == 0.5
    assert found[0].row.states["unparsed"] == 0
