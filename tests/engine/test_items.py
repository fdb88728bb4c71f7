"""Samples and orders of choices in a run: what is asked, what is signed, what is scored again."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.errors import RunMismatch, UsageError


def run(folder: Path, **settings: Any) -> earmark.Run:
    model = settings.pop("model", "fake")
    return earmark.run("acoustics:pitch,loudness", model=model, results=str(folder), progress=False, **settings)


def test_a_sample_is_the_same_for_every_model_and_signs_the_run(tmp_path: Path) -> None:
    first = run(tmp_path / "a", sample=10)
    second = run(tmp_path / "b", sample=10, model={"model": "fake", "reply": "B"})
    asked = [(item["task"], item["id"]) for item in first.items()]
    assert asked == [(item["task"], item["id"]) for item in second.items()]
    assert (len(asked), {task for task, _ in asked}) == (10, {"pitch", "loudness"})
    assert first.signature.benchmark["settings"]["sample"] == 10
    other = run(tmp_path / "a", sample=10, seed=3)
    assert other.folder != first.folder
    assert other.signature.benchmark != first.signature.benchmark


def test_a_sampled_run_is_rescored_as_it_is(tmp_path: Path) -> None:
    sampled = run(tmp_path, sample=6, choice_order="shuffled:2")
    before = sampled.scores(slices=True)
    done = CliRunner().invoke(cli.earmark, ["rescore", str(sampled.folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert sampled.scores(slices=True) == before
    with pytest.raises(RunMismatch, match="sample was 6 and is 7"):
        CliRunner().invoke(cli.earmark, ["retry", str(sampled.folder), "sample=7"], catch_exceptions=False)


def test_a_model_that_always_says_a_is_told_by_the_positions(tmp_path: Path) -> None:
    asked = run(tmp_path, items=24, choice_order="shuffled:2")
    assert asked.scores()[0]["value"] == 0.5
    assert asked.scores()[0]["n"] == 48
    with (asked.folder / "choice_orders.csv").open(encoding="utf-8") as file:
        rows = {(row["task"], row["label"]): row for row in csv.DictReader(file)}
    assert (rows["pitch", "A"]["answers"], rows["pitch", "A"]["right_answers"]) == ("48", "24")
    assert (rows["pitch", "B"]["answers"], rows["pitch", "B"]["right_answers"]) == ("0", "24")
    assert {row["same_option_in_every_order"] for row in rows.values()} == {"0"}
    slices = {row["slice"] for row in asked.scores(slices=True) if "slice" in row}
    assert slices >= {"choice_order=1", "choice_order=2"}


def test_a_wrong_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="shuffled:N"):
        run(tmp_path, choice_order="random")
    with pytest.raises(UsageError, match="sample"):
        run(tmp_path, sample=0)
