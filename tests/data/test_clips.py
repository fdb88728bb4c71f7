"""What names a recording."""

from __future__ import annotations

from pathlib import Path

import duckdb

from earmark.data.clips import source
from earmark.types import Clip


def test_two_columns_of_one_row_are_two_recordings(tmp_path: Path) -> None:
    file = str(tmp_path / "pairs.parquet")
    one, two = ("struct_pack(bytes := 'first'::blob)", "struct_pack(bytes := 'second'::blob)")
    duckdb.connect().execute(f"copy (select {one} as a, {two} as b) to '{file}'")
    first, second = (Clip(file, 0, column) for column in ("a.bytes", "b.bytes"))
    assert len({source(first), source(second)}) == 2
    assert source(first) == source(Clip(file, 0, "a.bytes", name="the same, later"))
