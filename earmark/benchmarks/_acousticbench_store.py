"""Store of AcousticBench's questions and clips: a folder, or its Zip64 archive, read without unpacking.

An archive is looked through before anything is read from it. Members that would leave the folder they were unpacked
into, links, what is encrypted or there twice, and bombs (too large, or packed too well to be sound) are refused by
name. In a folder, a path that leads out of it, by dots or by a link, is refused likewise.
"""

from __future__ import annotations

import functools
import stat
import zipfile
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from msgspec import Struct

from earmark.data.clips import DAMAGED_ARCHIVE_ERRORS
from earmark.data.regular import check_regular
from earmark.errors import BadData
from earmark.types import Clip

MAX_MEMBER_BYTES: Final = 1 << 30  # bytes of one member
MAX_TOTAL_BYTES: Final = 256 << 30  # bytes of all of them
SMALL_MEMBER_BYTES: Final = 8 << 20  # bytes that may be packed as well as they like
MAX_COMPRESSION_RATIO: Final = 200  # unpacked by packed: wav of speech and tones packs to a half or a tenth
QUESTIONS: Final = "questions"


class Store(Protocol):
    """A place that holds files by name."""

    @property
    def path(self) -> Path: ...
    def tasks(self) -> tuple[str, ...]:
        """The stems of questions/*.jsonl."""
        ...

    def has(self, name: str) -> bool: ...
    def read(self, name: str) -> bytes: ...
    def clip(self, name: str) -> Clip: ...


class FolderStore(Struct, frozen=True):
    """A folder on disk."""

    path: Path

    def tasks(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in (self.path / QUESTIONS).glob("*.jsonl")))

    def has(self, name: str) -> bool:
        return self._path(name).is_file()

    def read(self, name: str) -> bytes:
        try:
            check_regular(self._path(name))
            return self._path(name).read_bytes()
        except OSError as error:
            raise BadData(f"{self.path / name}: cannot be read ({error.strerror})") from error

    def clip(self, name: str) -> Clip:
        return Clip(str(self._path(name)), name=name)

    def _path(self, name: str) -> Path:
        path = self.path / name
        if _escapes(name) or not path.resolve().is_relative_to(self.path.resolve()):
            raise BadData(f"{self.path}: '{name}' lies outside the folder; expected a path such as clips/0001a.wav")
        return path


class ArchiveStore(Struct, frozen=True):
    """A zip archive, looked through."""

    path: Path
    zip: zipfile.ZipFile
    names: frozenset[str]

    def tasks(self) -> tuple[str, ...]:
        paths = map(PurePosixPath, self.names)
        return tuple(sorted(path.stem for path in paths if path.suffix == ".jsonl" and str(path.parent) == QUESTIONS))

    def has(self, name: str) -> bool:
        return name in self.names

    def read(self, name: str) -> bytes:
        try:
            return self.zip.read(name)
        except KeyError as error:
            raise BadData(f"{self.path}: has no member '{name}'") from error
        except (OSError, *DAMAGED_ARCHIVE_ERRORS) as error:
            raise BadData(
                f"{self.path}: the member '{name}' cannot be read ({error}); copy the archive again"
            ) from error

    def clip(self, name: str) -> Clip:
        return Clip(str(self.path), member=name, name=name)


def open_store(data: str) -> Store:
    """The store at a path. Raises BadData where there is none, or none that is safe to read."""
    place = Path(data).expanduser()
    if place.is_dir():
        return FolderStore(place)
    try:
        status = place.stat()
    except OSError as error:
        raise BadData(f"{place}: no such file or folder; give data=FOLDER or data=ARCHIVE.zip") from error
    return _archive(place, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _archive(place: Path, size: int, changed: int) -> ArchiveStore:  # noqa: ARG001 - a changed file is another
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, OSError) as error:
        raise BadData(f"{place}: is no whole zip archive ({error}); copy it again, or give the folder") from error
    names: set[str] = set()
    for member in archive.infolist():
        wrong = "is there twice" if member.filename in names else _member_error(member)
        if wrong:
            archive.close()
            raise BadData(f"{place}: the member '{member.filename}' {wrong}; nothing was read")
        names.add(member.filename)
    total = sum(member.file_size for member in archive.infolist())
    if total > MAX_TOTAL_BYTES or (total > SMALL_MEMBER_BYTES and total > MAX_COMPRESSION_RATIO * size):
        archive.close()
        raise BadData(f"{place}: {size:,} bytes hold {total:,}, as a bomb does; nothing was read")
    return ArchiveStore(place, archive, frozenset(name for name in names if not name.endswith("/")))


def _member_error(member: zipfile.ZipInfo) -> str:
    """Error of an archive member; empty if it is safe."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    if _escapes(member.filename):
        return "would leave the folder"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link" if kind == stat.S_IFLNK else "is no file"
    if member.flag_bits & 0x1:
        return "is encrypted"
    if member.file_size > MAX_MEMBER_BYTES:
        return f"has {member.file_size:,} bytes, more than {MAX_MEMBER_BYTES:,}"
    if member.file_size > SMALL_MEMBER_BYTES and member.file_size > MAX_COMPRESSION_RATIO * member.compress_size:
        return f"is packed {MAX_COMPRESSION_RATIO} times or more, as a bomb is"
    return ""


def _escapes(name: str) -> bool:
    """True if a name leads out of the folder, on any system.

    >>> _escapes("clips/a.wav"), _escapes("../a.wav"), _escapes("/a.wav"), _escapes("C:/a.wav"), _escapes("..\\\\a.wav")
    (False, True, True, True, True)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    return not name or path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or "\\" in name
