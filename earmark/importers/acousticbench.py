"""AcousticBench's results: <Model>/<task>/run_1.jsonl for the seed 42, run_2 for 43, run_3 for 44, a line per question.

Only the field `chosen` (A, B or null) is public, so several names are accepted for the id of a question (question_id,
id, ...), its gold, and the reply. We write question_id, task, split, kind, audio, prompt, choices, gold, raw_response,
chosen, correct, seed and, for a failure, error; and for each task summary.json: mean accuracy with nulls wrong, the
sample standard deviation (over runs - 1), and the figures of each run.

Also read: results/<Model>-<task>-<backend>-seed<N>-<time>/responses.jsonl. Imported replies are parsed by our rules and
judge; the imported choice is kept for `earmark rescore RUN --scorer imported_score`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from earmark.data.cache import atomic_write
from earmark.data.names import safe_name
from earmark.data.regular import read_lines
from earmark.errors import BadData, alternatives
from earmark.journal import Record, ScoreLine
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import ExportingImporter, ImportedRun
from earmark.runs.imported import NoSettings as Settings
from earmark.stats.repeats import summarize_repeats
from earmark.types import Clip, Context, Failure, ImportedVerdict, Item, Response, Source

FIRST_SEED: Final = 42  # of run_1
LABELS: Final = ("A", "B")
DIAGNOSTIC: Final = ".diagnostic"
NAMES: Final = {
    "id": ("question_id", "id", "qid", "item_id", "sample_id"),
    "gold": ("gold", "gold_answer", "answer", "correct_answer", "label", "expected"),
    "reply": ("raw_response", "response", "reply", "raw", "text", "output"),
    "question": ("prompt", "question"),
}
RUN: Final = re.compile(r"run_(\d+)")
PUBLISHED_NAME: Final = re.compile(r"(?P<model>.+)-(?P<task>[^-]+)-(?P<backend>[^-]+)-seed(?P<seed>\d+)-.+")


class ResultPath(NamedTuple):
    """Fields of the path of a results file."""

    model: str
    task: str
    seed: int


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    first = next(iter(_files(path)), None)
    if first is None:
        return False
    with first.open("rb") as file:
        return b'"chosen"' in file.readline()


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for pattern in ("run_*.jsonl", "responses.jsonl") for file in path.rglob(pattern))


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each model, with a repeat for each seed."""
    models: dict[str, dict[ResultPath, list[dict[str, Any]]]] = {}
    files: dict[str, dict[Path, None]] = {}
    for file in _files(path.absolute()):
        for place, lines in _split(file).items():
            models.setdefault(place.model, {})[place] = lines
            files.setdefault(place.model, {})[file] = None
    for model, results in models.items():
        first = min(place.seed for place in results)
        records = [_record(line, place, first) for place, lines in results.items() for line in lines]
        tasks = tuple(dict.fromkeys(record.item.task for record in records))
        settings: dict[str, object] = {"imported": True, "seed": first}
        yield ImportedRun("acousticbench", tasks, model, records, settings, files=tuple(files[model]))


def _split(file: Path) -> dict[ResultPath, list[dict[str, Any]]]:
    """The lines of a file by whose results they are: its path tells, else each line does."""
    if place := _named_place(file):
        return {place: list(_lines(file))}
    by_place: dict[ResultPath, list[dict[str, Any]]] = {}
    for line in _lines(file):
        task, seed = line.get("task"), line.get("seed", FIRST_SEED)
        if not isinstance(task, str) or not isinstance(seed, int):
            return {_parse_path(file): []}  # which says what is expected
        by_place.setdefault(ResultPath(str(line.get("model") or ""), task, seed), []).append(line)
    return by_place


def _named_place(file: Path) -> ResultPath | None:
    """Whose results a file holds, by its path; None where that does not tell."""
    whole = file.resolve()
    if run := RUN.fullmatch(file.stem):
        return ResultPath(whole.parent.parent.name, whole.parent.name, FIRST_SEED + int(run[1]) - 1)
    if name := PUBLISHED_NAME.fullmatch(whole.parent.name):
        return ResultPath(name["model"], name["task"], int(name["seed"]))
    return None


def _parse_path(file: Path) -> ResultPath:
    if place := _named_place(file):
        return place
    raise BadData(
        f"{file}: found no model in its path; expected MODEL/TASK/run_1.jsonl or "
        f"MODEL-TASK-BACKEND-seed42-TIME/{file.name}, or lines with their task and seed"
    )


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file with our field names and their position."""
    for number, line in enumerate(read_lines(file), start=1):
        where = f"{file}, line {number}"
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise BadData(f"{where}: is no JSON ({error}); expected one object a line") from error
        if not isinstance(fields, dict) or fields.get("chosen", "") not in (*LABELS, None):
            raise BadData(f"{where}: has no `chosen` that is A, B or null")
        values = {ours: next((fields[name] for name in names if name in fields), None) for ours, names in NAMES.items()}
        if values["id"] is None:
            raise BadData(f"{where}: has no id of its question; expected one of {', '.join(NAMES['id'])}")
        yield fields | values | {"where": where}


def _record(line: Mapping[str, Any], place: ResultPath, first: int) -> Record:
    if line["gold"] not in LABELS:
        raise BadData(
            f"{line['where']}: has no gold; a run can be compared with such results (earmark compare RUN FOLDER), they "
            "are no run"
        )
    diagnostic = line.get("kind") == "diagnostic"
    try:
        audio = msgspec.convert(line.get("audio") or (), tuple[str, ...])
        choices = msgspec.convert(line.get("choices") or LABELS, tuple[str, str])
    except msgspec.ValidationError as error:
        raise BadData(f"{line['where']}: {error}; expected audio as paths, and two choices") from error
    item = Item(
        str(line["id"]),
        place.task + (DIAGNOSTIC if diagnostic else ""),
        str(line["question"] or ""),
        tuple(Clip(name, name=name) for name in audio),
        choices,
        LABELS,
        (line["gold"],),
        tags={
            "split": str(line.get("split") or "all"),
            "kind": "diagnostic" if diagnostic else "scored",
            "seed": str(first),
        },
    )
    repeat = place.seed - first
    if line.get("error"):
        return Record(item, repeat=repeat, failure=Failure("request-failed", str(line["error"])))
    chosen = line["chosen"]
    reply = line["reply"] if line["reply"] is not None else chosen
    verdict = ImportedVerdict("chosen", float(chosen == line["gold"]), chosen or "")
    return Record(item, repeat=repeat, response=Response(str(reply or "")), verdicts=(verdict,))


# ---------------------------------------------------------------- export


def write(pairs: Iterable[tuple[Record, ScoreLine]], place: Path) -> list[Path]:
    """Write the results of a run in this format, a folder per task; return the paths."""
    tasks: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for record, line in pairs:
        task = record.item.task.removesuffix(DIAGNOSTIC)
        tasks.setdefault(task, {}).setdefault(seed_of(record), []).append(_line(record, line, task))
    written = []
    for task, runs in tasks.items():
        for seed, lines in sorted(runs.items()):
            data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
            written.append(atomic_write(place / task / f"{run_name(seed)}.jsonl", data))
        formatted = msgspec.json.format(orjson.dumps(summary(task, runs)))
        written.append(atomic_write(place / task / "summary.json", formatted))
    return written


def write_results(
    pairs: Iterable[tuple[Record, ScoreLine]], place: Path, model: str, backend: str, time: str
) -> list[Path]:
    """Write the results as the authors' harness does: MODEL-TASK-BACKEND-seedN-TIME with responses.jsonl, config.json
    and metrics.json; return the paths.
    """
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record, line in pairs:
        task = record.item.task.removesuffix(DIAGNOSTIC)
        runs.setdefault((task, seed_of(record)), []).append(_line(record, line, task) | {"model": model})
    written = []
    for (task, seed), lines in sorted(runs.items()):
        folder = place / f"{safe_name(model)}-{task}-{backend}-seed{seed}-{time}"
        config = {"model": model, "task": task, "backend": backend, "seed": seed, "questions": len(lines)}
        files = {
            "responses.jsonl": b"".join(orjson.dumps(line) + b"\n" for line in lines),
            "config.json": msgspec.json.format(orjson.dumps(config)),
            "metrics.json": msgspec.json.format(orjson.dumps(summary(task, {seed: lines})["runs"][0])),
        }
        written += [atomic_write(folder / name, data) for name, data in files.items()]
    return written


def seed_of(record: Record) -> int:
    """Return the seed of a question."""
    return int(record.item.tags.get("seed", FIRST_SEED)) + record.repeat


def run_name(seed: int) -> str:
    """
    >>> run_name(42), run_name(44), run_name(7)
    ('run_1', 'run_3', 'seed_7')
    """
    return f"run_{seed - FIRST_SEED + 1}" if seed >= FIRST_SEED else f"seed_{seed}"


def _line(record: Record, line: ScoreLine, task: str) -> dict[str, Any]:
    item = record.item
    fields: dict[str, Any] = {
        "question_id": item.id,
        "task": task,
        "split": item.tags.get("split", ""),
        "kind": item.tags.get("kind", "scored"),
        "audio": [clip_name(clip) for clip in item.clips],
        "prompt": item.question,
        "choices": list(item.choices),
        "gold": item.targets[0],
        "raw_response": record.response.text if record.response else None,
        "chosen": line.answer,
        "correct": line.answer in item.targets,
        "seed": seed_of(record),
    }
    return fields | ({"error": f"{record.failure.state}: {record.failure.message}"} if record.failure else {})


def clip_name(clip: Source) -> str:
    return clip.name or (clip.path if isinstance(clip, Clip) else clip.generator)


def summary(task: str, runs: Mapping[int, list[dict[str, Any]]]) -> dict[str, Any]:
    """Compute mean and deviation, and the figures of each run, over the scored questions."""
    figures: list[dict[str, Any]] = []
    for seed, lines in sorted(runs.items()):
        scored = [line for line in lines if line["kind"] != "diagnostic"]
        answered = [line for line in scored if line["chosen"] is not None]
        right = sum(line["correct"] for line in scored)
        figures.append(
            {
                "run": run_name(seed),
                "seed": seed,
                "n": len(scored),
                "accuracy": right / len(scored) if scored else None,
                "accuracy_answered": right / len(answered) if answered else None,
                "null_rate": (len(scored) - len(answered)) / len(scored) if scored else None,
            }
        )
    over = summarize_repeats([run["accuracy"] for run in figures])
    return {
        "task": task,
        "mean_accuracy": over.mean,
        "std_accuracy": over.deviation,
        "std": "sample, n - 1",
        "runs": figures,
    }


# ---------------------------------------------------------------- reference trajectories


def load_references(folder: Path, model: str) -> dict[ResultPath, dict[str, str | None]]:
    """Load a model's reference answers, by task and seed, then by question.

    The model's folder is the one of its name, whatever its case and signs, or the only one there is. Raises BadData
    where there is none.
    """
    runs = [(file, _parse_path(file)) for file in _files(folder) if RUN.fullmatch(file.stem)]
    models = list(dict.fromkeys(place.model for _, place in runs))
    if not models:
        raise BadData(f"{folder}: found no MODEL/TASK/run_1.jsonl; expected reference trajectories, or a run of ours")
    alike = [name for name in models if plain(name) == plain(model)] or (models if len(models) == 1 else [])
    if not alike:
        raise BadData(f"{folder}: has no run of {model}{alternatives(model, models)}; give the folder of one")
    return {
        place: {str(line["id"]): line["chosen"] for line in _lines(file)}
        for file, place in runs
        if place.model == alike[0]
    }


def plain(name: str) -> str:
    """
    >>> plain("Voxtral-Mini-3B") == plain("voxtral_mini_3b")
    True
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def load(settings: Settings, context: Context) -> ExportingImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return ExportingImporter(matches, read, write)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="acousticbench"),)
