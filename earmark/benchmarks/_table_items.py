"""Rows of a table's data as items."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, repeat
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.benchmarks._table_schema import Columns, Layout, QuestionSet, Source
from earmark.data.archives import find_member
from earmark.data.records import column_names, read_records, text_of
from earmark.errors import BadData
from earmark.plugins.roads import import_user_module
from earmark.text.choices import LETTERS, shuffle_choices
from earmark.text.fields import FIELD, fill
from earmark.types import Clip, Item

UNUSUAL: Final = re.compile(r"^$|^[/.]|^.:|\\|\.\.|/\.|//|/$")  # of a path of sound: more than names and slashes


class SetFiles(Struct, frozen=True):
    """A set of questions as it lies on this machine."""

    name: str
    questions: QuestionSet
    layout_name: str
    columns: Columns
    root: Path
    files: tuple[Path, ...]

    @property
    def layout(self) -> Layout:
        return self.questions.layouts[self.layout_name]


def items_of(place: SetFiles, seed: int | None) -> Iterator[Item]:
    """The items of a set in the order of its files; choices are shuffled with a seed, and as given without one."""
    needed = needed_columns(place.columns)
    total = count(1)
    for file in place.files:
        for number, row in rows_of(place, file, needed):
            try:
                yield make_item(place, file, next(total), row, seed)
            except (ValueError, KeyError) as error:
                message = f"has no column {error}" if isinstance(error, KeyError) else str(error)
                raise BadData(f"{file}, row {number}: {message}") from error


def rows_of(place: SetFiles, file: Path, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a file, by the function that the layout names where it names one."""
    if not place.layout.rows_from:
        optional = [name.removesuffix("?") for name in needed if name.endswith("?")]
        columns = column_names(file) if optional and file.suffix == ".parquet" else []
        wanted = [name for name in needed if not name.endswith("?")] + [name for name in optional if name in columns]
        return read_records(file, wanted, head=place.layout.head)
    module, _, name = place.layout.rows_from.rpartition(".")
    function = vars(import_user_module(module)).get(name) if module else None
    if not callable(function):
        raise BadData(
            f"rows_from: {place.layout.rows_from}: no such function; expected one such as my.module.read_rows"
        )
    return enumerate(function(file, place.name), start=1)


def needed_columns(columns: Columns) -> list[str]:
    """Names of the columns that are read."""
    sources: list[str] = [columns.id, columns.question, columns.transcript, columns.group, columns.task]
    sources += [*several(columns.sound), *columns.tags.values()]
    names = [name for source in sources if source for name in fields_of(source)]
    names += [*several(columns.choices), *several(columns.wrong), *several(columns.answer), *columns.extra.values()]
    return [name for name in dict.fromkeys(names) if name != "$key"]


def fields_of(source: Source) -> list[str]:
    """The columns that a source names: those in braces, else itself.

    >>> fields_of("id"), fields_of("{speaker}/{clip}.wav")
    (['id'], ['speaker', 'clip'])
    """
    return FIELD.findall(source) or [source]


def several(source: str | Sequence[str]) -> tuple[str, ...]:
    """The names of one column, of several, or of none."""
    return ((source,) if source else ()) if isinstance(source, str) else tuple(source)


def _text(source: Source, row: Mapping[str, Any]) -> str:
    if not source:
        return ""
    if "{" not in source:
        return text_of(row[source])
    return fill(source, {name: text_of(row[name]) for name in fields_of(source)})


def make_item(place: SetFiles, file: Path, number: int, row: Mapping[str, Any], seed: int | None) -> Item:
    """The item of a row, `number` being its place in the set. Raises ValueError or KeyError for one of no sense."""
    columns, questions = place.columns, place.questions
    identifier = _text(columns.id, row) or str(number)
    task = _text(columns.task, row) or questions.task or place.name
    task = questions.task_names.get(task, questions.task_names.get("*", task))
    clips, fault = _clips(place, file, row)
    choices, right, extra = _choices(columns, questions, row)
    if seed is not None and choices:
        order = shuffle_choices([str(index) for index in range(len(choices))], seed, f"{task}/{identifier}")
        choices = [choices[int(index)] for index in order]
        right = [order.index(str(index)) for index in right]
    if len(choices) > len(LETTERS):
        raise ValueError(f"found {len(choices)} choices, expected at most {len(LETTERS)}")
    labels = tuple(LETTERS[: len(choices)])
    skipped = "fewer than two choices" if task in questions.choice_tasks and len(choices) < 2 else ""
    answers = () if questions.answer_by == "order" else _answers(columns, row)
    return Item(
        identifier,
        task,
        _text(columns.question, row) or questions.question,
        clips,
        tuple(choices),
        labels,
        tuple(labels[index] for index in right) if choices else answers,
        group=_text(columns.group, row) or (clips[0].name if clips else "") or identifier,
        tags={name: text for name, source in columns.tags.items() if (text := _tag(row, source))},
        extra=extra | {name: row[column] for name, column in columns.extra.items() if row.get(column) is not None},
        state="skipped" if skipped else "error" if fault else "ask",
        reason=skipped or fault,
    )


def _tag(row: Mapping[str, Any], source: Source) -> str:
    value = row.get(source)
    if isinstance(value, list):
        return "|".join(text_of(part) for part in value)
    return _text(source, row) if "{" in source else text_of(value)


# ---------------------------------------------------------------- choices and answers


def decode_choices(column: str | Sequence[str], row: Mapping[str, Any], separator: str = "") -> list[str]:
    """The texts of one column that lists them, also as a JSON list or with a separator, or of a column each; empty
    columns are none.
    """
    if not isinstance(column, str) and len(column) > 1:
        return [text for name in column if (text := text_of(row.get(name))).strip()]
    name = column if isinstance(column, str) else next(iter(column), "")
    value = row[name] if name else None
    if isinstance(value, str) and separator and not value.lstrip().startswith("["):
        return [text for part in value.split(separator) if (text := part.strip())]
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError as error:
            raise ValueError(f"column '{name}' begins like a JSON list and is none ({error})") from error
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise ValueError(  # noqa: TRY004 - of data
            f"column '{name}' holds {json.dumps(value, default=str)[:60]}, expected a list of choices"
        )
    return [text_of(choice) for choice in value]


def _answers(columns: Columns, row: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of the right answers; any of them is right."""
    texts: list[str] = []
    for name in several(columns.answer):
        value = row.get(name.removesuffix("?"))
        parts = value if isinstance(value, list) else [value]
        texts += [text_of(part) for part in parts if part is not None]
    return tuple(dict.fromkeys(texts))


def _choices(
    columns: Columns, questions: QuestionSet, row: Mapping[str, Any]
) -> tuple[list[str], list[int], dict[str, Any]]:
    """The choices, the numbers of the right ones, and what a rule needs that judges a gold that is no choice."""
    choices = decode_choices(columns.choices, row, columns.separator) if columns.choices else [*questions.choices]
    if questions.answer_by == "order":
        return choices, [_place_of_0(row, columns, len(choices))], {}
    answers = _answers(columns, row)
    if columns.wrong:
        choices = [*answers, *decode_choices(columns.wrong, row, columns.separator)]
    if not choices and not questions.letters:
        if questions.needs_choices:
            raise ValueError("found no choices, expected some as in the other rows")
        return [], [], {}
    choices = choices or list(LETTERS[: questions.letters])
    right: list[int] = []
    for answer in answers:
        right += _right_numbers(questions, answer, choices)
    if not right and answers and answers[0].strip():
        return choices, [], {"answer": answers[0]}
    return choices, sorted({*right}), {}


def _place_of_0(row: Mapping[str, Any], columns: Columns, count: int) -> int:
    """The place of 0 in a list of numbers, as MuChoMusic says in which order its choices stand."""
    name = several(columns.answer)[0]
    order = row.get(name)
    if not isinstance(order, list) or order.count(0) != 1 or len(order) != count:
        raise ValueError(
            f"column '{name}' holds {json.dumps(order, default=str)[:60]}, expected {count} numbers with one 0"
        )
    return order.index(0)


def _right_numbers(questions: QuestionSet, answer: str, choices: Sequence[str]) -> list[int]:
    if questions.answer_by == "text":
        return [number for number, choice in enumerate(choices) if choice.strip() == answer.strip()]
    if questions.answer_by == "order":
        raise ValueError(f"found {answer!r}, expected a list of numbers of which 0 is the right one")
    if questions.answer_by == "letter":
        position = LETTERS.find(answer.strip().strip("().").upper()) if answer.strip() else -1
    else:
        number = answer.strip()
        position = int(number) - (questions.answer_by == "index1") if number.isdecimal() else -1
    if not 0 <= position < len(choices):
        raise ValueError(f"the answer {answer!r} names none of the {len(choices)} choices")
    return [number for number, choice in enumerate(choices) if choice.strip() == choices[position].strip()]


# ---------------------------------------------------------------- sound


def _clips(place: SetFiles, file: Path, row: Mapping[str, Any]) -> tuple[tuple[Clip, ...], str]:
    """The clips of a row, and why there are none where its path is not one below the data."""
    clips: list[Clip] = []
    transcript = row.get(place.columns.transcript)  # a text for all clips, or a list with one for each
    words = (
        iter(map(text_of, transcript)) if isinstance(transcript, list) else repeat(_text(place.columns.transcript, row))
    )
    for source in several(place.columns.sound):
        value = row.get(source.removesuffix("?")) if "{" not in source else _text(source, row)
        for part in value if isinstance(value, list) else [value]:
            if part is None:
                continue
            if isinstance(part, Clip):
                clips.append(msgspec.structs.replace(part, transcript=next(words, "")))
                continue
            name = text_of(part["path"]) if isinstance(part, dict) else text_of(part)
            if not name:
                continue
            try:
                clips.append(msgspec.structs.replace(find_sound(place, file, name), transcript=next(words, "")))
            except BadData as error:
                return (), str(error)
    if place.columns.sound and not clips:
        return (), "its row names no sound"
    return tuple(clips), ""


def find_sound(place: SetFiles, file: Path, name: str) -> Clip:
    """The clip of a path in a row: a file below the data, or a member of an archive beside it. Raises BadData where
    the path leads out of the data.
    """
    if (quick := _plain_path(place, file, name)) is not None:
        return Clip(quick, name=name)
    pure = PurePosixPath(name.replace("\\", "/"))
    pure = PurePosixPath(pure.name) if place.layout.sound_by_name else pure
    if pure.is_absolute() and ".." not in pure.parts and Path(pure).is_relative_to(place.root.absolute()):
        _check_inside(place.root, Path(pure), name)
        return Clip(str(pure), name=name)
    if pure.is_absolute() or ".." in pure.parts or re.match(r"[A-Za-z]:", str(pure)):
        raise BadData(f"the path of its sound leads out of the data: {name}")
    names = [pure]
    if pure.suffix in place.layout.sound_suffixes:
        names.append(pure.with_suffix(place.layout.sound_suffixes[pure.suffix]))
    folders = [file.parent / folder for folder in place.layout.sound_folders]
    candidates = [folder / each for each in names for folder in folders]
    path = (
        next((path for path in candidates if path.exists()), None)
        if len(candidates) > 1 or place.layout.archives
        else candidates[0]
    )
    if path is None:
        for archive in place.layout.archives:
            for member in (pure, *(PurePosixPath(folder) / pure for folder in place.layout.sound_folders)):
                if (clip := find_member(file.parent / archive, member.as_posix())) is not None:
                    return msgspec.structs.replace(clip, name=name)
        path = candidates[0]
    _check_inside(place.root, path, name)
    return Clip(str(path), name=name)


def _plain_path(place: SetFiles, file: Path, name: str) -> str | None:
    """The path of a sound in the usual case, a plain name below the one folder of sound, in a tenth of the time; None
    for any other.
    """
    layout = place.layout
    if len(layout.sound_folders) > 1 or layout.archives or layout.sound_suffixes or layout.sound_by_name:
        return None
    if UNUSUAL.search(name):
        return None
    path = f"{_sound_folder(file.parent, layout.sound_folders[0])}/{name}"
    inside = _is_inside(place.root, path.rpartition("/")[0])
    return path if inside and not os.path.islink(path) else None  # noqa: PTH114 - a fifth of the time


@functools.lru_cache(maxsize=64)
def _sound_folder(folder: Path, below: str) -> str:
    return str(folder / below)


@functools.lru_cache(maxsize=4096)
def _is_inside(root: Path, folder: str) -> bool:
    """True if a folder really lies below the data."""
    real = Path(folder).resolve()
    return any(real.is_relative_to(inside) for inside in _real_roots(root))


@functools.lru_cache(maxsize=64)
def _real_roots(root: Path) -> tuple[Path, ...]:
    """Folders in which a file of the data may really lie: the hub's cache keeps files as links into its blobs."""
    roots = [root.resolve()]
    if root.parent.name == "snapshots":
        roots.append((root.parent.parent / "blobs").resolve())
    return tuple(roots)


def _check_inside(root: Path, path: Path, name: str) -> None:
    real = path.resolve()
    if not any(real.is_relative_to(inside) for inside in _real_roots(root.absolute())):
        raise BadData(f"the path of its sound leads out of the data through a link: {name}")
