"""MMAU's results: the list of questions as MMAU publishes it, each with the model's words under `model_output`.

    id, audio_id, question, choices, answer, task, category, sub-category, difficulty, model_output

MMAU's page calls the key `model_prediction`, its script reads `model_output`; both are understood, the second first. A
question without either was not answered: MMAU's script leaves it out, here it is a request that failed. A task is a
task (sound, music, speech); difficulty, category and skill are slices. `match`, where somebody kept it, is MMAU's
verdict; the file that its script reads has none. MMAU's own reading of a reply is the reader `mmau`: earmark rescore
RUN --parsers mmau,earmark Some questions of test-mini list the right option twice: either label is right. Nothing tells
the model: give --model.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from earmark.data.cache import hash64
from earmark.errors import BadData
from earmark.importers._runs import LETTERS, decode_json, matching_files, measure_scorers, plain_name, read_head
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Clip, Context, Failure, ImportedVerdict, Item, Response

EXPECTED: Final = "a question of MMAU with id, question, choices, answer and model_output"
KEYS: Final = (b'"audio_id"', b'"choices"', b'"answer"')
REPLY_KEYS: Final = (b'"model_output"', b'"model_prediction"')


class MmauQuestion(Struct, frozen=True):
    """One question with its answer."""

    id: str
    question: str
    choices: list[str]
    answer: str
    audio_id: str = ""
    task: str = "mmau"
    difficulty: str = ""
    category: str | list[str] = ""
    skill: str = field(default="", name="sub-category")
    model_output: str | None = None
    model_prediction: str | None = None
    match: float | bool | None = None


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    return any(map(_is_mmau, matching_files(path, "*.json")))


def _is_mmau(file: Path) -> bool:
    begin = read_head(file).lstrip()
    return begin.startswith(b"[") and all(key in begin for key in KEYS) and any(key in begin for key in REPLY_KEYS)


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each file."""
    for file in filter(_is_mmau, matching_files(path.absolute(), "*.json")):
        yield ImportedRun(
            benchmark="mmau",
            tasks=(),
            model="",
            records=_records(file),
            scorers=scorers,
            slices=("difficulty", "category", "skill"),
            files=(file,),
        )


def scorers(task_stats: TaskStats) -> list[ScorerSpec]:
    """Theirs, where it was kept, and the choice."""
    return [*measure_scorers(task_stats), {"name": "choice"}]


def _records(file: Path) -> Iterator[Record]:
    for number, raw in enumerate(
        decode_json(file.read_bytes(), list[msgspec.Raw], file, "a list of MMAU's questions"), start=1
    ):
        where = f"{file}, question {number}"
        question = decode_json(raw, MmauQuestion, where, EXPECTED)
        if question.answer not in question.choices or len(question.choices) > len(LETTERS):
            raise BadData(
                f"{where}: found the answer '{question.answer}' among {len(question.choices)} choices, expected one of "
                "them; the answers "
                "of the whole test set are not published, give results of test-mini"
            )
        yield _record(question)


def _record(question: MmauQuestion) -> Record:
    labels = tuple(LETTERS[: len(question.choices)])
    category = question.category if isinstance(question.category, str) else "|".join(question.category)
    tags = {"difficulty": question.difficulty, "category": category, "skill": question.skill}
    item = Item(
        question.id,
        plain_name(question.task),
        question.question,
        (Clip(question.audio_id, name=question.audio_id),) if question.audio_id else (),
        tuple(question.choices),
        labels,
        tuple(label for label, choice in zip(labels, question.choices, strict=True) if choice == question.answer),
        group=question.audio_id,
        tags={name: value for name, value in tags.items() if value},
    )
    asked = hash64("\n".join([question.question, *question.choices]).encode())
    reply = question.model_output if question.model_output is not None else question.model_prediction
    if reply is None:
        return Record(item, asked, failure=Failure("request-failed", "no model_output"))
    verdicts = (ImportedVerdict("match", float(question.match)),) if question.match is not None else ()
    return Record(item, asked, response=Response(reply), verdicts=verdicts)


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="mmau", cut="answers.json", model="some-model"),)
