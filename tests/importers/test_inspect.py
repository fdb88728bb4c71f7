"""Inspect: epochs, errors and the numbers that were published."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from imported_records import answered, failed, numbers, read, records, states, verdicts, whole_rows
from imported_results import FORMS

from earmark.data.prompt_words import WORDS_FILE, read_words
from earmark.errors import BadData, BadSetup
from earmark.journal import JOURNAL_FILE, read_journal
from earmark.runs.import_runs import import_runs


@pytest.fixture
def inspect(tmp_path: Path) -> Path:
    return FORMS["inspect"](tmp_path / "inspect")


def test_inspect_epochs_are_repeats_and_its_errors_are_failures(inspect: Path) -> None:
    found = records("inspect", inspect / "choices.eval")
    assert sorted((record.item.id, record.repeat) for record in found) == sorted(
        (name, epoch) for name in ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "several") for epoch in (0, 1)
    )
    assert {failure.message for failure in failed(found)} == {
        "BadRequestError('Error code: 400 - Invalid audio: cannot be decoded')"
    }
    by_id = {record.item.id: record for record in found if not record.failure}
    assert by_id["c1"].item.question.endswith("Which animal is heard?")
    assert (by_id["c1"].item.choices, by_id["c1"].item.targets) == (("cat", "dog", "bird", "car"), ("B",))
    assert (answered(by_id["c5"]).stop, answered(by_id["c6"]).stop) == ("length", "filtered")
    assert verdicts(by_id["c2"])["choice"].answer == ""  # an empty answer: nothing was read
    assert by_id["several"].item.labels == ()  # two right answers at once


def test_inspect_s_published_numbers_come_out_again(inspect: Path) -> None:
    told = numbers("inspect", inspect)
    texts = json.loads((inspect / "texts.json").read_text())["results"]["scores"]
    of = {score["name"]: next(iter(score["metrics"].values()))["value"] for score in texts}
    found = whole_rows(told["inspect/texts.json"])[("audio_texts", "imported_score")].metrics
    assert {name: found[f"theirs_{name}"].value for name in ("includes", "exact")} == {
        name: pytest.approx(of[name]) for name in ("includes", "exact")
    }
    assert of["grade"] == 4.0  # of the one that was graded; here the failed request has the least beside it
    assert found["theirs_several.grade"].value == 2.0
    choices = whole_rows(told["inspect/choices.eval"])
    rows = [choices[task, "imported_score"] for task in ("audio_choices", "audio_choices.open")]
    right = sum(row.n * (row.headline[1].value or 0.0) for row in rows)
    with zipfile.ZipFile(inspect / "choices.eval") as archive:
        assert "header.json" in archive.namelist()
    assert right / sum(row.n - row.failed for row in rows) == pytest.approx(3 / 14)  # it left the failed out: 0.2143
    assert "published by Inspect: audio_choices: choice accuracy 0.2143" in told["inspect/choices.eval"].warnings
    assert states(choices["audio_choices", "choice"]) == {
        "answered": 6,
        "unparsed": 4,
        "refused": 2,
        "request-failed": 2,
    }


def test_an_inspect_log_that_did_not_end_says_so(inspect: Path) -> None:
    (one,) = read("inspect", inspect / "broken.eval")
    assert "this evaluation did not end: its status is error" in one.warnings
    assert len(failed(one.records)) == 1


def test_an_inspect_archive_of_something_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(BadData, match=r"found neither header\.json nor _journal/start\.json"):
        read("inspect", tmp_path / "a.eval")
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"}))
        archive.writestr("samples/1_epoch_1.json", json.dumps({"id": 1, "epoch": 1, "input": "x"}))
    with pytest.raises(BadData, match=r"samples/1_epoch_1\.json: found something else .*target"):
        records("inspect", tmp_path / "a.eval")


def test_without_zstandard_an_archive_tells_what_to_install(inspect: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(BadSetup, match=r"pip install 'earmark\[logs\]'"):
        read("inspect", inspect / "choices.eval")
    assert len(read("inspect", inspect / "texts.json")) == 1


def test_the_prompts_of_a_log_are_kept_as_words(inspect: Path) -> None:
    made = [run for run, _ in import_runs(inspect, "", "results", "", lambda _: None)]
    for run in made:
        words = {each.digest: each for each in read_words(run / WORDS_FILE)}
        for record in read_journal(run / JOURNAL_FILE):
            texts = [part for turn in words[record.words].turns for part in turn.parts if isinstance(part, str)]
            assert record.item.question.split("\n")[0] in "".join(texts)
