"""lmms-eval's samples: <date>_samples_<task>.jsonl, a line for each item, written with --log_samples (lmms-eval 0.3 to
0.7).

    doc_id, target, input, filtered_resps, resps where they differ from these, and the task's own numbers by name

`input` is the prompt's words; the row of the data and its sound are not kept. `resps` is the reply as it came, and
`filtered_resps` what the task's filter and the stripping of thoughts left of it: the first is what we score. A task's
number is a number, or an object such as {"correct": true, "predicted_answer": "B"}; others, which only become numbers
over all items (the pairs of an error rate, say), are no verdict, and the number over all is told from
<date>_results.json beside it.

A request that failed five times is answered "[LMMS_EVAL_REQUEST_FAILED after 5 retries] ...", and lmms-eval grades that
text as an answer; it is a failure here. An item that was asked several times has as many replies, and one verdict on
them all, which stands with the first.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.data.cache import hash64
from earmark.errors import BadData
from earmark.importers._choices import add_choices
from earmark.importers._runs import (
    decode_json,
    first_line,
    format_published,
    matching_files,
    matching_scorers,
    measure_scorers,
    object_keys,
    plain_name,
    prompt_turns,
    read_lines,
)
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats, with_prompt
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Context, Failure, ImportedVerdict, Item, Response

PATTERN: Final = "*_samples_*.jsonl"
NAME: Final = re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)\.jsonl")
FAILED_MARK: Final = "[LMMS_EVAL_REQUEST_FAILED"
CORRECT_FIELDS: Final = ("correct", "score", "is_correct", "acc", "accuracy")  # where an object holds its number
ANSWER_FIELDS: Final = (
    "predicted_answer",
    "pred_answer",
    "parsed_pred",
    "extracted_answer",
    "prediction",
    "pred",
    "answer",
)


class ResultsFile(Struct, frozen=True):
    """Contents of <date>_results.json; only the fields used."""

    model_name: str = ""
    results: dict[str, dict[str, Any]] = {}
    higher_is_better: dict[str, dict[str, bool | None]] = {}


class SampleLine(Struct, frozen=True):
    """The fields of a line that every task has; whatever else it has are the task's own numbers."""

    doc_id: int | str
    target: str
    filtered_resps: Any
    resps: Any = None
    input: Any = ""


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    return any(
        {"doc_id", "filtered_resps", "target"} <= object_keys(first_line(file))
        for file in matching_files(path, PATTERN)
    )


def read(path: Path) -> Iterator[ImportedRun]:
    """One run for each sitting, which is a folder and a date."""
    sittings: dict[tuple[Path, str], dict[str, Path]] = {}
    for file in matching_files(path.absolute(), PATTERN):
        if name := NAME.fullmatch(file.name):
            sittings.setdefault((file.parent, name["date"]), {})[name["task"]] = file
    for (folder, date), tasks in sittings.items():
        results_path = folder / f"{date}_results.json"
        results = (
            decode_json(results_path.read_bytes(), ResultsFile, results_path, "results of lmms-eval")
            if results_path.is_file()
            else ResultsFile()
        )
        notices = list(_format_published(results, tasks))
        yield ImportedRun(
            benchmark="lmms-eval",
            tasks=(),
            model=results.model_name or folder.name,
            records=_records(tasks),
            scorers=partial(scorers, results),
            warnings=notices,
            files=tuple(tasks.values()),
        )


def scorers(results: ResultsFile, task_stats: TaskStats) -> list[ScorerSpec]:
    """Theirs, in the direction that the results tell, and what fits the items."""
    directions = results.higher_is_better.get(task_stats.task, {})
    scales: dict[str, ScorerSpec] = {
        name: {"better": "higher" if higher else "lower"} for name, higher in directions.items() if higher is not None
    }
    of_all = [name.partition(",")[0] for name in results.results.get(task_stats.task, {})]
    return [*measure_scorers(task_stats, scales), *matching_scorers(task_stats, of_all)]


def _format_published(results: ResultsFile, tasks: Iterable[str]) -> Iterator[str]:
    for task in tasks:
        numbers = {
            name.removesuffix(",none"): value
            for name, value in results.results.get(task, {}).items()
            if isinstance(value, int | float) and "stderr" not in name
        }
        yield from format_published("lmms-eval", task, numbers)


def _records(tasks: Mapping[str, Path]) -> Iterator[Record]:
    for task, file in tasks.items():
        for number, fields in read_lines(file, dict[str, Any], "an object of lmms-eval"):
            where = f"{file}, line {number}"
            line = _line(fields, where)
            turns = prompt_turns(line.input) if isinstance(line.input, str) else []
            for record in _record(plain_name(task), line, _verdicts(fields), where):
                yield with_prompt(record, turns)


def _line(fields: Mapping[str, Any], where: str) -> SampleLine:
    try:
        return msgspec.convert(fields, SampleLine)
    except msgspec.ValidationError as error:
        raise BadData(
            f"{where}: is no sample of lmms-eval ({error}); expected doc_id, target and filtered_resps"
        ) from error


def _record(task: str, line: SampleLine, verdicts: tuple[ImportedVerdict, ...], where: str) -> Iterator[Record]:
    replies = _replies(line.filtered_resps if line.resps is None else line.resps)
    if replies is None:
        raise BadData(
            f"{where}: found no text in its replies, expected some; a task that is answered by likelihood has none and "
            "cannot be "
            "read: import the files of the others"
        )
    words = line.input if isinstance(line.input, str) else json.dumps(line.input, ensure_ascii=False)
    item = add_choices(Item(str(line.doc_id), task, words, targets=_targets(line.target)))
    asked = hash64(words.encode()) if words else ""
    for repeat, reply in enumerate(replies):
        if reply.startswith(FAILED_MARK):
            yield Record(item, asked, repeat=repeat, failure=Failure("request-failed", reply))
        else:
            yield Record(item, asked, repeat=repeat, response=Response(reply), verdicts=() if repeat else verdicts)


def _targets(target: str) -> tuple[str, ...]:
    """A target is written as Python shows it: a list of texts is one text.

    >>> _targets("['a', 'b']"), _targets("[noise]")
    (('a', 'b'), ('[noise]',))
    """
    if target.startswith("[") and target.endswith("]"):
        try:
            value = ast.literal_eval(target)
        except (ValueError, SyntaxError):
            return (target,)
        if value and all(isinstance(text, str) for text in value):
            return tuple(value)
    return (target,)


def _replies(value: Any) -> list[str] | None:
    """The replies to one item: a text, a list of them, or a list of lists with one each."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return [value]
    flat = (
        [reply[0] if isinstance(reply, list) and len(reply) == 1 else reply for reply in value]
        if isinstance(value, list)
        else []
    )
    return flat if flat and all(isinstance(reply, str) for reply in flat) else None


def _verdicts(fields: Mapping[str, Any]) -> tuple[ImportedVerdict, ...]:
    """The task's own numbers in a line."""
    known = {"doc_id", "doc", "target", "input", "filtered_resps", "resps", "token_counts", "doc_hash", "arguments"}
    verdicts = []
    for name, value in fields.items():
        number, read = _number(value), None
        if number is None and isinstance(value, dict):
            number = next((_number(value[key]) for key in CORRECT_FIELDS if _number(value.get(key)) is not None), None)
            read = next((value[key] for key in ANSWER_FIELDS if isinstance(value.get(key), str)), None)
        if name not in known and number is not None:
            verdicts.append(ImportedVerdict(plain_name(name), number, read))
    return tuple(verdicts)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="lmms_eval", cut="mock-audio/20261130_032553_samples_heard_choices.jsonl"),)
