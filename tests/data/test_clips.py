"""What names a recording."""

from __future__ import annotations

import zipfile
from pathlib import Path

import duckdb
import pytest

from earmark.data.clips import read_clip, source_digest
from earmark.errors import AudioError
from earmark.types import Clip


def test_two_columns_of_one_row_are_two_recordings(tmp_path: Path) -> None:
    file = str(tmp_path / "pairs.parquet")
    one, two = ("struct_pack(bytes := 'first'::blob)", "struct_pack(bytes := 'second'::blob)")
    duckdb.connect().execute(f"copy (select {one} as a, {two} as b) to '{file}'")
    first, second = (Clip(file, 0, column) for column in ("a.bytes", "b.bytes"))
    assert len({source_digest(first), source_digest(second)}) == 2
    assert source_digest(first) == source_digest(Clip(file, 0, "a.bytes", name="the same, later"))


def test_a_damaged_member_of_an_archive_is_a_sound_failure_by_name(tmp_path: Path) -> None:
    path = tmp_path / "clips.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.wav", bytes(range(256)) * 200)
    data = bytearray(path.read_bytes())
    data[50:80] = b"\xff" * 30  # within what is deflated
    path.write_bytes(data)
    with pytest.raises(AudioError, match=r"a\.wav: cannot be read"):
        read_clip(Clip(str(path), member="a.wav", name="a.wav"))
