"""Rows and cells of parquet files.

Rows are streamed and hold only the columns asked for; the sound beside them stays in the file until its cell is read.
"""

from __future__ import annotations

import functools
import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from earmark.data.splits import CARD, SHARD, check_downloaded, check_shards, find_split
from earmark.errors import BadData, alternatives

if TYPE_CHECKING:
    import duckdb

BLOCK_BYTES = 8_000_000  # cells are read this much at a time, for whoever wants their neighbours next,
MAX_BLOCK_ROWS = 128  # and so many at most
MAX_CACHED_BLOCKS = 8  # of each column,
MAX_OPEN_READERS = 4  # of the last few that were read

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
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: Exception) -> BadData:
    message = str(error).splitlines()[0]
    return BadData(f"{path}: cannot be read as parquet ({message}); fetch or copy the file again")


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
            raise BadData(f"{path}: found no column '{name}', expected it with type {kind}{alternatives(name, types)}")
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
    chosen = "".join(f", {_quote(column)}" for column in columns)
    rows = "read_parquet(?, file_row_number=true)"
    query = f"select file_row_number{chosen} from {rows} where {where} order by file_row_number"  # noqa: S608 - bound
    answer = _query(path, query, [str(path), *values])
    while batch := answer.fetchmany(1024):
        yield from batch


def _quote(column: str) -> str:
    """
    >>> _quote("audio.bytes")
    '"audio"."bytes"'
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in column.split("."))


class _Layout(NamedTuple):
    """Rows of a file as they are read: in blocks, which several row groups hold."""

    per_block: int
    group_starts: tuple[int, ...]  # first row of each row group

    def group_of(self, row: int) -> int:
        return bisect_right(self.group_starts, row)


@functools.lru_cache(maxsize=256)
def _layout(path: str, column: str) -> _Layout:
    query = (
        "select total_uncompressed_size, num_values, row_group_num_rows from parquet_metadata(?) "
        "where path_in_schema = ? order by row_group_id"
    )
    groups = _query(path, query, [path, column.replace(".", ", ")]).fetchall()
    size, cells = sum(group[0] for group in groups), sum(group[1] for group in groups)
    if not cells:
        raise BadData(f"{path}: found no column '{column}' with sound in it")
    per_block = max(1, min(MAX_BLOCK_ROWS, int(BLOCK_BYTES / max(1.0, size / cells))))
    return _Layout(per_block, tuple(accumulate((group[2] for group in groups), initial=0))[:-1])


class CellReader:
    """Reads the cells of one column block by block: by one query that goes on as long as they are wanted in order.

    A query starts at the beginning of a row group, wherever in it the first row lies, so another one is made only for
    a block before the last, or in a later row group. Not safe for several threads at once.
    """

    def __init__(self, path: str, column: str) -> None:
        self._path, self._column = path, column
        self._layout = _layout(path, column)
        self._answer: duckdb.DuckDBPyConnection | None = None
        self._next = 0  # number of the block that the query gives next
        self._blocks: dict[int, list[bytes | None]] = {}  # the last few, the oldest first

    def read(self, row: int) -> bytes | None:
        """The bytes of a cell; None if it is null or not there."""
        number, position = divmod(row, self._layout.per_block)
        if number not in self._blocks:
            self._read_to(number)
        block = self._blocks[number]
        return block[position] if position < len(block) else None

    def _read_to(self, number: int) -> None:
        """Read the blocks up to one; those on the way may be wanted by another thread, and are kept too."""
        rows = self._layout.per_block
        if self._answer is None or number < self._next or self._is_far(number):
            column = _quote(self._column)
            rows_from = "read_parquet(?, file_row_number=true) where file_row_number >= ?"
            query = f"select {column} from {rows_from}"  # noqa: S608 - the name is quoted
            self._answer, self._next = _query(self._path, query, [self._path, number * rows]), number
        while self._next <= number:
            self._blocks[self._next] = [cell for (cell,) in self._fetch(self._answer, rows)]
            self._next += 1
            if len(self._blocks) > MAX_CACHED_BLOCKS:
                del self._blocks[next(iter(self._blocks))]

    def _is_far(self, number: int) -> bool:
        rows = self._layout.per_block
        return number > self._next and self._layout.group_of(number * rows) > self._layout.group_of(self._next * rows)

    def _fetch(self, answer: duckdb.DuckDBPyConnection, rows: int) -> list[tuple[bytes | None]]:
        import duckdb  # noqa: PLC0415

        try:
            return answer.fetchmany(rows)
        except duckdb.Error as error:
            raise _unreadable(self._path, error) from error


_open_reader = functools.lru_cache(maxsize=MAX_OPEN_READERS)(CellReader)


def read_cell(path: str, column: str, row: int) -> bytes | None:
    """The bytes in one cell, and nothing where it is null or not there. Rows count from 0 over the whole file."""
    with _read_lock:
        return _open_reader(path, column).read(row)
