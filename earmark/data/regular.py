"""Files that may be read and written: no FIFO or device, which may never end, and no link out of a run folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from earmark.errors import BadData

KINDS: Final = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
MAX_LINE_BYTES: Final = 64 << 20  # of a line of JSON: an answer of 16 MiB takes less, however it is escaped


def check_regular(path: str | Path) -> None:
    """Raise BadData for what is no ordinary file or folder; a file that is missing is another matter."""
    try:
        kind = stat.S_IFMT(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return
    if kind in KINDS:
        raise BadData(f"{path}: found {KINDS[kind]}, expected a file; remove it, or give another folder")


def check_folder(folder: Path, *, writing: bool = False) -> None:
    """Check that a folder from anywhere holds files and folders alone, so that what is read and written stays in it.

    A link within the folder may be read, and not be written. Raises BadData.
    """
    for entry in _entries(str(folder)):
        path = Path(entry.path)
        if entry.is_symlink():
            if writing or not path.resolve().is_relative_to(folder.resolve()):
                raise BadData(
                    f"{path}: is a link to {path.readlink()}, expected a file of the run; put a copy of the file there"
                )
        elif not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            check_regular(path)


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)
    except (FileNotFoundError, NotADirectoryError):
        return


def read_lines(path: Path, limit: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """Yield the lines of a file, none longer than a limit. Raises BadData for a longer one, and for no file at all."""
    check_regular(path)
    with path.open("rb") as file:
        number = 0
        while line := file.readline(limit + 1):
            number += 1
            if len(line) > limit:
                raise BadData(f"{path}, line {number}: is longer than {limit:,} bytes, expected a line of JSON")
            yield line
