"""AudioBench's published logs, all of them: the numbers that were published, every verdict, and our reader beside the
judge.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from imported_records import verdicts
from imported_results import audiobench as made
from imported_results import whole

from earmark.errors import BadData
from earmark.importers import audiobench
from earmark.journal import Record, read_journal
from earmark.report.rows import Metrics
from earmark.runs.import_runs import import_runs
from earmark.runs.rescore import compare_parsers
from earmark.runs.scoring import read_scores

QUESTIONS = ("cn_college_listen_mcq_test", "dream_tts_mcq_test", "muchomusic_test", "mmau_mini")


class Published:
    """The logs as they lie there, and the runs that were made of them."""

    def __init__(self, logs: Path, results: Path) -> None:
        self.said: list[str] = []
        made_of = import_runs(logs, "", str(results), "", self.said.append)
        self.runs = {run.parent.parent.name: (run, metrics) for run, metrics in made_of}
        self.files: dict[tuple[str, str, str], dict[str, Any]] = {}
        for file in logs.glob("*/*_score.json"):
            told = json.loads(file.read_text())
            measure = next(iter(told))
            self.files[file.parent.name, file.name.removesuffix(f"_{measure}_score.json"), measure] = told

    def value(self, model: str, task: str, scorer: str) -> float | None:
        metrics: Metrics = self.runs[model][1]
        (row,) = [row for row in metrics.rows if (row.task, row.scorer, row.slice) == (task, scorer, "")]
        return row.headline[1].value


@pytest.fixture(scope="module")
def published(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Published:
    return Published(shared / "data" / "audiobench-logs", tmp_path_factory.mktemp("audiobench"))


def task_of(dataset: str, measure: str) -> str:
    return dataset if measure in ("llama3_70b_judge", "wer", "acc") else f"{dataset}.{measure}"


@pytest.mark.shared
def test_every_log_becomes_part_of_a_run(published: Published) -> None:
    kept = sum(len(told.get("details", told.get("sample_wer", ()))) for told in published.files.values())
    assert (len(published.runs), len(published.files), kept) == (12, 583, 75_571)
    assert sum(metrics.dataset.questions for _, metrics in published.runs.values()) == kept
    (said,) = [
        line for line in published.said if not line.startswith(("reading ", "scoring "))
    ]  # a model with translations alone, of which no reply is kept
    assert said.startswith("Marco-ST: no reply is kept in covost2_en_id_test_bleu_score.json")
    for model, dataset, _ in published.files:
        if model != "Marco-ST":
            assert any(f" {dataset} " in told for told in published.runs[model][1].warnings)


@pytest.mark.shared
def test_our_error_rate_is_the_published_one_in_every_file(published: Published) -> None:
    found = {place: told["wer"] for place, told in published.files.items() if place[2] == "wer"}
    assert len(found) == 27
    for (model, dataset, _), value in found.items():
        assert published.value(model, dataset, "wer") == pytest.approx(value, rel=0, abs=1e-9)


@pytest.mark.shared
def test_every_judge_s_score_of_every_reply_is_kept(published: Published) -> None:
    judged = 0
    for model, (run, _) in published.runs.items():
        given: dict[str, list[float]] = defaultdict(list)
        for line in read_scores(run / "scores.jsonl"):
            if line.scorer == "imported_score" and line.state != "judge-failed":
                given[line.task].append(next(iter(line.counts.values())))
        for (name, dataset, measure), told in published.files.items():
            rows = told.get("details", [])
            if name == model and rows and "rate_score" in rows[0]:
                task = task_of(dataset, measure)
                opened = given.get(task, []) + given.get(f"{task}.open", [])
                expected = [row["rate_score"] for row in rows if row.get("success", 1)]
                assert sorted(opened) == sorted(expected)
                judged += 1
    assert judged == 468


@pytest.mark.shared
def test_our_reader_beside_the_judge_on_the_questions_with_choices(published: Published) -> None:
    runs = [run for run, _ in published.runs.values()]
    told = {one.row.task: one for one in asyncio.run(compare_parsers(runs, ["earmark"]))}
    verdicts_of = {task: round(told[task].against_imported["imported"].n) for task in QUESTIONS}
    assert verdicts_of == dict(zip(QUESTIONS, (140, 140, 140, 160), strict=True))
    agreed = sum(round((told[task].against_imported["agreement"].value or 0) * verdicts_of[task]) for task in QUESTIONS)
    assert agreed / 580 >= 0.96


# ---------------------------------------------------------------- by hand


def records(place: Path) -> list[Record]:
    (imported,) = audiobench.read(place)
    return list(imported.records)


def test_what_is_kept_of_a_row(tmp_path: Path) -> None:
    by_task: dict[str, list[Record]] = defaultdict(list)
    for record in records(made(tmp_path)):
        by_task[record.item.task].append(record)
    assert sorted(by_task) == ["heard_asr_test", "muchomusic_test", "spoken_test", "sums_test"]
    silent = by_task["heard_asr_test"][2]
    assert (silent.item.targets, silent.response and silent.response.text) == (("",), "thank you")  # "empty" is nothing
    right = by_task["muchomusic_test"][0]
    assert right.item.question == "Which animal is heard?"
    assert (right.item.choices, right.item.targets) == (("cat", "dog", "bird"), ("B",))
    assert verdicts(right)["llama3_70b_judge"].explanation == "Rating: 1.0"
    assert verdicts(by_task["muchomusic_test"][3])["llama3_70b_judge"].value is None
    assert by_task["sums_test"][0].item.targets == ("42",)
    assert not by_task["spoken_test"][0].item.labels


@pytest.mark.parametrize(
    ("question", "reference", "choices", "target"),
    [
        ("Is it a man or a woman (Male or Female)?", "The speaker is a female.", ("Male", "Female"), "B"),
        ("How is it (joy, anger, or neutral)?", "anger", ("joy", "anger", "neutral"), "B"),
        ("How is it (joy, anger, or neutral)?", "joy or anger", (), "joy or anger"),
        ("Who speaks (first)?", "a man", (), "a man"),
        ("Q\nChoices:\n(A) one\n(B) two", "two", ("one", "two"), "B"),
        ("Q\nChoices:\n(A) one\n(B) two", "three", (), "three"),
    ],
)
def test_choices_in_a_question(
    question: str, reference: str, choices: tuple[str, ...], target: str, tmp_path: Path
) -> None:
    row = {"question": question, "reference": reference, "model_prediction": "x", "judge_response": "", "success": 1}
    told = {"llama3_70b_judge": {"judge_score": 0.0}, "details": [row | {"rate_score": 0.0}]}
    whole(tmp_path / "m" / "heard_llama3_70b_judge_score.json", told)
    (record,) = records(tmp_path)
    assert (record.item.choices, record.item.targets) == (choices, (target,))


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("a_wer_score.json", {"wer": 0.1, "samples": []}, ("found samples, expected a measure that the file is named "
            "after")),
        ("a_wer_score.json", {"bleu": 0.1}, "found bleu, expected a measure that the file is named after"),
        ("a_wer_score.json", {}, "found nothing, expected a measure"),
        ("a_wer_score.json", {"wer": "high"}, "wer: found something else"),
        ("a_x_judge_score.json", {"x_judge": {"success_rate": 1.0}}, "found x_judge without judge_score"),
        ("a_acc_score.json", {"acc": 1.0, "details": [{"reference": "7", "prediction": "7"}]}, ("expected rows of "
            "AudioBench's acc")),
    ],
)  # fmt: skip
def test_a_file_of_another_shape_is_refused(name: str, told: Any, expected: str, tmp_path: Path) -> None:
    whole(tmp_path / "m" / name, told)
    with pytest.raises(BadData, match=expected):
        records(tmp_path)


def test_a_run_s_questions_are_those_of_another_run(tmp_path: Path) -> None:
    rows = [{"reference": told, "prediction": "x", "wer": 1.0} for told in ("a b", "c d")]
    whole(tmp_path / "m" / "heard_wer_score.json", {"wer": 1.0, "sample_wer": rows})
    whole(tmp_path / "n" / "heard_wer_score.json", {"wer": 1.0, "sample_wer": [rows[0], {**rows[1], "reference": "e"}]})
    first, second = ([record.item.id for record in one.records] for one in audiobench.read(tmp_path))
    assert first[0] == second[0]
    assert first[1] != second[1]
    ((run, _), _) = import_runs(tmp_path, "", str(tmp_path / "results"), "", lambda _: None)
    assert len(list(read_journal(run / "responses.jsonl"))) == 2
