"""LISTEN's own results as runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from earmark.errors import BadData
from earmark.importers import listen
from earmark.report.files import read_metrics
from earmark.runs.import_runs import import_runs
from earmark.runs.scoring import latest_records

CHOICES = ["happy", "sad", "angry"]


def row(number: int, letter: str, reply: str, **more: str) -> dict[str, str]:
    usual = {
        "sample_id": f"SAMPLE_{number:08x}", "experiment": "2B", "modality": "audio", "dataset_source": "MELD",
        "ground_truth": CHOICES["ABC".index(letter)], "prediction": "", "expected_letter": letter,
        "predicted_letter": "", "correct": "False", "raw_response": reply, "error": "",
        "randomized_choices": json.dumps(CHOICES),
    }  # fmt: skip
    return usual | more


def write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, listen.HEAD)
        writer.writeheader()
        writer.writerows(rows)


def experiment(kind: str, modality: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "experiment_info": {"model_name": "Qwen", "experiment_type": kind, "input_type": modality},
        "results": results,
    }


def result(name: str, letter: str | None, reply: str | None, **more: Any) -> dict[str, Any]:
    usual = {"sample_idx": name, "sample_id": "SAMPLE_1", "randomized_choices": CHOICES, "expected_letter": letter}
    return usual | {"raw_response": reply, "error": None, "predicted_letter": None} | more


@pytest.mark.parametrize("below", [".", "samples"])
def test_samples_of_the_port_become_a_run_with_the_same_numbers(tmp_path: Path, below: str) -> None:
    place = tmp_path / "results/gemma/2026-01-31_10-00-00"
    write_csv(
        place / "samples/MELD.csv", [row(1, "A", "A"), row(2, "B", "I think it is C"), row(3, "C", "", error="x")]
    )
    write_csv(place / "samples/OMG.csv", [row(4, "B", "B.", dataset_source="OMG", experiment="3A", modality="text")])
    ((run, metrics),) = import_runs(place / below, "", str(tmp_path / "in"), "", print)
    assert run.parent == tmp_path / "in/gemma/listen"
    tasks = {"2B", "3A"}  # the other rows are averages, of which these few have no number
    values = {
        (r.task, r.slice): r.metrics["accuracy"].value for r in metrics.rows if r.task in tasks and not r.is_slice
    }
    assert values["2B", ""] == pytest.approx(1 / 3)
    assert values["3A", ""] == 1
    with (run / "samples/MELD.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [r["sample_id"] for r in rows] == ["SAMPLE_00000001", "SAMPLE_00000002", "SAMPLE_00000003"]
    assert [r["predicted_letter"] for r in rows] == ["A", "C", ""]
    assert rows[2]["error"] == "x"


def test_results_of_the_authors_become_a_run_for_each_model(tmp_path: Path) -> None:
    first = experiment("1", "text", [result("IEMOCAP_1", "A", "A"), result("IEMOCAP_2", "B", None, error="broke")])
    second = experiment("2B", "audio", [result("MUStARD_PRO_7_2B", "C", "assistant\nC")])
    (tmp_path / "qwen_experiment1_text_results_3allemo_20260101_000000.json").write_text(json.dumps(first))
    both = {"experiment_1": first, "experiment_2B": second}
    (tmp_path / "qwen_all_experiments_results_3allemo_20260102_000000.json").write_text(json.dumps(both))
    ((run, metrics),) = import_runs(tmp_path, "", str(tmp_path / "in"), "", print)
    records = list(latest_records(run / "responses.jsonl"))
    assert {(r.item.task, r.item.id, r.item.group, r.item.tags["dataset_source"]) for r in records} == {
        ("1_text", "IEMOCAP_1", "IEMOCAP_1", "IEMOCAP"),
        ("1_text", "IEMOCAP_2", "IEMOCAP_2", "IEMOCAP"),
        ("2B", "MUStARD_PRO_7_2B", "MUStARD_PRO_7", "MUStARD"),
    }
    assert metrics.dataset.questions == 3
    assert read_metrics(run).finished


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (experiment("1", "audio", [result("x", None, "A")]), "has 3 choices and the letter ''"),
        (experiment("7", "audio", []), "found experiment '7' with input 'audio'"),
        (experiment("1", "audio", [{"sample_id": "x"}]), "is no sample of LISTEN"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    path = tmp_path / "m_results_1.json"
    path.write_text(json.dumps(content))
    with pytest.raises(BadData, match=message):
        list(listen.read(path))


def test_another_csv_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sample_id,experiment\n")
    assert not listen.matches(tmp_path)
