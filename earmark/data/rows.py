"""Rows and cells of parquet files.

Rows are streamed and hold only the columns asked for; the sound beside them stays in the file until its cell is read.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.data.splits import CARD, SHARD, check_downloaded, check_shards, find_split
from earmark.errors import BadData

if TYPE_CHECKING:
    import duckdb

BLOCK_BYTES = 8_000_000  # cells are read this much at a time: one pass over a row group serves its neighbours too
MAX_CACHED_BLOCKS = 8

_local = threading.local()
_read_lock = threading.Lock()  # one reader of cells at a time: its neighbours wait for the very block that it fetches


def _connection() -> duckdb.DuckDBPyConnection:
    """One connection a thread; duckdb's own threads stay out of the way of the model's."""
    import duckdb  # noqa: PLC0415 - a tenth of a second that help and scoring do not owe

    if not hasattr(_local, "connection"):
        _local.connection = duckdb.connect(config={"threads": 1})
    connection: duckdb.DuckDBPyConnection = _local.connection
    return connection


def _query(path: str | Path, query: str, values: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415

    try:
        return _connection().cursor().execute(query, values)
    except duckdb.Error as error:
        message = str(error).splitlines()[0]
        raise BadData(f"{path}: cannot be read as parquet ({message}); fetch or copy the file again") from error


def parquet_files(folder: str | Path, split: str = "", config: str = "") -> list[Path]:
    """The parquet files of a split, in order (see `data/splits.py`); without a split, every one below the folder.

    A folder of one file whose name tells of no split holds that one. Raises BadData for none.
    """
    place = Path(folder).expanduser()
    every = sorted(place.rglob("*.parquet")) if place.is_dir() else []
    if every and (not split or (len(every) == 1 and not config and _is_alone(place, every[0], split))):
        for path in every:
            check_downloaded(path)
        check_shards(every)
        return every
    return list(find_split(place, split, config).files)


def _is_alone(place: Path, path: Path, split: str) -> bool:
    """True if neither a card, a folder nor its own name says that the only file belongs to another split."""
    named = re.fullmatch(r"(train|test|validation|dev)(-\d+)?", path.stem)
    is_elsewhere = path.parent not in (place, place / "data")
    others = is_elsewhere or (place / CARD).exists() or bool(SHARD.fullmatch(path.name))
    return not others and (named is None or named[1] == split)


def check_columns(path: str | Path, wanted: Mapping[str, str]) -> None:
    """Raise BadData unless the file has these columns with these types, written as duckdb writes them."""
    types = column_types(path)
    for name, kind in wanted.items():
        if name not in types:
            raise BadData(
                f"{path}: found no column '{name}', expected it with type {kind}; there are: {', '.join(types)}"
            )
        if types[name] != kind:
            raise BadData(f"{path}: column '{name}' has type {types[name]}, expected {kind}")


def column_types(path: str | Path) -> dict[str, str]:
    """The columns of a file with their types."""
    described = _query(path, "describe select * from read_parquet(?)", [str(path)]).fetchall()
    return {name: kind for name, kind, *_ in described}


def read_rows(
    path: str | Path, columns: Sequence[str], where: str = "true", values: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of one parquet file in its order: their number, counted from 0 over the file, then the columns.

    `where` is a condition in SQL with a `?` for each of `values`. Raises BadData where the file cannot be read.
    """
    chosen = ", ".join(_quote(column) for column in columns)
    rows = "read_parquet(?, file_row_number=true)"
    query = f"select file_row_number, {chosen} from {rows} where {where} order by file_row_number"  # noqa: S608 - bound
    answer = _query(path, query, [str(path), *values])
    while batch := answer.fetchmany(1024):
        yield from batch


def _quote(column: str) -> str:
    """
    >>> _quote("audio.bytes")
    '"audio"."bytes"'
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in column.split("."))


@functools.lru_cache(maxsize=256)
def _rows_per_block(path: str, column: str) -> int:
    query = "select sum(total_uncompressed_size), sum(num_values) from parquet_metadata(?) where path_in_schema = ?"
    size, rows_there = _query(path, query, [path, column.replace(".", ", ")]).fetchall()[0]
    if not rows_there:
        raise BadData(f"{path}: found no column '{column}' with sound in it")
    return max(1, min(128, int(BLOCK_BYTES / max(1.0, float(size) / float(rows_there)))))


@functools.lru_cache(maxsize=MAX_CACHED_BLOCKS)
def _block(path: str, column: str, number: int, size: int) -> list[bytes | None]:
    first = number * size
    rows = "read_parquet(?, file_row_number=true) where file_row_number between ? and ?"
    query = f"select {_quote(column)} from {rows} order by file_row_number"  # noqa: S608 - names are quoted
    return [cell for (cell,) in _query(path, query, [path, first, first + size - 1]).fetchall()]


def read_cell(path: str, column: str, row: int) -> bytes | None:
    """The bytes in one cell, and nothing where it is null or not there. Rows count from 0 over the whole file."""
    with _read_lock:
        per_block = _rows_per_block(path, column)
        block = _block(path, column, row // per_block, per_block)
    position = row % per_block
    return block[position] if position < len(block) else None
