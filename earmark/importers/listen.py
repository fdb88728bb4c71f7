"""LISTEN's results: samples/CORPUS.csv of its port to vLLM, and the authors' *_results_*.json.

CSV    a row for each sample: sample_id, experiment, modality, dataset_source, ground_truth, prediction,
       expected_letter, predicted_letter, correct, raw_response, error, randomized_choices (JSON); a folder of them, or
       the folder above
JSON   {"experiment_info": {...}, "results": [...]}, one experiment a file, or by name experiment_EXP, as the runners of
       the authors write them; their template keeps no replies and no choices, so nothing can be made of its files

Replies are kept as they were and scored by policy=official, as the authors' code scores them; earmark rescore RUN
policy=earmark counts them our way. What the sound was is not in the results.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.errors import BadData
from earmark.importers._runs import read_head
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun
from earmark.runs.imported import NoSettings as Settings
from earmark.scorers.listen import emotion_class
from earmark.text.choices import LETTERS
from earmark.types import Context, Failure, Item, Response

HEAD: Final = (
    "sample_id", "experiment", "modality", "dataset_source", "ground_truth", "prediction", "expected_letter",
    "predicted_letter", "correct", "raw_response", "error", "randomized_choices",
)  # fmt: skip
EXPERIMENTS: Final = ("1_text", "1_audio", "1_audio_and_text", "2A", "2B", "2C", "3A", "3B", "3C", "4")
INFO: Final = b'"experiment_info"'
CORPORA: Final = "CREMA-D Emotion-Speech IEMOCAP MELD MOSEI MUStARD OMG PODCAST RAVDESS SAVEE TESS".split()


class Sample(Struct, frozen=True):
    """One sample of either form."""

    sample_id: str
    randomized_choices: tuple[str, ...]
    expected_letter: str | None
    raw_response: str | None = None
    error: str | None = None
    sample_idx: str | int = ""
    dataset_source: str = ""


class ExperimentInfo(Struct, frozen=True):
    """The head of an experiment in the authors' JSON."""

    model_name: str = ""
    experiment_type: str | int = ""
    input_type: str = ""


class Experiment(Struct, frozen=True):
    """One experiment in the authors' JSON."""

    experiment_info: ExperimentInfo
    results: list[Sample]


def matches(path: Path) -> bool:
    """True if a file, or a folder with files, has one of these forms."""
    return bool(_csv_files(path) or _json_files(path))


def _csv_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else [*sorted(path.glob("*.csv")), *sorted(path.glob("samples/*.csv"))]
    head = ",".join(HEAD).encode()
    return [
        file for file in files if file.suffix == ".csv" and read_head(file).lstrip(b"\xef\xbb\xbf").startswith(head)
    ]


def _json_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.glob("*_results_*.json"))
    return [file for file in files if file.suffix == ".json" and INFO in read_head(file)]


def read(path: Path) -> Iterator[ImportedRun]:
    """One run of a folder of CSV files; of JSON files one for each model, the later file of an experiment alone."""
    if files := _csv_files(path):
        yield _run(_model_of(path), list(_csv_records(files)), files)
        return
    by_model: dict[str, dict[str, list[Record]]] = {}
    read_from: dict[str, list[Path]] = {}
    for file in _json_files(path):
        for task, experiment in _experiments(file):
            model = experiment.experiment_info.model_name
            by_model.setdefault(model, {})[task] = [_record(task, sample, str(file)) for sample in experiment.results]
            read_from.setdefault(model, []).append(file)
    for model, tasks in by_model.items():
        records = [record for task in EXPERIMENTS for record in tasks.get(task, ())]
        yield _run(model, records, list(dict.fromkeys(read_from[model])))


def _run(model: str, records: list[Record], files: list[Path]) -> ImportedRun:
    tasks = tuple(task for task in EXPERIMENTS if any(record.item.task == task for record in records))
    return ImportedRun(
        "listen", tasks, model, records, {"policy": "official"}, files=tuple(file.absolute() for file in files)
    )


def _model_of(path: Path) -> str:
    """The model by the folders results/MODEL/DATE/samples; empty where they do not tell."""
    place = path.absolute()
    parts = [part for part in place.parts if part != "samples" and not part.endswith(".csv")]
    if parts and re.match(r"\d{4}-\d\d-\d\d", parts[-1]) and len(parts) > 1:
        return parts[-2]
    return ""


def _csv_records(files: list[Path]) -> Iterator[Record]:
    for file in files:
        with file.open(encoding="utf-8-sig", newline="") as text:
            for number, row in enumerate(csv.DictReader(text), start=1):
                where = f"{file}, row {number}"
                if row.get("experiment") not in EXPERIMENTS:
                    raise BadData(f"{where}: found the experiment {row.get('experiment')!r}, expected one of LISTEN's")
                yield _record(str(row["experiment"]), _sample(_plain(row, where), where), where)


def _plain(row: Mapping[str, str | None], where: str) -> dict[str, Any]:
    """A row with its choices decoded, and nothing for what is empty."""
    try:
        choices = json.loads(row["randomized_choices"] or "[]")
    except ValueError as error:
        raise BadData(f"{where}: randomized_choices is no JSON ({error})") from error
    return {name: value or None for name, value in row.items() if name} | {"randomized_choices": choices}


def _sample(fields: Any, where: str) -> Sample:
    try:
        named = {name: value for name, value in fields.items() if value is not None}
        return msgspec.convert(named | {"expected_letter": fields.get("expected_letter")}, Sample)
    except (msgspec.ValidationError, AttributeError) as error:
        raise BadData(f"{where}: is no sample of LISTEN ({error}); import the file as it was written") from error


def _experiments(file: Path) -> Iterator[tuple[str, Experiment]]:
    """The experiments of a JSON file, each as a task of ours."""
    try:
        content = json.loads(file.read_bytes())
    except ValueError as error:
        raise BadData(f"{file}: is no JSON ({error})") from error
    parts = [content] if "experiment_info" in content else list(content.values())
    for part in parts:
        try:
            info = msgspec.convert(part["experiment_info"], ExperimentInfo)
            results = [_sample(result, str(file)) for result in part["results"]]
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            raise BadData(f"{file}: is no result of LISTEN ({error}); expected experiment_info and results") from error
        yield _task(info, file), Experiment(info, results)


def _task(info: ExperimentInfo, file: Path) -> str:
    kind, modality = str(info.experiment_type), info.input_type
    task = f"1_{modality}" if kind == "1" else kind
    if task not in EXPERIMENTS:
        raise BadData(f"{file}: found experiment {kind!r} with input {modality!r}, expected one of LISTEN's ten")
    return task


def _record(task: str, sample: Sample, where: str) -> Record:
    choices, letter = sample.randomized_choices, sample.expected_letter or ""
    labels = tuple(LETTERS[: len(choices)])
    if letter not in labels:
        raise BadData(
            f"{where}: {sample.sample_id} has {len(choices)} choices and the letter {letter!r}; expected the choices "
            "as they were shown (randomized_choices), which the authors' template does not keep"
        )
    name = str(sample.sample_idx or sample.sample_id)
    gold = choices[labels.index(letter)]
    corpus = sample.dataset_source or next((known for known in CORPORA if name.startswith(known)), "unknown")
    modality = task.partition("_")[2] or {"A": "text", "B": "audio", "C": "audio_and_text"}.get(task[-1], "audio")
    tags = {"dataset_source": corpus, "modality": modality, "emotion": emotion_class(gold)}
    item = Item(name, task, "", (), choices, labels, (letter,), re.sub(r"_[23][AB]$", "", name), tags)
    if sample.error:
        return Record(item, failure=Failure("request-failed", sample.error))
    return Record(item, response=Response(sample.raw_response or ""))


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="listen"),)
