"""Rows of every form, and what is wrong with them in one line."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import duckdb
import pytest
from table_data import put, put_parquet, put_tar, put_zip, wav

from earmark.data.archives import find_member
from earmark.data.clips import read_clip
from earmark.data.records import read_records
from earmark.errors import BadData
from earmark.types import Clip


def rows(path: Path, *columns: str, **options: Any) -> list[tuple[int, dict[str, Any]]]:
    return [(number, dict(row)) for number, row in read_records(path, columns, **options)]


def test_types_are_kept(tmp_path: Path) -> None:
    file = put(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1, "b": [true, null, "x", 1.5]}\r\n\r\n{"a": "1"}\r\n')
    assert rows(file) == [(1, {"a": 1, "b": [True, None, "x", 1.5]}), (3, {"a": "1"})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'[{"a": 1}]', [(1, {"a": 1})]),
        (b'{"x": {"a": 1}, "y": {"a": 2}}', [(1, {"$key": "x", "a": 1}), (2, {"$key": "y", "a": 2})]),
        (b'{"version": 3, "data": [{"a": 1}], "names": ["b"]}', [(1, {"a": 1})]),
    ],
)
def test_json_comes_in_three_shapes(tmp_path: Path, text: bytes, expected: Any) -> None:
    assert rows(put(tmp_path / "a.json", text)) == expected


def test_a_table_of_text_has_a_head_or_numbers(tmp_path: Path) -> None:
    file = put(tmp_path / "a.csv", '\ufeffid,text\r\n1,"two\r\nlines, ""quoted"""\r\n\r\n2,x\r\n'.encode())
    assert [row for _, row in rows(file, "id", "text")] == [
        {"id": "1", "text": 'two\r\nlines, "quoted"'},
        {"id": "2", "text": "x"},
    ]
    plain = put(tmp_path / "a.tsv", b'7\ta "quote\n8\tb\n')
    assert rows(plain, "0", head=False) == [(1, {"0": "7", "1": 'a "quote'}), (2, {"0": "8", "1": "b"})]


def test_lines_of_a_name_and_a_text(tmp_path: Path) -> None:
    file = put(tmp_path / "1-2.trans.txt", b"1-2-0000 HELLO WORLD\n1-2-0001 \n\n")
    assert rows(file) == [(1, {"0": "1-2-0000", "1": "HELLO WORLD"}), (2, {"0": "1-2-0001", "1": ""})]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": ', r"a\.jsonl, line 2: no JSON .* may be cut off"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', r"line 2: found \[1\], expected an object"),
        ("a.jsonl", b'{"a": NaN}\n', "line 1: no JSON"),
        ("a.jsonl", b'{"a": "\xff"}\n', "line 1: no JSON"),
        ("a.json", b'{"a": 1}', "expected a list of rows"),
        ("a.json", b"[1]", "row 1: found 1, expected an object"),
        ("a.json", b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        ("a.csv", b"id,text\n1\n", "line 2: found 1 cells, expected 2"),
        ("a.csv", b"id\n1\n", "found no column 'text'; there are: id"),
        ("a.csv", b'id,text\n1,"x\n', "no table of text"),
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.xml", b"", "rows are read from .parquet"),
    ],
)
def test_what_is_no_row_is_one_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(BadData, match=message) as error:
        rows(put(tmp_path / name, data), "text")
    assert "\n" not in str(error.value)


def test_sound_in_parquet_is_a_reference_to_its_cell(tmp_path: Path) -> None:
    file = put_parquet(tmp_path / "a.parquet", [{"id": 1}, {"id": 2}])
    found = [row["audio"] for _, row in rows(file, "id", "audio")]
    assert [clip.row for clip in found] == [0, 1]
    assert [read_clip(clip)[0] for clip in found] == [wav(400), wav(401)]


@pytest.mark.parametrize("struct", ["{'path': 'x.wav', 'bytes': ?::BLOB}", "{'bytes': ?::BLOB, 'path': 'x.wav'}"])
def test_the_fields_of_sound_come_in_either_order(tmp_path: Path, struct: str) -> None:
    duckdb.execute(f"copy (select {struct} as audio) to '{tmp_path / 'a.parquet'}' (format parquet)", [wav()])
    ((_, row),) = rows(tmp_path / "a.parquet", "audio")
    assert (row["audio"].name, read_clip(row["audio"])[0]) == ("x.wav", wav())


def test_sound_without_a_path_is_named_by_its_file_and_row(tmp_path: Path) -> None:
    """Items of one name of sound count as one recording: rows 1 of two files are not."""
    for name in ("a", "b"):
        query = "select {'bytes': ?::BLOB, 'path': null::VARCHAR} as audio"
        duckdb.execute(f"copy ({query}) to '{tmp_path / name}.parquet' (format parquet)", [wav()])
    found = {rows(tmp_path / f"{name}.parquet", "audio")[0][1]["audio"].name for name in ("a", "b")}
    assert found == {"a.parquet, row 1", "b.parquet, row 1"}


def test_a_path_counts_where_no_cell_has_bytes(tmp_path: Path) -> None:
    query = "select {'bytes': null::BLOB, 'path': 'x.wav'} as audio"
    duckdb.execute(f"copy ({query}) to '{tmp_path / 'a.parquet'}' (format parquet)")
    assert rows(tmp_path / "a.parquet", "audio") == [(1, {"audio": "x.wav"})]


def test_a_million_lines_take_no_memory(tmp_path: Path) -> None:
    file = put(tmp_path / "a.jsonl", b'{"id": 1, "question": "Which of these is it?"}\n' * 200_000)
    tracemalloc.start()
    assert sum(1 for _ in read_records(file, ["id"])) == 200_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000 < file.stat().st_size


# ---------------------------------------------------------------- archives


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))


def test_members_of_a_zip_are_read_in_place_and_a_tar_is_unpacked_once(tmp_path: Path) -> None:
    members = {"audio/a.wav": wav(1), "audio/b.wav": wav(2)}
    for archive in (put_zip(tmp_path / "a.zip", members), put_tar(tmp_path / "a.tar.gz", members)):
        clip = find_member(archive, "audio/b.wav")
        assert clip is not None
        assert read_clip(clip)[0] == wav(2)
        assert find_member(archive, "audio/c.wav") is None
    assert find_member(tmp_path / "none.zip", "x") is None
    (done,) = (tmp_path / "cache/unpacked").glob("*.done")
    assert done.exists()


def test_unpacking_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    archive = put_tar(tmp_path / "a.tar", {"a.wav": wav(1), "b.wav": wav(2)})
    clip = find_member(archive, "a.wav")
    assert isinstance(clip, Clip)
    folder = Path(clip.path).parent
    folder.with_name(f"{folder.name}.done").unlink()
    (folder / "b.wav").unlink()
    from earmark.data.archives import unpack_tar  # its memory is that of one process

    unpack_tar.cache_clear()
    again = find_member(archive, "b.wav")
    assert again is not None
    assert read_clip(again)[0] == wav(2)


def hostile(path: Path, kind: str) -> Path:
    """An archive that no benchmark has."""
    import io
    import tarfile

    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo({"climbs": "../../x.wav", "is absolute": "/outside/x.wav"}.get(kind, "x.wav"))
        data = bytes(50_000_000) if kind == "is a bomb" else b"x"
        info.size = len(data)
        if kind in ("is a link", "is a hard link", "is a device"):
            info.type = {
                "is a link": tarfile.SYMTYPE,
                "is a hard link": tarfile.LNKTYPE,
                "is a device": tarfile.CHRTYPE,
            }[kind]
            info.size, info.linkname = 0, "/etc/passwd"
        for _ in range(2 if kind == "stands twice" else 1):
            archive.addfile(info, io.BytesIO(data) if info.isfile() else None)
    return path


@pytest.mark.parametrize(
    "kind",
    ["climbs", "is absolute", "is a link", "is a hard link", "is a device", "stands twice", "is a bomb"],
)
def test_a_hostile_archive_is_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(BadData, match="refused"):
        find_member(hostile(tmp_path / "a.tar.gz", kind), "x.wav")
    assert not list((tmp_path / "cache/unpacked").glob("*.done"))
    assert not (tmp_path / "x.wav").exists()


def test_a_damaged_archive_is_told(tmp_path: Path) -> None:
    for name in ("a.zip", "a.tar.gz"):
        with pytest.raises(BadData, match="a damaged archive"):
            find_member(put(tmp_path / name, b"\x1f\x8b nothing"), "x.wav")
