"""Files that are there whole or not at all."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

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
