"""Rows and cells of parquet: in their order, by their number, and one line for what is wrong with a file."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from earmark.data import rows
from earmark.data.rows import check_columns, parquet_files, read_cell, read_rows
from earmark.errors import BadData

QUERY = (
    "select range as id, 'text ' || range as text, {{'bytes': repeat('x', 1 + range)::blob}} as audio from range({})"
)


def parquet(path: Path, rows: int = 5, *, query: str = QUERY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.connect().execute(f"copy ({query.format(rows)}) to '{path}' (format parquet, row_group_size 2048)")
    return path


def test_rows_come_in_the_order_of_the_file_with_their_number(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", 5000)
    read = list(read_rows(file, ("id", "text")))
    assert read == [(at, at, f"text {at}") for at in range(5000)]
    some = list(read_rows(file, ("text",), "id % 1000 = ? and id > ?", (7, 1000)))
    assert some == [(at, f"text {at}") for at in (1007, 2007, 3007, 4007)], "numbers count over the whole file"


def test_a_cell_is_found_by_its_row_and_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    file = str(parquet(tmp_path / "a.parquet", 300))
    for row in (0, 127, 128, 299):
        assert read_cell(file, "audio.bytes", row) == b"x" * (1 + row)
    assert read_cell(file, "audio.bytes", 300) is None
    empty = parquet(tmp_path / "null.parquet", query="select {{'bytes': null::blob}} as audio from range({})")
    assert read_cell(str(empty), "audio.bytes", 0) is None


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet")
    with pytest.raises(BadData, match=r"found no column 'audio\.path' with sound in it"):
        read_cell(str(file), "audio.path", 0)
    check_columns(file, {"id": "BIGINT", "text": "VARCHAR"})
    with pytest.raises(BadData, match=r"found no column 'label', expected it with type VARCHAR; there are: id, text"):
        check_columns(file, {"label": "VARCHAR"})
    with pytest.raises(BadData, match="column 'id' has type BIGINT, expected VARCHAR"):
        check_columns(file, {"id": "VARCHAR"})


def test_a_file_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(b"no parquet")
    for read in (lambda: list(read_rows(file, ("id",))), lambda: check_columns(file, {})):
        with pytest.raises(BadData, match=r"a\.parquet: cannot be read as parquet") as told:
            read()
        assert "\n" not in str(told.value)


def test_a_name_is_a_name_whatever_is_in_it(tmp_path: Path) -> None:
    odd = 'select range as "a ""quoted"" name", range as "select" from range({})'
    file = parquet(tmp_path / "odd.parquet", 3, query=odd)
    assert list(read_rows(file, ('a "quoted" name', "select"))) == [(0, 0, 0), (1, 1, 1), (2, 2, 2)]


def test_files_are_those_of_the_split_in_order_of_name(tmp_path: Path) -> None:
    for name in ("test-00001-of-00002", "test-00000-of-00002", "train-00000-of-00001"):
        parquet(tmp_path / "data" / f"{name}.parquet", 1)
    assert [path.stem for path in parquet_files(tmp_path, "test")] == ["test-00000-of-00002", "test-00001-of-00002"]
    assert len(parquet_files(tmp_path)) == 3
    assert parquet_files(tmp_path / "data" / "train-00000-of-00001.parquet", "train")[0].stem.startswith("train")
    with pytest.raises(BadData, match="expected files of the split 'dev'"):
        parquet_files(tmp_path, "dev")


def test_a_part_that_lacks_is_named_and_one_file_alone_is_taken(tmp_path: Path) -> None:
    file = parquet(tmp_path / "test-00000-of-00002.parquet", 1)
    with pytest.raises(BadData, match=r"expected test-00001-of-00002\.parquet beside it"):
        parquet_files(tmp_path)
    assert parquet_files(file) == [file]


def test_a_folder_without_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="nowhere: no such folder; give data=FOLDER"):
        parquet_files(tmp_path / "nowhere")
    with pytest.raises(BadData, match="found no parquet file"):
        parquet_files(tmp_path)


CELLS = 5000  # in row groups of 2048, which blocks of 128 straddle


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that read cells, from now on."""
    made: list[str] = []
    query = rows._query

    def count(path: str, text: str, values: Sequence[Any] = ()) -> Any:
        made.extend([text] if "parquet_metadata" not in text else [])
        return query(path, text, values)

    monkeypatch.setattr(rows, "_query", count)
    return made


def cells_of(tmp_path: Path) -> str:
    return str(parquet(tmp_path / "cells.parquet", CELLS, query=QUERY.replace("1 + range", "1 + range % 50")))


def wanted(row: int) -> bytes:
    return b"x" * (1 + row % 50)


def test_cells_in_order_take_one_query(tmp_path: Path, queries: list[str]) -> None:
    file = cells_of(tmp_path)
    assert [read_cell(file, "audio.bytes", row) for row in range(CELLS)] == [wanted(row) for row in range(CELLS)]
    assert len(queries) == 1


def test_who_goes_back_takes_a_query_a_block(tmp_path: Path, queries: list[str]) -> None:
    file = cells_of(tmp_path)
    backwards = range(CELLS - 1, -1, -1)
    assert [read_cell(file, "audio.bytes", row) for row in backwards] == [wanted(row) for row in backwards]
    assert len(queries) == CELLS // 128 + 1


def test_a_query_goes_on_within_a_row_group_and_skips_others(tmp_path: Path, queries: list[str]) -> None:
    file = cells_of(tmp_path)
    for row, n_queries in [
        (10, 1),
        (1900, 1),
        (1800, 1),
        (700, 2),
        (1950, 2),
        (4500, 3),
        (4990, 3),
        (100, 4),
        (4999, 5),
    ]:
        assert read_cell(file, "audio.bytes", row) == wanted(row)
        assert len(queries) == n_queries, row


def test_threads_that_read_at_random_get_the_same_cells(tmp_path: Path) -> None:
    file = cells_of(tmp_path)

    def read(seed: int) -> bool:
        chosen = random.Random(seed).choices(range(CELLS), k=150)
        return all(read_cell(file, "audio.bytes", row) == wanted(row) for row in chosen)

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(read, range(2)))


def test_a_block_holds_as_many_cells_as_fit(tmp_path: Path) -> None:
    large = QUERY.replace("repeat('x', 1 + range)", "repeat(md5(range::varchar), 46875)")
    file = str(parquet(tmp_path / "large.parquet", 12, query=large))
    reader = rows.CellReader(file, "audio.bytes")
    for row in range(12):
        assert reader.read(row) == hashlib.md5(str(row).encode()).hexdigest().encode() * 46_875  # noqa: S324
    assert reader._layout.per_block < 12
    assert len(reader._blocks) <= rows.MAX_CACHED_BLOCKS
