"""An archive of AcousticBench in another layout than ours, by a YAML that says where each column stands.

questions: annotations/*.jsonl     files of rows (JSON, JSONL, CSV, TSV, parquet); * stands for any letters
columns:                           as in the tables of docs/benchmarks.md
  id: qid
  question: "{prompt}"
  sound: [first_wav, second_wav]
  answer: label
  choices: [option_1, option_2]    where the question does not tell itself
  task: subset                     else the name of the file
  tags: {split: half, kind: type}
values:                            what the data says, and what it means
  answer: {"1": A, "2": B}
  split: {dev: train, test: eval}
split: eval                        where no column has it
kind: scored
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec
import orjson
from msgspec import Struct

from earmark.benchmarks._acousticbench_data import AcousticQuestion, QuestionLine
from earmark.benchmarks._acousticbench_store import ArchiveStore, FolderStore, Store, open_store
from earmark.benchmarks._table_items import needed_columns, several
from earmark.benchmarks._table_schema import Columns, convert
from earmark.data.cache import atomic_write, cache_dir, hash64
from earmark.data.plain_yaml import load_plain_yaml
from earmark.data.records import read_records, text_of
from earmark.errors import BadData, UsageError, alternatives
from earmark.text.fields import FIELD, fill

LABELS = ("A", "B")


class AcousticLayout(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the questions of an archive lie, and under which names."""

    questions: str
    columns: dict[str, Any]
    values: dict[str, dict[str, str]] = {}
    split: str = "eval"
    kind: str = "scored"
    head: bool = True  # of a CSV or TSV file


def read_layout(path: str) -> tuple[AcousticLayout, Columns]:
    """Read the YAML of a layout. Raises UsageError or BadData with one line for one that means nothing."""
    place = Path(path).expanduser()
    try:
        text = place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"layout={path}: cannot be read ({error}); docs/acousticbench.md has an example") from error
    layout: AcousticLayout = convert(load_plain_yaml(text, place), AcousticLayout, path)
    columns: Columns = convert(layout.columns, Columns, f"{path}, columns")
    for name in ("id", "question", "sound", "answer"):
        if not getattr(columns, name):
            raise BadData(f"{path}, columns: has no {name}; expected id, question, sound and answer at least")
    return layout, columns


def read_mapped(data: str, path: str) -> Mapping[str, tuple[QuestionLine, ...]]:
    """All questions by task, of data in the layout of a YAML. Raises BadData for the first that makes no sense."""
    store, (layout, columns) = open_store(data), read_layout(path)
    files = list(_row_files(store, layout))
    if not files:
        raise BadData(f"{store.path}: found no {layout.questions}, where {path} says that the questions are")
    tasks: dict[str, list[QuestionLine]] = {}
    for name, file in files:
        for number, row in read_records(file, needed_columns(columns), head=layout.head):
            where = f"{store.path}, {name}, row {number}"
            question = _question(layout, columns, row, where)
            missing = next((clip for clip in question.audio if not store.has(clip)), None)
            if missing is not None:
                raise BadData(f"{where}: the clip '{missing}' of question '{question.question_id}' is not there")
            task = _text(columns.task, row, where) if columns.task else Path(name).stem
            tasks.setdefault(task, []).append(
                QuestionLine(question, orjson.dumps(msgspec.to_builtins(question)), number)
            )
    _check_ids(store, tasks)
    return {task: tuple(lines) for task, lines in sorted(tasks.items())}


def _check_ids(store: Store, tasks: Mapping[str, list[QuestionLine]]) -> None:
    for task, lines in tasks.items():
        ids = [line.question.question_id for line in lines]
        if twice := next((name for name in ids if ids.count(name) > 1), None):
            raise BadData(f"{store.path}: the task {task} has two questions of the id '{twice}'")


def _row_files(store: Store, layout: AcousticLayout) -> Iterator[tuple[str, Path]]:
    """The files of rows: their name in the store, and a file on disk."""
    if isinstance(store, FolderStore):
        for file in sorted(store.path.glob(layout.questions)):
            yield str(file.relative_to(store.path)), file
        return
    for name in sorted(store.names if isinstance(store, ArchiveStore) else ()):
        if fnmatch(name, layout.questions):
            content = store.read(name)
            yield name, atomic_write(cache_dir("acousticbench-rows") / hash64(content) / Path(name).name, content)


def _question(layout: AcousticLayout, columns: Columns, row: Mapping[str, Any], where: str) -> AcousticQuestion:
    def translated(kind: str, text: str) -> str:
        return layout.values.get(kind, {}).get(text, text)

    choices = tuple(_text(source, row, where) for source in several(columns.choices)) or LABELS
    answer = translated("answer", _text(str(columns.answer), row, where))
    if answer not in LABELS and answer in choices:
        answer = LABELS[choices.index(answer)]
    tags = {tag: _text(columns.tags[tag], row, where) if tag in columns.tags else "" for tag in ("split", "kind")}
    fields = {
        "question_id": _text(columns.id, row, where),
        "split": translated("split", tags["split"]) or layout.split,
        "audio": [clip for source in several(columns.sound) if (clip := _text(source, row, where))],
        "question": _text(columns.question, row, where),
        "gold": answer,
        "kind": translated("kind", tags["kind"]) or layout.kind,
        "choices": choices,
        "group": _text(columns.group, row, where) if columns.group else "",
    }
    try:
        return msgspec.convert(fields, AcousticQuestion)
    except msgspec.ValidationError as error:
        raise BadData(f"{where}: {error}; `values` of the layout says what the data's own words mean") from error


def _text(source: str, row: Mapping[str, Any], where: str) -> str:
    """The text of a column, or of a text with {columns}; empty where the row has none there."""
    names = FIELD.findall(source)
    if missing := next((name for name in names or [source] if name not in row), None):
        raise BadData(f"{where}: has no column '{missing}'{alternatives(missing, row)}")
    values = {name: "" if row[name] is None else text_of(row[name]) for name in names or [source]}
    return fill(source, values) if names else values[source]
