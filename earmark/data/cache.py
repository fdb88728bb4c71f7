"""Cache folder for reproducible files, and digests of files that do not change."""

from __future__ import annotations

import functools
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import xxhash

from earmark.errors import DISK_FULL

BLOCK: Final = 1 << 20  # bytes of a file at a time, for a digest
LARGE: Final = 1 << 20  # bytes: digests of smaller files are made sooner than they are looked up
SETTLED: Final = 2_000_000_000  # nanoseconds after which a further change of a file gets another time


def cache_dir(*names: str) -> Path:
    """A folder of the cache, made if need be: `$EARMARK_CACHE`, or `earmark` where the system keeps caches."""
    base = os.environ.get("EARMARK_CACHE")
    home = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "earmark"
    place = home.joinpath(*names)
    place.mkdir(parents=True, exist_ok=True)
    return place


_own_media_dir: list[Path] = []  # the last one counts


def use_media_dir(place: Path) -> None:
    """Keep converted media in a folder of the user's own from here on."""
    _own_media_dir.append(place)


def media_dir(*names: str) -> Path:
    """A folder for converted media, made if need be."""
    if not _own_media_dir:
        return cache_dir("media", *names)
    place = _own_media_dir[-1].joinpath(*names)
    place.mkdir(parents=True, exist_ok=True)
    return place


def atomic_write(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all."""
    with atomic_open(path) as file:
        file.write(data)
    return path


@contextmanager
def name_full_disk(path: Path) -> Iterator[None]:
    """Name a file in the error of a write that found the disk full, which names none."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in DISK_FULL:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


@contextmanager
def atomic_open(path: Path) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, there under its name once all of it is; several threads may write the same
    one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with name_full_disk(path), part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def hash64(data: bytes) -> str:
    """16 hexadecimal digits that name a clip or a prompt within a run: XXH3, which takes no time beside reading.

    >>> hash64(b"earmark")
    'dad2a3b008ec657f'
    """
    return xxhash.xxh3_64_hexdigest(data)


def hash64_file(path: str | Path) -> str:
    """The same of a file's bytes, which are never all in memory; remembered while size and time of change stay."""
    stat = Path(path).stat()
    return _hash64_file(str(path), stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=65536)
def _hash64_file(path: str, size: int, changed: int) -> str:  # noqa: ARG001 - remembered by them
    return read_hash64(path)


def read_hash64(path: str | Path) -> str:
    """The same of a file that may have been written a moment ago: read, never remembered."""
    whole = xxhash.xxh3_64()
    with Path(path).open("rb") as file:
        while block := file.read(BLOCK):
            whole.update(block)
    return whole.hexdigest()


def sha256_file(path: str | Path) -> str:
    """SHA-256 of a file in hexadecimal, remembered while size, time of change and inode stay the same: of a large file
    also on disk, by other runs.
    """
    place = Path(path)
    stat = place.stat()
    return _sha256(str(place), stat.st_size, stat.st_mtime_ns, stat.st_ino)


@functools.lru_cache(maxsize=65536)
def _sha256(path: str, size: int, changed: int, inode: int) -> str:
    is_stable = abs(time.time_ns() - changed) > SETTLED  # a later write within one tick of the clock would not show
    if size < LARGE or not is_stable:
        return _read_sha256(path)
    key = (str(Path(path).absolute()), size, changed, inode)
    with closing(_digest_store()) as store:
        row = store.execute("select digest from digests where (path, size, changed, inode) = (?, ?, ?, ?)", key)
        if (known := row.fetchone()) is not None:
            return str(known[0])
    digest = _read_sha256(path)
    with closing(_digest_store()) as store, store:
        store.execute("insert or replace into digests values (?, ?, ?, ?, ?)", (*key, digest))
    return digest


def _read_sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_store() -> sqlite3.Connection:
    """The digests of large files by path; one process writes at a time, others wait."""
    store = sqlite3.connect(cache_dir() / "digests.sqlite", timeout=60.0)
    store.execute(
        "create table if not exists digests (path text primary key, size integer, changed integer, inode integer, "
        "digest text)"
    )
    return store
