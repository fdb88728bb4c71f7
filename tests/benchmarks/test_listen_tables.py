"""LISTEN's own files and its program: the columns that were asked for, numbers made again by other means."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from commands import earmark
from listen_program import listen_eval
from servers import said, serving
from sklearn.metrics import balanced_accuracy_score, f1_score

from earmark.benchmarks._listen_tables import anonymous_id
from earmark.benchmarks.listen import TASKS
from earmark.runs.scoring import read_scores
from earmark.scorers.listen import emotion_class

SUMMARY = (
    "model,experiment,modality,n_samples,weighted_accuracy,uar,macro_f1,micro_f1,"
    "chance_accuracy,chance_macro_f1,chance_micro_f1"
)
SAMPLES = (
    "sample_id,experiment,modality,dataset_source,ground_truth,prediction,expected_letter,predicted_letter,correct,"
    "raw_response,error,randomized_choices"
)
pytestmark = pytest.mark.shared


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def run(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the program; the server answers out of turn, and every fifth question with nothing that can be read."""

    async def reply(_: dict[str, Any], number: int) -> web.Response:
        await asyncio.sleep(number * 7919 % 50 / 1000)
        return said("no idea?" if number % 5 == 0 else "ABCD"[number % 4])

    folder = tmp_path_factory.mktemp("listen")
    with serving(reply) as server:
        done = listen_eval(f"model={server.url}", f"data={shared}/fixtures/listen", f"results={folder}/results")
    assert done.returncode == 0, done.stderr
    (found,) = (folder / "results" / "test-model").iterdir()
    return found


def test_the_files_and_their_columns_are_those_asked_for(run: Path) -> None:
    corpora = {row["dataset_source"] for path in (run / "samples").iterdir() for row in table(path)}
    assert len(corpora) > 3
    names = {str(path.relative_to(run)) for path in run.rglob("*.csv")}
    assert names == {
        "summary.csv", "numbers.csv", "latency.csv", "per_class.csv",
        *(f"summary_{corpus}.csv" for corpus in corpora), *(f"samples/{corpus}.csv" for corpus in corpora),
    }  # fmt: skip
    assert (run / "summary.csv").read_text().splitlines()[0] == SUMMARY
    for corpus in corpora:
        by_corpus = SUMMARY.replace("model,", "model,dataset_source,")
        assert (run / f"summary_{corpus}.csv").read_text().splitlines()[0] == by_corpus
        assert (run / f"samples/{corpus}.csv").read_text().splitlines()[0] == SAMPLES
    settings = yaml.safe_load((run / "config.yaml").read_text())
    assert (settings["run"]["seed"], settings["run"]["output_dir"]) == (42, "{model}")
    assert settings["benchmark"]["policy"] == "official"


def test_the_summaries_follow_from_the_samples(run: Path) -> None:
    """Made again from the samples alone, with another library's scores."""
    read: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    recorded: dict[tuple[str, str], int] = defaultdict(int)
    for path in (run / "samples").iterdir():
        for row in table(path):
            choices = json.loads(row["randomized_choices"])
            assert choices[ord(row["expected_letter"]) - 65] == row["ground_truth"]
            assert row["correct"] == str(row["predicted_letter"] == row["expected_letter"])
            for corpus in ("", row["dataset_source"]):
                recorded[corpus, row["experiment"]] += 1
                if row["predicted_letter"]:
                    assert choices[ord(row["predicted_letter"]) - 65] == row["prediction"]
                    read[corpus, row["experiment"]].append(
                        (emotion_class(row["ground_truth"]), emotion_class(row["prediction"]))
                    )
    summaries = {"": run / "summary.csv"} | {path.stem.partition("_")[2]: path for path in run.glob("summary_*.csv")}
    seen = 0
    for corpus, path in summaries.items():
        for row in table(path):
            truth, predicted = zip(*read[corpus, row["experiment"]], strict=True)
            assert int(row["n_samples"]) == recorded[corpus, row["experiment"]]
            expected = {
                "weighted_accuracy": sum(map(str.__eq__, truth, predicted)) / len(truth),
                "macro_f1": f1_score(truth, predicted, average="macro", zero_division=0),
                "micro_f1": f1_score(truth, predicted, average="micro", zero_division=0),
            }
            if set(predicted) <= set(truth):  # the library warns of classes that were only predicted
                expected["uar"] = balanced_accuracy_score(truth, predicted)
            for name, value in expected.items():
                assert float(row[name]) == pytest.approx(value, abs=1e-12)
            seen += 1
    assert seen > 30


def test_the_accuracy_of_each_class_follows_from_the_samples(run: Path) -> None:
    right: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for path in (run / "samples").iterdir():
        for row in table(path):
            if row["predicted_letter"]:
                truth, prediction = emotion_class(row["ground_truth"]), emotion_class(row["prediction"])
                for corpus in ("", row["dataset_source"]):
                    right[corpus, row["experiment"], truth].append(truth == prediction)
    rows = table(run / "per_class.csv")
    assert {(row["dataset_source"], row["experiment"], row["emotion"]) for row in rows} == set(right)
    for row in rows:
        hits = right[row["dataset_source"], row["experiment"], row["emotion"]]
        assert (int(row["n_samples"]), int(row["correct"])) == (len(hits), sum(hits))
        assert float(row["accuracy"]) == pytest.approx(sum(hits) / len(hits), abs=1e-12)
        assert row["modality"] == TASKS[row["experiment"]][1]
    assert [row["dataset_source"] for row in rows] == sorted(row["dataset_source"] for row in rows)


def test_ids_are_those_of_the_official_results(run: Path) -> None:
    assert anonymous_id("IEMOCAP_Session5_Ses05M_script01_1b_F030_2B") == "SAMPLE_dd0f6e9d"
    assert all(row["sample_id"].startswith("SAMPLE_") for path in (run / "samples").iterdir() for row in table(path))


def test_samples_stand_by_experiment_and_id_whatever_came_first(run: Path) -> None:
    lines = list(read_scores(run / "scores.jsonl"))
    places = [(list(TASKS).index(line.task), line.id) for line in lines]
    assert places != sorted(places)
    for path in (run / "samples").iterdir():
        rows = [(row["experiment"], row["sample_id"]) for row in table(path)]
        ids = {anonymous_id(line.id): line.id for line in lines}
        assert rows == sorted(rows, key=lambda row: (list(TASKS).index(row[0]), ids[row[1]]))


def test_averages_and_classes_have_intervals(run: Path) -> None:
    rows: list[dict[str, Any]] = json.loads((run / "metrics.json").read_text())["rows"]
    names = ("neutral words", "matching words", "other words", "overall")
    averages = {row["task"]: row for row in rows if row["task"] in names}
    assert list(averages) == list(names)
    cells = {row["task"]: row["metrics"]["weighted_accuracy"]["value"] for row in rows if not row["slice"]}
    mean = sum(cells[task] for task in ("1_audio", "1_audio_and_text", "2B", "2C", "3B", "3C", "4")) / 7
    overall = averages["overall"]["metrics"]["weighted_accuracy"]
    assert overall["value"] == pytest.approx(mean)
    assert overall["low"] < mean < overall["high"]
    assert "1_audio: skipped 1 (gold is not a choice), 1 (empty gold)" in earmark("show", str(run)).stdout
    classes = earmark("show", str(run), "--by", "emotion").stdout
    assert "1_audio (emotion=anger)" in classes


def test_a_run_scored_anew_says_how_it_was_asked(run: Path) -> None:
    before = (run / "summary.csv").read_bytes()
    assert earmark("rescore", str(run), "policy=earmark").returncode == 0
    told = earmark("show", str(run)).stdout
    assert "policy=earmark: gold runner, shuffle stream, letters G2, parser earmark, denominator asked" in told
    done = earmark("rescore", str(run), "gold=template")
    assert done.returncode == 2
    assert "gold= decides what is asked" in done.stderr
    assert "may be with: policy, parser, denominator" in done.stderr
    assert earmark("rescore", str(run), "policy=official").returncode == 0
    assert (run / "summary.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["gemma4_e2b", "gemma4_e4b"])
def test_model_files_have_the_fields_that_were_asked_for(name: str) -> None:
    from earmark.config.folders import yaml_names

    settings = yaml.safe_load(yaml_names("model")[name].read_text())
    assert settings["backend"] == "vllm"
    assert settings["hf_id"] == f"google/gemma-4-E{name[-2]}B-it"
    assert settings["limit_mm_per_prompt"] == {"image": 0, "audio": 1}
    assert settings["sampling"] == {"max_tokens": 8, "temperature": 0.0}
    assert {"name", "max_model_len", "gpu_memory_utilization", "system_prompt"} <= set(settings)
