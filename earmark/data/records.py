"""One reader of rows: parquet, JSON, JSONL, CSV and TSV, each row a mapping of columns with the types of its file.

    parquet   rows are streamed; a cell with sound in it becomes a clip that refers to the cell, and is not read
    JSON      a list of objects, an object of objects by id (the id is the column `$key`), or an object with one list
    JSONL     an object a line, a line at a time; blank lines are nothing
    text      lines of a name and a text after a blank, as in LibriSpeech's `.trans.txt`: columns "0" and "1"
    CSV, TSV  with a head, or without one and then with columns "0", "1", ...

Rows count from 1 in messages, as lines do. Raises BadData with file and row for what cannot be read.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from earmark.data.regular import read_lines
from earmark.data.rows import _query, read_rows
from earmark.data.splits import check_downloaded
from earmark.errors import BadData, alternatives
from earmark.types import Clip

FORMATS: Final = (".parquet", ".json", ".jsonl", ".csv", ".tsv", ".txt")
MAX_CELL: Final = 10_000_000  # characters of a cell of a CSV file
Row = tuple[int, Mapping[str, Any]]


def read_records(path: Path, columns: Sequence[str], *, head: bool = True) -> Iterator[Row]:
    """The rows of a file in its order: their number from 1, and their columns, those of `columns` at least.

    A column that a row does not have is left out; one that no row of a table can have is an error.
    """
    check_downloaded(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _parquet_records(path, columns)
    if suffix == ".json":
        return _json_records(path)
    if suffix == ".jsonl":
        return _jsonl_records(path)
    if suffix == ".txt":
        return _text_records(path)
    if suffix in (".csv", ".tsv"):
        return _csv_records(path, columns, "\t" if suffix == ".tsv" else ",", head=head)
    raise BadData(f"{path}: rows are read from {', '.join(FORMATS)}, not from {suffix or 'a file without a suffix'}")


def column_names(path: Path) -> list[str]:
    """The columns of a parquet file, to read all of them; nothing for other files, whose rows are read whole."""
    if path.suffix.lower() != ".parquet":
        return []
    check_downloaded(path)
    return [name for name, *_ in _query(path, "describe select * from read_parquet(?)", [str(path)]).fetchall()]


def _parquet_records(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    described = _query(path, "describe select * from read_parquet(?)", [str(path)]).fetchall()
    types = {name: kind for name, kind, *_ in described}
    types |= {
        name: "VARCHAR" for name in columns if name not in types and name.partition(".")[0] in types
    }  # of a struct
    _check_names(path, columns, types)
    wanted: list[str] = []
    for column in columns:
        kind = types[column]
        wanted.append(f"{column}.path" if _has_sound(kind) and "path " in kind else column)
    plain = [name for name, column in zip(wanted, columns, strict=True) if types[column] != "BLOB"]
    with_bytes = {column for column in columns if _has_sound(types[column]) and _has_bytes(path, column, types[column])}
    with_path = [column for column in with_bytes if "path " in types[column]]
    rows_by_path = {column: rows for column in with_path if (rows := _rows_without_bytes(path, column))}
    for number, *values in read_rows(path, plain):
        by_column = dict(zip(plain, values, strict=True))
        row: dict[str, Any] = {}
        for name, column in zip(wanted, columns, strict=True):
            value = by_column.get(name)
            if column in with_bytes and number not in rows_by_path.get(column, ()):
                cell = column if types[column] == "BLOB" else f"{column}.bytes"
                value = Clip(str(path), number, cell, name=value or f"{path.name}, row {number + 1}")
            row[column] = value
        yield number + 1, row


def _has_sound(kind: str) -> bool:
    """True for the type of a column of sound: bytes, alone or in a struct, in whatever order its fields come."""
    return kind == "BLOB" or (kind.startswith("STRUCT(") and "bytes" in kind and kind.count("BLOB") == 1)


def _has_bytes(path: Path, column: str, kind: str) -> bool:
    """True if the cells of a column hold their sound; False where they hold a path only."""
    inside = column if kind == "BLOB" else f"{column}, bytes"
    query = "select sum(num_values - coalesce(stats_null_count, 0)) from parquet_metadata(?) where path_in_schema = ?"
    return bool(_query(path, query, [str(path), inside]).fetchall()[0][0])


def _rows_without_bytes(path: Path, column: str) -> frozenset[int]:
    """Numbers of the rows, from 0, whose sound is named by its path alone; nothing is read where there are none."""
    query = "select sum(coalesce(stats_null_count, 1)) from parquet_metadata(?) where path_in_schema = ?"
    if not _query(path, query, [str(path), f"{column}, bytes"]).fetchall()[0][0]:
        return frozenset()
    name = column.replace('"', '""')
    return frozenset(number for (number,) in read_rows(path, [], f'"{name}".bytes is null'))


def _check_names(path: Path, columns: Sequence[str], known: Mapping[str, object]) -> None:
    if missing := next((column for column in columns if column not in known), None):
        raise BadData(f"{path}: found no column '{missing}'{alternatives(missing, known)}")


def _json_records(path: Path) -> Iterator[Row]:
    try:
        content = msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: no JSON ({error}); fetch or copy it again") from error
    rows = content
    if isinstance(content, dict):
        lists = [
            value for value in content.values() if isinstance(value, list) and value and isinstance(value[0], dict)
        ]
        if content and all(isinstance(value, dict) for value in content.values()):
            rows = [{"$key": key} | value for key, value in content.items()]
        elif len(lists) == 1:
            rows = lists[0]
    if not isinstance(rows, list):
        raise BadData(f"{path}: expected a list of rows, an object of rows by id, or an object with one list of rows")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise BadData(f"{path}, row {number}: found {json.dumps(row)[:80]}, expected an object")
        yield number, row


def _jsonl_records(path: Path) -> Iterator[Row]:
    for number, line in enumerate(read_lines(path), start=1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        try:
            row = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            cut = "" if line.endswith(b"\n") else ", which is the last and may be cut off"
            raise BadData(f"{path}, line {number}: no JSON ({error}){cut}") from error
        if not isinstance(row, dict):
            raise BadData(f"{path}, line {number}: found {text[:80].decode(errors='replace')}, expected an object")
        yield number, row


def _text_records(path: Path) -> Iterator[Row]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                name, _, text = line.strip().partition(" ")
                if name:
                    yield number, {"0": name, "1": text.strip()}
    except UnicodeDecodeError as error:
        raise BadData(f"{path}: no text in UTF-8 ({error})") from error


def _csv_records(path: Path, columns: Sequence[str], delimiter: str, *, head: bool) -> Iterator[Row]:
    csv.field_size_limit(MAX_CELL)
    quoting: Literal[0, 3] = (
        csv.QUOTE_MINIMAL if head else csv.QUOTE_NONE
    )  # tables without a head are plain columns of text
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, quoting=quoting, strict=True)
            names = next(reader, []) if head else []
            if head:
                _check_names(path, columns, dict.fromkeys(names))
                if twice := next((name for name in names if names.count(name) > 1), ""):
                    raise BadData(f"{path}: the column '{twice}' stands twice in its head; give each its own name")
            for cells in reader:
                if not cells:
                    continue
                names = names if head else [str(index) for index in range(len(cells))]
                if len(cells) != len(names):
                    raise BadData(f"{path}, line {reader.line_num}: found {len(cells)} cells, expected {len(names)}")
                yield reader.line_num, dict(zip(names, cells, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadData(f"{path}: no table of text ({error})") from error


def text_of(value: Any) -> str:
    """A cell as text: numbers and booleans as JSON writes them, nothing for null. Raises ValueError for anything else.

    >>> text_of(True), text_of(3), text_of(2.0), text_of("x"), text_of(None)
    ('true', '3', '2.0', 'x', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and math.isnan(value):
        raise ValueError("found no number (NaN), expected a text")
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"found {type(value).__name__} {str(value)[:80]!r}, expected a text")
