"""Files that are there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from earmark.data import cache
from earmark.data.cache import atomic_open, atomic_write


def test_threads_write_the_same_file_at_once(tmp_path: Path) -> None:
    """As two questions of one user do that need the same clip coded."""
    meeting = threading.Barrier(4, timeout=30)

    def written(_: int) -> None:
        with atomic_open(tmp_path / "clip") as file:
            meeting.wait()
            file.write(b"sound" * 10_000)
            meeting.wait()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(written, range(4)))
    assert (tmp_path / "clip").read_bytes() == b"sound" * 10_000
    assert [path.name for path in tmp_path.iterdir()] == ["clip"]


def test_what_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    atomic_write(tmp_path / "table", b"before")

    def broken_off() -> None:
        with atomic_open(tmp_path / "table") as file:
            file.write(b"half")
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        broken_off()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"table": b"before"}


def large_file(path: Path, byte: bytes = b"a") -> Path:
    """A file that is worth remembering, last changed long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(byte * cache.LARGE)
    os.utime(path, ns=(10**18, 10**18))
    return path


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that are read for a digest, by a process that has an empty cache and remembers nothing."""
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    paths: list[str] = []
    read = cache._read_sha256

    def noted(path: str) -> str:
        paths.append(path)
        return read(path)

    monkeypatch.setattr(cache, "_read_sha256", noted)
    return paths


def later_digest(path: Path) -> str:
    """Digest of a file in a process that starts later."""
    cache._sha256.cache_clear()
    return cache.sha256_file(path)


def test_a_large_file_is_read_once_whatever_process_asks(tmp_path: Path, reads: list[str]) -> None:
    file = large_file(tmp_path / "a.parquet")
    first = later_digest(file)
    assert first == hashlib.sha256(b"a" * cache.LARGE).hexdigest()
    assert (later_digest(file), reads) == (first, [str(file)])


def test_a_file_that_was_changed_or_replaced_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    file = large_file(tmp_path / "a.parquet")
    before = later_digest(file)
    with file.open("r+b") as changed:
        changed.write(b"b")
    os.utime(file, ns=(10**18, 2 * 10**18))
    assert later_digest(file) != before
    other = large_file(tmp_path / "b.parquet", b"c")  # same size and time, another inode
    os.utime(other, ns=(10**18, 2 * 10**18))
    other.replace(file)
    assert later_digest(file) == hashlib.sha256(b"c" * cache.LARGE).hexdigest()
    assert len(reads) == 3


def test_a_file_that_was_written_just_now_is_not_remembered(tmp_path: Path, reads: list[str]) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(b"a" * cache.LARGE)
    later_digest(file)
    later_digest(file)
    assert len(reads) == 2
