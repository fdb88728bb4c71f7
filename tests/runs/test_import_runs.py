"""Importing: a reader for each form and for no other, runs that are whole or not there, and what can be done with them."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from commands import earmark
from imported_results import ASKED, FORMS, QUESTION, audiobench, lines, lmms_eval, mmau, open_asr, voicebench, whole

from earmark import plugins
from earmark.errors import BadData, EarmarkError, UsageError
from earmark.importers._runs import first_line, matching_scorers, measure_scorers
from earmark.journal import SIGNATURE_FILE
from earmark.report.leaderboard import footnotes, leaderboard_table
from earmark.report.rows import Metrics, Row
from earmark.runs import rundir
from earmark.runs.import_runs import import_runs
from earmark.runs.imported import TaskStats, ValueRange
from earmark.runs.leaderboard import build_leaderboards
from earmark.runs.signature import load_signature

NAMELESS = {"mmau"}  # nothing in them tells the model


def imported(path: Path, form: str = "", model: str = "", said: list[str] | None = None) -> list[tuple[Path, Metrics]]:
    return import_runs(path, form, "results", model, (said if said is not None else []).append)


def made(form: str, place: Path) -> list[tuple[Path, Metrics]]:
    return imported(FORMS[form](place / form), model="some-model" if form in NAMELESS else "")


def rows(metrics: Metrics) -> dict[tuple[str, str], Row]:
    """The rows of whole tasks by task and scorer."""
    return {(row.task, row.scorer): row for row in metrics.rows if not row.slice}


def test_every_form_has_an_example() -> None:
    assert set(FORMS) == set(plugins.plugin_names("importers"))


@pytest.mark.parametrize("form", FORMS)
def test_results_are_recognised_by_their_own_reader_and_no_other(form: str, tmp_path: Path) -> None:
    place = FORMS[form](tmp_path / form)
    readers = {name: plugins.find_plugin("importers", name) for name in plugins.plugin_names("importers")}
    assert [name for name, reader in readers.items() if reader.matches(place)] == [form]
    for file in filter(Path.is_file, place.rglob("*")):
        known = [name for name, reader in readers.items() if reader.matches(file)]
        assert known in ([form], []), f"{file} is taken for {known}"


@pytest.mark.shared
def test_nothing_is_taken_for_what_it_is_not(shared: Path) -> None:
    readers = {name: plugins.find_plugin("importers", name) for name in plugins.plugin_names("importers")}
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


# ---------------------------------------------------------------- what goes wrong


BROKEN = {  # the file of each form that is broken
    "audiobench": "some_model/muchomusic_test_llama3_70b_judge_score.json",
    "evalscope": "reviews/mock-audio/general_vmcq_heard.jsonl",
    "inspect": "choices.eval",
    "lmms_eval": "mock-audio/20261130_032553_samples_heard_choices.jsonl",
    "mmau": "answers.json",
    "open_asr": "MODEL_some-lab-large-v2_DATASET_hf-audio-open-asr-leaderboard_earnings22_test.jsonl",
    "voicebench": "some-model-openbookqa-test-audio.jsonl",
}


@pytest.mark.parametrize("form", BROKEN)
@pytest.mark.parametrize("part", [0.6, 0.97])
def test_of_a_file_that_was_cut_nothing_is_left(form: str, part: float, tmp_path: Path) -> None:
    place = FORMS[form](tmp_path / form)
    file = place / BROKEN[form]
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
    with pytest.raises(UsageError, match="--from helm: no such form; there are: acousticbench, audiobench"):
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
    assert said == [
        "some_model: no reply is kept in said_en_zh_test_bleu_score.json and its like, so no run is made of it"
    ]


# ---------------------------------------------------------------- how much, and how it is scored


def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    row = {"audio_filepath": "sample_0", "text": "word " * 200, "pred_text": "word " * 200}
    file = lines(tmp_path / "MODEL_a-b_DATASET_c_test.jsonl", ({**row, "duration": n} for n in range(5_000)))
    assert file.stat().st_size > 10_000_000
    reader = plugins.find_plugin("importers", "open_asr")
    tracemalloc.start()
    (one,) = reader.read(file)
    assert sum(1 for _ in one.records) == 5_000
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000


def test_a_first_line_may_be_long(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", [{"index": 0, "sound": "a" * 1_000_000}, {"index": 1}])
    assert first_line(file)["index"] == 0


def facts(measures: dict[str, ValueRange], **more: Any) -> TaskStats:
    return TaskStats("heard_asr_de", 2, measures=measures, **more)


@pytest.mark.parametrize(
    ("measure", "spread", "expected"),
    [
        ("accuracy", ValueRange(0, 1), {"lowest": 0.0, "highest": 1.0, "better": "higher"}),
        ("rating", ValueRange(0, 5), {"lowest": 0.0, "highest": None, "better": "higher"}),
        ("sample_wer", ValueRange(0, 0.5), {"lowest": 0.0, "highest": None, "better": "lower"}),
        ("gain", ValueRange(-2, 0.5), {"lowest": -2.0, "highest": None, "better": "higher"}),
    ],
)
def test_a_scale_shows_in_the_values(measure: str, spread: ValueRange, expected: dict[str, Any]) -> None:
    ((scorer),) = measure_scorers(facts({measure: spread}))
    assert scorer == {"name": "imported_score", "measures": [{"name": measure} | expected]}


def test_a_task_is_scored_by_what_its_items_tell() -> None:
    spread = ValueRange(0, 1)
    assert matching_scorers(facts({}, n_with_choices=2)) == [{"name": "choice"}]
    assert matching_scorers(facts({}, n_with_choices=1)) == [{"name": "exact"}]
    assert matching_scorers(facts({}, targets=False)) == []
    assert matching_scorers(facts({"wer": spread})) == [{"name": "wer", "language": "de", "unit": ""}]
    assert matching_scorers(facts({"anything": spread}), ["cer"])[0]["name"] == "wer"
    assert matching_scorers(facts({"answer": spread})) == [{"name": "exact"}]  # no word error in it
    assert matching_scorers(facts({"sacreBLEU": spread}))[0] == {"name": "bleu", "language": "de", "references": 0}
    assert measure_scorers(facts({})) == []


# ---------------------------------------------------------------- the commands


def test_a_folder_becomes_runs_that_are_shown_compared_and_ranked(tmp_path: Path) -> None:
    place = audiobench(tmp_path / "logs")
    other = place / "other_model"
    said = ("(B) dog", "(C) bird", "(B)", "(A)")
    judged = [
        {"question": ASKED, "reference": "(B) dog", "model_prediction": reply, "judge_response": "Rating: 1"}
        | {"rate_score": float("B" in reply), "success": 1}
        for reply in said
    ]
    head = {"judge_score": 50.0, "success_rate": 1.0}
    whole(other / "muchomusic_test_llama3_70b_judge_score.json", {"llama3_70b_judge": head, "details": judged})

    done = earmark("import", str(place))
    assert done.returncode == 0, done.stderr
    assert "audiobench by some_model: 10 answers in 4 tasks, 0 of them failed" in done.stdout
    assert "2 runs; their numbers: earmark show RUN" in done.stdout
    second, first = sorted(Path(told) for told in re.findall(r"^run: (.*)$", done.stdout, re.MULTILINE))[::-1]
    assert (first.parts[1], second.parts[1]) == ("other_model", "some_model")

    shown = earmark("show", str(second)).stdout
    assert re.search(r"theirs_llama3_70b_judge +muchomusic_test +plain +0\.667", shown)
    assert re.search(r"^accuracy +muchomusic_test +plain +0\.500", shown, re.MULTILINE)
    assert "muchomusic_test plain: 1 answers without a verdict of the judge, outside the score" in shown
    assert "published by AudioBench: bleu, no reply kept: said_en_zh_test 25.8" in shown

    read = earmark("rescore", str(second), "--parsers", "all")
    assert re.search(r"^muchomusic_test +plain +earmark +0\.500 .* 0\.667 .* 0\.667 .* 3$", read.stdout, re.MULTILINE)
    assert "listen-g1" in read.stdout
    both = earmark("rescore", "results", "--parsers", "earmark").stdout
    assert re.search(r"^muchomusic_test +plain +earmark +0\.500 .* 8 .* 0\.571 .* 0\.857 .* 7$", both, re.MULTILINE)

    compared = json.loads(earmark("compare", str(first), str(second), "--json").stdout)
    (row,) = [row for row in compared["rows"] if row["metric"] == "accuracy"]
    assert (row["task"], row["difference"]["n"], row["difference"]["value"]) == ("muchomusic_test", 4, 0.0)
    ranking = json.loads(earmark("leaderboard", "results", "--json").stdout)
    assert [(board["benchmark"], board["by"]) for board in ranking] == [("audiobench", "muchomusic_test")]
    assert [entry["model"] for entry in ranking[0]["entries"]] == ["some_model", "other_model"]
    ranked = earmark("leaderboard", "results", "--metric", "accuracy").stdout
    assert "audiobench: accuracy of muchomusic_test" in ranked


def test_a_board_of_many_tasks_or_of_several_rules_says_so(tmp_path: Path) -> None:
    row = {"question": "What is said?", "reference": "a dog", "model_prediction": "a cat", "judge_response": ""}
    for model, rate in (("first", 5.0), ("second", 1.0)):
        for task in range(18):
            told = {"x_judge": {"judge_score": 1.0}, "details": [row | {"rate_score": rate}]}
            whole(tmp_path / "logs" / model / f"muchomusic_{task}_x_judge_score.json", told)
    assert len(imported(tmp_path / "logs")) == 2
    (board,) = build_leaderboards(Path("results"))
    head, _ = leaderboard_table(board)
    assert head[-1] == "failed"
    assert footnotes(board) == [
        "17 more columns are left out: --by NAME ranks by another, --json has all",
        (
            "scored by different rules, so that the numbers do not compare: theirs|x_judge:0-5: first; theirs|x_judge:0-1: "
            "second"
        ),
    ]
    (ours,) = build_leaderboards(Path("results"), metric="rouge_l")
    assert (ours.metric, len(footnotes(ours))) == ("rouge_l", 1)


def test_nobody_is_asked_again(tmp_path: Path) -> None:
    ((run, _),) = imported(voicebench(tmp_path))
    done = earmark("retry", str(run))
    assert (done.returncode, "was imported: there is nobody here to ask again" in done.stderr) == (2, True)


def test_a_run_of_nothing_but_open_answers_has_no_numbers_and_says_so(tmp_path: Path) -> None:
    file = lines(tmp_path / "m-alpacaeval-test-audio.jsonl", [{"prompt": "Name a colour.", "response": "Blue."}])
    done = earmark("import", str(file))
    assert done.returncode == 0, done.stderr
    assert "alpacaeval: 1 answers without a reference or a verdict, which nothing scores" in done.stdout
    (run,) = rundir.find_runs("results")
    assert "voicebench by m: no numbers" in earmark("show", str(run)).stdout
    read = earmark("rescore", str(run), "--parsers", "all")
    assert (read.returncode, "found no item with choices" in read.stderr) == (3, True)


def test_a_file_that_is_cut_ends_the_command_in_one_line(tmp_path: Path) -> None:
    place = lmms_eval(tmp_path / "lmms")
    file = place / BROKEN["lmms_eval"]
    file.write_bytes(file.read_bytes()[:-40])
    done = earmark("import", str(place))
    assert done.returncode == 3
    assert done.stderr.startswith("earmark: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert not Path("results").exists()
