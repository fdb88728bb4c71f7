"""Files that may be read and written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from earmark.data.regular import check_folder, check_regular, read_lines
from earmark.errors import BadData


def test_fifos_and_devices_are_refused_and_missing_files_are_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BadData, match="found a FIFO"):
        check_regular(tmp_path / "fifo")
    with pytest.raises(BadData, match="found a device"):
        check_regular("/dev/null")
    check_regular(tmp_path / "missing")


def test_a_link_within_a_folder_may_be_read_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "run" / "inner").mkdir(parents=True)
    (tmp_path / "run" / "link").symlink_to("inner")
    check_folder(tmp_path / "run")
    with pytest.raises(BadData, match="link: is a link to inner"):
        check_folder(tmp_path / "run", writing=True)
    (tmp_path / "run" / "out").symlink_to(tmp_path)
    with pytest.raises(BadData, match="is a link to"):
        check_folder(tmp_path / "run")


def test_a_line_has_a_largest_length(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"abc\nabcdef\nrest")
    assert [*read_lines(tmp_path / "lines", 7)] == [b"abc\n", b"abcdef\n", b"rest"]
    with pytest.raises(BadData, match="line 2: is longer than 6 bytes"):
        [*read_lines(tmp_path / "lines", 6)]
