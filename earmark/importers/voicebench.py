"""VoiceBench's results: <model>-<data>-<split>-<modality>.jsonl, and result-<the same> once a judge has read them.

    prompt, response, and what the data set has: reference, id, key, instruction_id_list, kwargs;
    score: three replies of the judge

A run is a model, a task a data set; the splits (regions of sd-qa, domains of mmsu) are slices. An item is a line: two
models' files have them in one order. What was asked as text, not spoken, is under the condition `transcript`. Where
both files of a set are there, the judged one is read. A response of null is a request that failed.

The judge's three replies are words where there is a reference, and the majority counts, or grades from 1 to 5, of which
the mean counts; a grade may stand in double square brackets. Anything else is a verdict not given; VoiceBench stops
there. Choices are read from the words of the prompt. What follows from rules alone (ifeval, advbench, bbh) is computed
by VoiceBench when it is asked and kept nowhere. Dialogues of several turns (mtbench) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from msgspec import Struct

from earmark.data.cache import hash64
from earmark.errors import BadData
from earmark.importers._choices import add_choices
from earmark.importers._runs import first_line, matching_files, measure_scorers, object_keys, prompt_turns, read_lines
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats, with_prompt
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Context, Failure, ImportedVerdict, Item, Response

DATA: Final = (
    *("alpacaeval_full", "alpacaeval_speaker", "alpacaeval", "commoneval", "wildvoice", "openbookqa"),
    *("mmsu", "sd-qa", "mtbench", "ifeval", "bbh", "advbench"),
)
NAME: Final = re.compile(
    rf"(?P<judged>result-)?(?P<model>.+)-(?P<data>{'|'.join(DATA)})-(?P<split>\w+)-(?P<modality>audio|text)\.jsonl"
)
CONDITIONS: Final = {"audio": "plain", "text": "transcript"}
JUDGE: Final = "gpt-4o-mini"
GRADE_IN_BRACKETS: Final = re.compile(r"\[\[(\d+(?:\.\d+)?)\]\]")
LOWEST, HIGHEST = 1.0, 5.0  # of a grade


class AnswerLine(Struct, frozen=True):
    """One question and its answer."""

    prompt: Any
    response: Any = None
    reference: str | None = None
    score: list[str] | None = None


class ResultFile(Struct, frozen=True):
    """One file: a set, a split of it, and how it was asked."""

    file: Path
    data: str
    split: str
    condition: str
    judged: bool


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    named = [file for file in matching_files(path, "*.jsonl") if NAME.fullmatch(file.name)]
    return any({"prompt", "response"} <= object_keys(first_line(file)) for file in named)


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each model."""
    models: dict[str, dict[tuple[str, str, str], ResultFile]] = {}
    for file in matching_files(path.absolute(), "*.jsonl"):
        if name := NAME.fullmatch(file.name):
            condition = CONDITIONS[name["modality"]]
            parts = models.setdefault(name["model"], {})
            where = (name["data"], name["split"], condition)
            if where not in parts or not parts[where].judged:
                parts[where] = ResultFile(file, name["data"], name["split"], condition, bool(name["judged"]))
    for model, parts in models.items():
        yield ImportedRun(
            benchmark="voicebench",
            tasks=(),
            model=model,
            records=(record for part in parts.values() for record in _records(part)),
            scorers=scorers,
            slices=("split",),
            files=tuple(part.file for part in parts.values()),
        )


def scorers(task_stats: TaskStats) -> list[ScorerSpec]:
    """The judge's in its scale; ours are a choice, or whether the reference is in the answer."""
    graded: ScorerSpec = {"lowest": LOWEST, "highest": HIGHEST, "better": "higher"}
    specs = measure_scorers(task_stats, {} if task_stats.targets else {JUDGE: graded})
    if task_stats.labels:
        return [*specs, {"name": "choice"}]
    return [*specs, {"name": "exact"}] if task_stats.targets else specs


def _records(part: ResultFile) -> Iterator[Record]:
    for number, line in read_lines(part.file, AnswerLine, "a line of VoiceBench"):
        if not isinstance(line.prompt, str) or not isinstance(line.response, str | None):
            raise BadData(
                f"{part.file}, line {number}: found a dialogue of several turns, expected one prompt and one response; "
                "take the file out"
            )
        record = _record(part, number, line)
        yield with_prompt(record, prompt_turns(line.prompt)) if part.condition == "transcript" else record


def _record(part: ResultFile, number: int, line: AnswerLine) -> Record:
    item = _item(part, f"{part.split}-{number - 1}", line)
    asked = hash64(line.prompt.encode())
    if line.response is None:
        failure = Failure("request-failed", "response is null")
        return Record(item, asked, condition=part.condition, failure=failure)
    response = Response(line.response)
    verdicts = tuple(_verdicts(line))
    return Record(item, asked, condition=part.condition, response=response, verdicts=verdicts)


def _item(part: ResultFile, name: str, line: AnswerLine) -> Item:
    tags = {"split": part.split} if part.split != "test" else {}
    return add_choices(
        Item(name, part.data, line.prompt, targets=(line.reference,) if line.reference else (), tags=tags)
    )


def _verdicts(line: AnswerLine) -> Iterator[ImportedVerdict]:
    if line.score is None:
        return
    texts = [score.strip() for score in line.score]
    if line.reference is not None:
        words = [word.lower().strip(".") for word in texts]
        value = float(2 * words.count("yes") > len(words)) if set(words) <= {"yes", "no"} else None
    else:
        grades = [_grade(score) for score in texts]
        value = fmean(grade for grade in grades if grade is not None) if grades and None not in grades else None
    yield ImportedVerdict(JUDGE, value, explanation="|".join(texts))


def _grade(text: str) -> float | None:
    """A grade from 1 to 5, alone or in double square brackets.

    >>> _grade("4"), _grade("The answer is good. [[5]]"), _grade("four"), _grade("85")
    (4.0, 5.0, None, None)
    """
    boxed = GRADE_IN_BRACKETS.search(text)
    try:
        grade = float(boxed[1] if boxed else text)
    except ValueError:
        return None
    return grade if LOWEST <= grade <= HIGHEST else None


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="voicebench", cut="some-model-openbookqa-test-audio.jsonl"),)
