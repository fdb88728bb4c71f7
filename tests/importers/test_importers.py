"""What each reader makes of its harness's results: replies, failures, verdicts and the numbers that were published."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from imported_results import FORMS, QUESTION, lines, whole

from earmark import plugins
from earmark.errors import BadData, BadSetup
from earmark.importers._choices import label_of, parse_options
from earmark.journal import Record
from earmark.report.rows import Metrics, Row
from earmark.runs.import_runs import import_runs
from earmark.runs.imported import ImportedRun
from earmark.text.imported_verdicts import parse_notes
from earmark.types import Failure, Response

NO_STATES = dict.fromkeys(("answered", "unparsed", "refused", "request-failed", "sound-failed", "judge-failed"), 0)


def read(form: str, place: Path) -> list[ImportedRun]:
    return list(plugins.find_plugin("importers", form).read(place))


def records(form: str, place: Path) -> list[Record]:
    """The records of the only run."""
    (one,) = read(form, place)
    return list(one.records)


def answered(record: Record) -> Response:
    assert record.response
    return record.response


def failed(found: Iterable[Record]) -> list[Failure]:
    return [record.failure for record in found if record.failure]


def numbers(form: str, place: Path, model: str = "") -> dict[str, Metrics]:
    """What was made of each run, by the name of its file."""
    made = import_runs(place, "", "results", model, lambda _: None)
    return {json.loads((run / "run.json").read_text())["model"]["files"].popitem()[0]: metrics for run, metrics in made}


def whole_rows(metrics: Metrics) -> dict[tuple[str, str], Row]:
    return {(row.task, row.scorer): row for row in metrics.rows if not row.slice}


def states(row: Row) -> dict[str, int]:
    return {name: count for name, count in row.states.items() if count}


# ---------------------------------------------------------------- Inspect


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
    assert parse_notes(answered(by_id["c2"]).notes)["choice"].answer == ""  # an empty answer: nothing was read
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


# ---------------------------------------------------------------- evalscope


@pytest.fixture
def evalscope(tmp_path: Path) -> Path:
    return FORMS["evalscope"](tmp_path / "evalscope")


def test_evalscope_s_reviews_with_how_each_reply_ended(evalscope: Path) -> None:
    found = {(record.item.task, record.item.id, record.repeat): record for record in records("evalscope", evalscope)}
    assert len(found) == 10
    assert {repeat for task, _, repeat in found if task == "general_vqa_heard"} == {0, 1}
    heard = found["general_vmcq_heard", "0", 0]
    assert (heard.item.choices, heard.item.targets) == (("cat", "dog", "bird", "car"), ("B",))
    assert [clip.name for clip in heard.item.clips] == ["a.wav"]
    assert answered(found["general_vmcq_heard", "4", 0]).stop == "length"
    assert answered(found["general_vmcq_heard", "5", 0]).stop == "filtered"


def test_evalscope_s_published_numbers_come_out_again(evalscope: Path) -> None:
    (metrics,) = numbers("evalscope", evalscope).values()
    report = json.loads((evalscope / "reports" / "mock-audio" / "general_vmcq.json").read_text())
    row = whole_rows(metrics)["general_vmcq_heard", "imported_score"]
    assert row.headline[1].value == pytest.approx(report["metrics"][0]["score"], abs=5e-5)  # published to four places
    assert states(row) == {"answered": 2, "unparsed": 3, "refused": 1}
    assert "published by evalscope: general_vmcq: accuracy 0.1667" in metrics.warnings
    assert (
        "general_vmcq_heard: 1 of 7 requests failed there and are not in the log: they are in no number here"
        in metrics.warnings
    )


def test_evalscope_without_its_predictions_and_reports(evalscope: Path) -> None:
    file = evalscope / "reviews" / "mock-audio" / "general_vmcq_heard.jsonl"
    moved = file.rename(evalscope / "moved.jsonl")
    (one,) = read("evalscope", moved)
    assert (one.model, {answered(record).stop for record in one.records}) == ("", {"end"})


def test_evalscope_before_messages(tmp_path: Path) -> None:
    score = {"value": {"acc": True}, "status": "success", "prediction": "B", "extracted_prediction": "B"}
    judged = {"value": {"acc": 0.0}, "status": "failed", "explanation": "the judge gave no answer"}
    rows = [
        {"index": 0, "input": "Which?\nA) a\nB) b", "target": "B", "sample_score": {"score": score}},
        {"index": 1, "input": "Which?\nA) a\nB) b", "target": "B", "sample_score": {"score": score | judged}},
    ]
    found = records("evalscope", lines(tmp_path / "reviews" / "m" / "old_default.jsonl", rows))
    assert [(record.item.id, record.item.targets, answered(record).text) for record in found] == [
        ("0", ("B",), "B"),
        ("1", ("B",), "B"),
    ]
    assert [parse_notes(answered(record).notes)["acc"].value for record in found] == [1.0, None]


# ---------------------------------------------------------------- lmms-eval


@pytest.fixture
def lmms_eval(tmp_path: Path) -> Path:
    return FORMS["lmms_eval"](tmp_path / "lmms_eval")


def test_lmms_eval_s_published_numbers_come_out_again(lmms_eval: Path) -> None:
    (file,) = lmms_eval.rglob("*_results.json")
    published = json.loads(file.read_text())["results"]
    (metrics,) = numbers("lmms_eval", lmms_eval).values()
    rows = whole_rows(metrics)
    choices = rows["heard_choices", "imported_score"]
    assert choices.metrics["theirs_accuracy"].value == pytest.approx(published["heard_choices"]["accuracy,none"])
    assert rows["heard_texts", "imported_score"].headline[1].value == pytest.approx(
        published["heard_texts"]["exact_match,none"]
    )
    assert states(choices) == {"answered": 4, "unparsed": 2, "request-failed": 1}
    assert choices.headline[1].best == pytest.approx(2 / 7)  # had the failed one been right
    assert choices.settings["measures"][1]["better"] == "lower"  # as the results tell of the length


def test_what_lmms_eval_grades_of_a_failed_request_is_a_failure(lmms_eval: Path) -> None:
    told = failed(records("lmms_eval", lmms_eval))
    assert [failure.state for failure in told] == ["request-failed", "request-failed"]
    assert all(failure.message.startswith("[LMMS_EVAL_REQUEST_FAILED after 5 retries]") for failure in told)


@pytest.mark.parametrize(
    ("resps", "expected"),
    [
        ([["a"]], ["a"]),
        ("a", ["a"]),
        ([["a", "b"]], ["a", "b"]),
        ([["a"], ["b"]], ["a", "b"]),
    ],
)
def test_lmms_eval_s_replies_lie_one_in_another(resps: Any, expected: list[str], tmp_path: Path) -> None:
    row = {"doc_id": 7, "target": "['x', 'y']", "filtered_resps": ["z"], "resps": resps, "input": "Q", "acc": 1}
    found = records("lmms_eval", lines(tmp_path / "d_samples_t.jsonl", [row]))
    assert [(answered(record).text, record.repeat) for record in found] == [
        (text, n) for n, text in enumerate(expected)
    ]
    assert found[0].item.targets == ("x", "y")
    assert [len(answered(record).notes) for record in found] == [1] + [0] * (len(expected) - 1)


def test_lmms_eval_s_likelihoods_are_no_replies(tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "x", "filtered_resps": [[-1.5, False]], "input": "Q"}
    with pytest.raises(BadData, match="found no text in its replies"):
        records("lmms_eval", lines(tmp_path / "d_samples_t.jsonl", [row]))


# ---------------------------------------------------------------- MMAU


def test_mmau_s_two_keys_and_questions_that_were_not_answered(tmp_path: Path) -> None:
    found = records("mmau", FORMS["mmau"](tmp_path))
    assert [answered(record).text for record in found[:3]] == ["A woman.", "(B)", "Man"]
    assert failed(found) == [Failure("request-failed", "no model_output")]
    assert (found[0].item.labels, found[0].item.targets) == (("A", "B", "C", "D"), ("B",))
    assert found[0].item.tags == {"difficulty": "easy", "category": "Reasoning", "skill": "Speaker"}
    (metrics,) = numbers("mmau", tmp_path, "m").values()
    assert states(whole_rows(metrics)["speech", "choice"]) == {"answered": 2, "request-failed": 1}
    assert {row.slice for row in metrics.rows} >= {"difficulty=easy", "skill=Speaker"}


def test_mmau_keeps_a_match_where_there_is_one_and_refuses_hidden_answers(tmp_path: Path) -> None:
    row = QUESTION | {"id": "q", "model_output": "Man", "match": 0, "category": ["Reasoning"]}
    (record,) = records("mmau", whole(tmp_path / "a.json", [row]))
    assert parse_notes(answered(record).notes)["match"].value == 0.0
    assert record.item.tags["category"] == "Reasoning"
    with pytest.raises(BadData, match=r"question 1: found something else .*category"):
        records("mmau", whole(tmp_path / "a.json", [row | {"category": 3}]))
    with pytest.raises(BadData, match="question 1: found the answer '' among 4 choices"):
        records("mmau", whole(tmp_path / "a.json", [row | {"answer": ""}]))


@pytest.mark.shared
def test_mmau_s_published_questions(shared: Path, tmp_path: Path) -> None:
    questions = json.loads((shared / "data" / "mmau" / "mmau-test-mini.json").read_text())
    assert len(questions) == 1000
    file = whole(tmp_path / "a.json", [row | {"model_output": row["answer"]} for row in questions])
    found = records("mmau", file)
    assert len(found) == 1000
    twice = [record for record in found if len(record.item.targets) > 1]
    assert len(twice) == 16  # the right option is listed twice
    assert all(
        len({record.item.choices[record.item.labels.index(label)] for label in record.item.targets}) == 1
        for record in twice
    )


# ---------------------------------------------------------------- VoiceBench


@pytest.fixture
def voicebench(tmp_path: Path) -> Path:
    return FORMS["voicebench"](tmp_path / "voicebench")


def test_voicebench_s_grades_votes_and_choices(voicebench: Path) -> None:
    (metrics,) = numbers("voicebench", voicebench).values()
    rows = whole_rows(metrics)
    graded = rows["commoneval", "imported_score"]
    assert states(graded) == {"answered": 1, "request-failed": 1, "judge-failed": 1}
    assert graded.headline[1].value == pytest.approx((4.0 + 1.0) / 2)  # 4, 5 and [[3]]; a failed request has the least
    assert graded.headline[1].best == pytest.approx((4.0 + 5.0 + 5.0) / 3)  # with the missing verdict
    voted = rows["sd-qa", "imported_score"]
    assert (voted.n, voted.headline[1].value) == (2, 0.5)  # two of three said yes in one region, one in the other
    assert {row.slice for row in metrics.rows if row.task == "sd-qa"} == {"", "split=aus", "split=usa"}
    assert rows["sd-qa", "exact"].metrics["contains"].value == 1.0
    assert rows["openbookqa", "choice"].headline[1].value == 0.5
    assert "alpacaeval: 1 answers without a reference or a verdict, which nothing scores" in metrics.warnings


def test_voicebench_s_text_is_a_condition_and_the_judged_file_counts(voicebench: Path) -> None:
    found = records("voicebench", voicebench)
    assert {record.condition for record in found if record.item.task == "alpacaeval"} == {"transcript"}
    assert {record.condition for record in found if record.item.task != "alpacaeval"} == {"plain"}
    assert sum(record.item.task == "commoneval" for record in found) == 3
    assert failed(found) == [Failure("request-failed", "response is null")]


def test_voicebench_s_dialogues_are_told(tmp_path: Path) -> None:
    file = lines(tmp_path / "m-mtbench-test-audio.jsonl", [{"prompt": ["a", "b"], "response": ["c", "d"]}])
    with pytest.raises(BadData, match="line 1: found a dialogue of several turns, expected one prompt"):
        records("voicebench", file)


# ---------------------------------------------------------------- Open ASR


def test_open_asr_s_sets_chunks_and_average(tmp_path: Path) -> None:
    place = FORMS["open_asr"](tmp_path)
    (one,) = read("open_asr", place)
    assert one.model == "some/lab-large-v2"
    by_task = {record.item.task.rpartition("leaderboard")[2]: record for record in one.records}
    joined = by_task["_earnings22_test"]
    assert joined.item.id == "call"
    assert (joined.item.targets, answered(joined).text) == (("we will meet at noon",), "we will meet at moon")
    assert answered(joined).seconds == 1.0
    assert answered(by_task["-multilingual_fleurs_german_test"]).text == ""
    (metrics,) = numbers("open_asr", place).values()
    rows = {row.task.rpartition("leaderboard")[2]: row for row in metrics.rows}
    assert rows["_librispeech_test.clean"].headline[1].value == pytest.approx(1 / 8)  # "um" is no word there
    assert rows["_earnings22_test"].headline[1].value == pytest.approx(1 / 5)
    assert rows["-multilingual_fleurs_german_test"].headline[1].value == 1.0
    assert rows["mean"].headline[1].value == pytest.approx((1 / 8 + 1 / 5 + 1) / 3)
    assert rows["_librispeech_test.clean"].signature.startswith("wer|")
    assert "open-asr" in rows["_librispeech_test.clean"].signature
    assert "open-asr" not in rows["-multilingual_fleurs_german_test"].signature


def test_open_asr_s_missing_chunk_is_told(tmp_path: Path) -> None:
    rows = [{"text": "a", "pred_text": "a", "parent_id": "p", "chunk_index": n} for n in (0, 2)]
    with pytest.raises(BadData, match="recording 'p' has the chunks 0, 2, expected all from 0 on"):
        records("open_asr", lines(tmp_path / "MODEL_a-b_DATASET_c_test.jsonl", rows))


# ---------------------------------------------------------------- options in a text


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("Which?\nA. cat\nB. dog\n", ("cat", "dog")),
        ("Which?\n  (A) cat\n  (B) dog", ("cat", "dog")),
        ("Example:\nA) x\nB) y\nWhich?\nA) cat\nB) dog\nC) cow", ("cat", "dog", "cow")),
        ("Which? (A) cat (B) dog\nAnswer with a letter.", ("cat", "dog")),
        ("A. cat\nC. dog", None),
        ("A. cat", None),
        ("It is (A) or so.", None),
        ("(A) (B) dog", None),
        ("", None),
    ],
)
def test_options_are_lists_of_letters(text: str, choices: tuple[str, ...] | None) -> None:
    found = parse_options(text)
    assert (found.choices if found else None) == choices


@pytest.mark.parametrize(
    ("target", "label"), [("B", "B"), ("dog", "B"), ("(B) dog", "B"), ("B. Dog", "B"), ("cow", None), ("", None)]
)
def test_the_right_option_is_told_in_several_ways(target: str, label: str | None) -> None:
    options = parse_options("Which?\nA. cat\nB. dog")
    assert options
    assert label_of(target, options) == label


def test_a_letter_is_a_label_before_it_is_a_text() -> None:
    options = parse_options("Which note?\nA. C\nB. A\nC. B")
    assert options
    assert [label_of(target, options) for target in "ABC"] == ["A", "B", "C"]


def test_a_point_within_a_number_stays() -> None:
    options = parse_options("How long?\nA. 15 s\nB. 1.5 s\nC. (1.5) h")
    assert options
    assert [label_of(target, options) for target in ("1.5 s", "(A) 15 s", "B: 1.5 s", "1.5 h", "C. (1.5) h")] == [
        "B",
        "A",
        "B",
        None,
        "C",
    ]
