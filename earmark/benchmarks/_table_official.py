"""The result file of a benchmark's own script, in and out: rows of its data with the reply under one more key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from earmark.benchmarks._table_items import SetFiles, items_of, make_item, needed_columns, several
from earmark.benchmarks._table_schema import BenchmarkTable, Columns, OfficialFile, columns_of
from earmark.data.cache import atomic_open, hash64
from earmark.data.records import column_names, read_records
from earmark.errors import BadData, UsageError, alternatives
from earmark.journal import Record
from earmark.runs.imported import ImportedRun
from earmark.types import Clip, Failure, Item, Response

SHOWN: Final = 8  # names of sets in a message, at most
OPTIONAL: Final = ("transcript", "group", "id")
EXAMPLE: Final = "--reply KEY, the key under which each row has the reply"


class OfficialRow(NamedTuple):
    """A row of a result file: its number, and its columns."""

    number: int
    row: Mapping[str, Any]


# ---------------------------------------------------------------- in


def read_official(
    table: BenchmarkTable, name: str, path: Path, reply: str, items: Iterable[Item] | None, set_name: str = ""
) -> ImportedRun:
    """The run of a result file. Its items are made from its own rows, which have the questions as a rule, else they
    are those of `items`, matched by their ids.
    """
    key = reply or (table.official_file.reply if table.official_file else "")
    if not key:
        raise UsageError(f"{name} does not say which key its official file has; give {EXAMPLE}")
    if not path.is_file():
        raise UsageError(f"{path}: no such file; expected a result file of {name}")
    rows = [OfficialRow(number, row) for number, row in read_records(path, column_names(path))]
    if not rows:
        raise BadData(f"{path}: holds no row, expected those of {name} with '{key}'")
    if not any(key in row for _, row in rows):
        raise BadData(f"{path}: no row has a key '{key}'; the first has {', '.join(rows[0].row)}; give {EXAMPLE}")
    place = _find_place(table, path, rows, set_name)
    made = _items_of_rows(table, place, path, rows) if place else _items_by_id(name, path, rows, items)
    records = (_record(item, row, key, f"{path}, row {number}") for item, (number, row) in zip(made, rows, strict=True))
    return ImportedRun(benchmark=name, tasks=(), model="", records=records, files=(path,))


def _find_place(table: BenchmarkTable, path: Path, rows: list[OfficialRow], set_name: str) -> SetFiles | None:
    """The set and layout whose columns stand in the rows; None where no layout's do."""
    known = set().union(*(row for _, row in rows[:100])) | {"$key"}
    candidates: dict[str, SetFiles] = {}
    if set_name and set_name not in table.sets:
        raise UsageError(f"no set is called '{set_name}'{alternatives(set_name, table.sets)}")
    for each, questions in table.sets.items():
        for layout in questions.layouts:
            columns = _present(columns_of(table, questions, layout, each), known)
            if columns and each not in candidates and set_name in ("", each):
                candidates[each] = SetFiles(each, questions, layout, columns, path.parent, (path,))
    if len(candidates) > 1:
        names = [*candidates]
        listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        raise UsageError(f"{path}: may hold answers of {listed}; name the set: --table NAME:{names[0]}")
    return next(iter(candidates.values()), None)


def _present(columns: Columns, known: set[str]) -> Columns | None:
    """The columns as far as a file has them, without sound; None where it lacks one that a question needs."""
    without = msgspec.structs.replace(columns, sound=(), extra={k: v for k, v in columns.extra.items() if v in known})
    for name in OPTIONAL:
        source = getattr(columns, name)
        if source and not {*needed_columns(Columns(id=source))} <= known:
            without = msgspec.structs.replace(without, **{name: ""})
    asked = Columns(question=columns.question, choices=columns.choices, wrong=columns.wrong, answer=columns.answer)
    needed_now = {name for name in needed_columns(without) if not name.endswith("?")} - {*without.tags.values()}
    has_question = bool(needed_columns(asked)) and needed_now <= known
    return without if has_question else None


def _items_of_rows(table: BenchmarkTable, place: SetFiles, path: Path, rows: list[OfficialRow]) -> Iterator[Item]:
    sound = several(columns_of(table, place.questions, place.layout_name, place.name).sound)
    for count, (number, row) in enumerate(rows, start=1):
        try:
            item = make_item(place, path, count, row, None)
        except (ValueError, KeyError) as error:
            raise BadData(f"{path}, row {number}: {error}") from error
        names = [value for column in sound if isinstance(value := row.get(column), str) and value]
        clips = tuple(Clip(each, name=each) for each in names)
        task = item.task if item.task in table.tasks else item.task.lower()
        group = item.group if item.group != item.id or not names else names[0]
        yield msgspec.structs.replace(item, task=task, clips=clips, group=group, state="ask", reason="")


def _items_by_id(name: str, path: Path, rows: list[OfficialRow], items: Iterable[Item] | None) -> Iterator[Item]:
    if items is None:
        raise UsageError(
            f"{path}: its rows have no questions, only {', '.join(rows[0].row)}; give data=FOLDER, the data of {name}"
        )
    by_id: dict[str, Item] = {}
    for item in items:
        if item.id in by_id:
            raise BadData(f"{name} has the id '{item.id}' in several tasks, so that rows without questions name none")
        by_id[item.id] = item
    for number, row in rows:
        key = str(row.get("id", row.get("$key", "")))
        if key not in by_id:
            raise BadData(f"{path}, row {number}: no question of {name} has the id '{key}'; is it another state of it?")
        yield by_id[key]


def _record(item: Item, row: Mapping[str, Any], key: str, place: str) -> Record:
    """The record of a row. A reply that is not there is a request that failed: no script counts it as an answer."""
    value = row.get(key)
    value = "\n".join(map(str, value)) if isinstance(value, list) else value
    asked = hash64("\n".join([item.question, *item.choices]).encode())
    if value is None:
        return Record(item, asked, failure=Failure("request-failed", f"no {key}"))
    if not isinstance(value, str | int | float):
        raise BadData(f"{place}: found {type(value).__name__} for {key}, expected a text")
    return Record(item, asked, response=Response(str(value)))


# ---------------------------------------------------------------- out


def write_official(
    table: BenchmarkTable, place: str, records: Iterable[Record], places: Iterable[SetFiles], out: Path
) -> list[Path]:
    """Write the answers of a run as official files: one for each set, condition and repeat.

    A row is that of the data, whole, with the reply under the key of the script; a question that was not answered has
    none, as the scripts have it.
    """
    form = table.official_file
    if form is None:
        raise UsageError(f"{place} does not say which file its own script wants; --to csv has all replies")
    answers: dict[tuple[str, int], dict[tuple[str, str], str]] = {}
    for record in records:
        replies = answers.setdefault((record.condition, record.repeat), {})
        if record.response:
            replies[record.item.task, record.item.id] = record.response.whole_text
    found = list(places)
    paths = []
    for (condition, repeat), replies in answers.items():
        for each in found:
            parts = [out.stem, *([each.name] if len(found) > 1 else []), *([condition] if condition != "plain" else [])]
            parts += [str(repeat)] if repeat else []
            path = out.with_name("-".join(parts).replace(":", "-") + f".{form.format}")
            _write_rows(path, list(_rows_with_replies(table, each, replies, form.reply)), form)
            paths.append(path)
    return paths


def _rows_with_replies(
    table: BenchmarkTable, place: SetFiles, replies: Mapping[tuple[str, str], str], key: str
) -> Iterator[dict[str, Any]]:
    for (_, row), item in zip(_whole_rows(place), items_of(place, None), strict=True):
        plain = {name: value.name if isinstance(value, Clip) else value for name, value in row.items()}
        task = item.task if item.task in table.tasks else item.task.lower()
        reply = replies.get((task, item.id))
        yield plain | ({key: reply} if reply is not None else {})


def _whole_rows(place: SetFiles) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for file in place.files:
        yield from read_records(file, column_names(file), head=place.layout.head)


def _write_rows(path: Path, rows: list[dict[str, Any]], form: OfficialFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_open(path) as file:
        if form.format == "json":
            file.write(msgspec.json.format(msgspec.json.encode(rows), indent=4))
        else:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
