"""Importing: a reader for each form and for no other, runs that are whole or not there, and what can be done with them."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from commands import earmark
from contract import every_example
from imported_results import FORMS, QUESTION, audiobench, lines, lmms_eval, mmau, open_asr, voicebench, whole
from imported_runs import BROKEN, imported

from earmark import plugins
from earmark.errors import BadData, EarmarkError, UsageError
from earmark.importers._runs import first_line
from earmark.journal import SIGNATURE_FILE
from earmark.report.rows import Metrics, Row
from earmark.runs import rundir
from earmark.runs.import_runs import load_importer
from earmark.runs.signature import load_signature

NAMELESS = {name for name, example in every_example("importers") if example.model}  # nothing in them tells the model


def made(form: str, place: Path) -> list[tuple[Path, Metrics]]:
    return imported(FORMS[form](place / form), model="some-model" if form in NAMELESS else "")


def rows(metrics: Metrics) -> dict[tuple[str, str], Row]:
    """The rows of whole tasks by task and scorer."""
    return {(row.task, row.scorer): row for row in metrics.rows if not row.slice}


@pytest.mark.parametrize("form", FORMS)
def test_results_are_recognised_by_their_own_reader_and_no_other(form: str, tmp_path: Path) -> None:
    place = FORMS[form](tmp_path / form)
    readers = {
        name: load_importer(plugins.find_plugin("importers", name)) for name in plugins.plugin_names("importers")
    }
    assert [name for name, reader in readers.items() if reader.matches(place)] == [form]
    for file in filter(Path.is_file, place.rglob("*")):
        known = [name for name, reader in readers.items() if reader.matches(file)]
        assert known in ([form], []), f"{file} is taken for {known}"


@pytest.mark.shared
def test_nothing_is_taken_for_what_it_is_not(shared: Path) -> None:
    readers = {
        name: load_importer(plugins.find_plugin("importers", name)) for name in plugins.plugin_names("importers")
    }
    files = [file for file in shared.rglob("*") if file.suffix in (".json", ".jsonl", ".csv", ".md", ".zip")]
    assert len(files) > 600
    for file in files:
        known = [name for name, reader in readers.items() if reader.matches(file)]
        assert known == (["audiobench"] if file.name.endswith("_score.json") else []), f"{file} is taken for {known}"


@pytest.mark.parametrize("form", FORMS)
def test_what_is_imported_is_a_finished_run_that_can_be_scored_anew(form: str, tmp_path: Path) -> None:
    runs = made(form, tmp_path)
    assert sorted(rundir.find_runs("results")) == sorted(run for run, _ in runs)  # by path: one may be a second younger
    for run, metrics in runs:
        assert metrics.finished
        again = earmark("rescore", str(run))
        assert again.returncode == 0, again.stderr
        before = [(row.task, row.scorer, row.n, row.metrics) for row in metrics.rows]
        told = json.loads((run / "metrics.json").read_text())
        assert len(told["rows"]) == len(before)
        for row, (task, scorer, n, found) in zip(told["rows"], before, strict=True):
            assert (row["task"], row["scorer"], row["n"]) == (task, scorer, n)
            assert {name: one["value"] for name, one in row["metrics"].items()} == {
                k: v.value for k, v in found.items()
            }
        signed = load_signature(run)
        assert (signed.model["backend"], signed.model["form"]) == ("import", form)


@pytest.mark.parametrize("form", BROKEN)
@pytest.mark.parametrize("part", [0.6, 0.97])
def test_of_a_file_that_was_cut_nothing_is_left(form: str, part: float, tmp_path: Path) -> None:
    place = FORMS[form](tmp_path / form)
    file = place if place.is_file() else place / BROKEN[form]
    whole_file = file.read_bytes()
    file.write_bytes(whole_file[: int(len(whole_file) * part)])
    with pytest.raises(BadData) as caught:
        imported(place, form, "some-model" if form in NAMELESS else "")
    told = str(caught.value)
    assert "\n" not in told
    assert file.name in told
    assert not Path("results").exists(), "nothing may be left behind"


@pytest.mark.parametrize("form", BROKEN)
@pytest.mark.parametrize("content", ["", "[]", "no JSON", '{"something": "else"}'])
def test_a_file_of_something_else_is_refused_in_one_line(form: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / Path(BROKEN[form]).name
    file.write_text(content)
    for told_form in ("", form):
        with pytest.raises(EarmarkError) as caught:
            imported(file, told_form, "some-model")
        assert "\n" not in str(caught.value)
        assert str(tmp_path) in str(caught.value)
    assert not Path("results").exists(), "nothing may be left behind"


def test_an_empty_folder_is_in_no_form(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in none of the forms that can be read: acousticbench, audiobench, evalscope"):
        imported(tmp_path)
    with pytest.raises(UsageError, match="no importer is called 'helm'; there are: acousticbench, audiobench"):
        imported(tmp_path, "helm")
    with pytest.raises(UsageError, match="no such file or folder"):
        imported(tmp_path / "nowhere")


def test_a_folder_of_two_forms_needs_a_word(tmp_path: Path) -> None:
    voicebench(tmp_path)
    mmau(tmp_path)
    with pytest.raises(UsageError, match="holds results of mmau and of voicebench; name one with --from"):
        imported(tmp_path)
    assert len(imported(tmp_path, "voicebench")) == 1


def test_an_answer_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    place = lmms_eval(tmp_path / "lmms")
    file = place / BROKEN["lmms_eval"]
    file.write_bytes(file.read_bytes() + file.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(BadData, match="found two answers of mock-audio to '0', expected one"):
        imported(place)
    whole(tmp_path / "twice.json", [QUESTION | {"id": "q", "model_output": "Man"}] * 2)
    with pytest.raises(BadData, match="found two answers of the model to 'q'"):
        imported(tmp_path / "twice.json", model="m")
    assert not Path("results").exists()


def test_of_many_runs_all_are_made_or_none(tmp_path: Path) -> None:
    place = audiobench(tmp_path / "logs")
    (place / "later_model").mkdir()
    (place / "later_model" / "heard_asr_test_wer_score.json").write_text(
        '{"wer": 0.1, "sample_wer": [{"reference": 3}]}'
    )
    with pytest.raises(BadData, match=r"later_model/heard_asr_test_wer_score\.json, sample_wer: found something else"):
        imported(place)
    assert not Path("results").exists()


def test_what_was_there_stays_when_an_import_fails(tmp_path: Path) -> None:
    ((run, _),) = imported(voicebench(tmp_path / "good"))
    with pytest.raises(BadData):
        imported(whole(tmp_path / "bad.json", [QUESTION | {"id": "q", "model_output": 3}]), model="m")
    assert [path.parent.parent.parent.name for path in Path("results").rglob("run.json")] == [run.parent.parent.name]
    assert [path.name for path in Path("results").iterdir()] == [run.parent.parent.name]


def test_an_import_that_is_stopped_while_it_is_scored_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a killed one does: what was begun is in no list."""
    seen: list[Path] = []

    async def stopped(run: Path, *_: Any) -> Metrics:
        assert (run / SIGNATURE_FILE).exists()
        seen.extend(rundir.find_runs("results"))
        raise KeyboardInterrupt

    monkeypatch.setattr("earmark.runs.import_runs.write_scores", stopped)
    with pytest.raises(KeyboardInterrupt):
        made("mmau", tmp_path)
    assert (seen, Path("results").exists()) == ([], False)


def test_a_run_has_a_name(tmp_path: Path) -> None:
    place = mmau(tmp_path)
    with pytest.raises(UsageError, match="nothing tells which model answered; give --model NAME"):
        imported(place)
    ((run, _),) = imported(place, model="org/model")
    assert load_signature(run).model["name"] == "org/model"
    open_asr(tmp_path / "asr")
    lines(tmp_path / "asr" / "MODEL_b-c_DATASET_d_test.jsonl", [{"text": "a", "pred_text": "a"}])
    with pytest.raises(
        UsageError, match=r"--model x: .* holds results of b/c, some/lab-large-v2; import them one by one"
    ):
        imported(tmp_path / "asr", model="x")


def test_results_without_a_reply_make_no_run(tmp_path: Path) -> None:
    file = whole(tmp_path / "some_model" / "said_en_zh_test_bleu_score.json", {"bleu": 25.8})
    with pytest.raises(BadData, match="found no reply, expected the answers of a model as audiobench has them"):
        imported(file)
    assert not Path("results").exists()
    audiobench(tmp_path / "more")
    said: list[str] = []
    assert len(imported(tmp_path, said=said)) == 1
    assert [line for line in said if not line.startswith(("reading ", "scoring "))] == [
        "some_model: no reply is kept in said_en_zh_test_bleu_score.json and its like, so no run is made of it"
    ]


# ---------------------------------------------------------------- how much, and how it is scored


def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    row = {"audio_filepath": "sample_0", "text": "word " * 200, "pred_text": "word " * 200}
    file = lines(tmp_path / "MODEL_a-b_DATASET_c_test.jsonl", ({**row, "duration": n} for n in range(5_000)))
    assert file.stat().st_size > 10_000_000
    reader = load_importer(plugins.find_plugin("importers", "open_asr"))
    tracemalloc.start()
    (one,) = reader.read(file)
    assert sum(1 for _ in one.records) == 5_000
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000


def test_a_first_line_may_be_long(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", [{"index": 0, "sound": "a" * 1_000_000}, {"index": 1}])
    assert first_line(file)["index"] == 0
