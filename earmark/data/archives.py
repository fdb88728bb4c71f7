"""Archives: members of zip files are read in place, tar files are unpacked once, safely."""

from __future__ import annotations

import functools
import gzip
import lzma
import shutil
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Final

import filelock

from earmark.data.cache import atomic_open, atomic_write, cache_dir, sha256_file
from earmark.data.clips import DAMAGED_ARCHIVE_ERRORS
from earmark.errors import BadData
from earmark.types import Clip

MAX_UNPACKED_BYTES: Final = 200 << 30  # of one archive: more than any public set has
MAX_RATIO: Final = 200  # unpacked bytes by packed ones: sound does not shrink so much


def _check_downloaded(path: Path) -> None:
    from earmark.data.splits import check_downloaded  # noqa: PLC0415 - most runs read no archive

    check_downloaded(path)


@functools.lru_cache(maxsize=16)
def _zip_members(path: Path, changed: int) -> frozenset[str]:  # noqa: ARG001 - a file that changes is another one
    _check_downloaded(path)
    with zipfile.ZipFile(path) as archive:
        return frozenset(archive.namelist())


def find_member(archive: Path, member: str) -> Clip | None:
    """The clip of a member of an archive, None where there is no such archive or member. A zip is read in place; a tar
    is unpacked into the cache, once. Raises BadData for a damaged or hostile archive.
    """
    if not archive.exists():
        return None
    try:
        if archive.suffix == ".zip":
            names = _zip_members(archive, archive.stat().st_mtime_ns)
            found = next((name for name in (member, f"./{member}") if name in names), None)
            return Clip(str(archive), member=found) if found else None
        unpacked = unpack_tar(archive, archive.stat().st_mtime_ns) / member
    except (tarfile.TarError, gzip.BadGzipFile, lzma.LZMAError, *DAMAGED_ARCHIVE_ERRORS) as error:
        raise BadData(f"{archive}: a damaged archive ({error}); fetch it again") from error
    return Clip(str(unpacked)) if unpacked.is_file() else None


@functools.lru_cache(maxsize=64)
def unpack_tar(archive: Path, changed: int) -> Path:  # noqa: ARG001 - a file that changes is another one
    """Unpack a tar, whatever packs it, into the cache, and return the folder. What was unpacked before stays; one that
    was broken off goes on.

    Members that are links, devices or lead elsewhere are refused, as are two of one name, and more than sound can have
    been packed into.
    """
    _check_downloaded(archive)
    folder = cache_dir("unpacked", sha256_file(archive)[:32])
    done = folder.with_name(f"{folder.name}.done")
    if done.exists():
        return folder
    room = min(MAX_UNPACKED_BYTES, MAX_RATIO * archive.stat().st_size + (1 << 20))
    seen: set[str] = set()
    with filelock.FileLock(f"{folder}.lock"), tarfile.open(archive) as file:
        for member in file:
            name = PurePosixPath(member.name).as_posix()
            if not (member.isfile() or member.isdir()) or name.startswith("/") or ".." in PurePosixPath(name).parts:
                raise BadData(f"{archive}: refused, its member {member.name!r} is a link, a device, or leads elsewhere")
            if member.isdir():
                continue
            room -= member.size
            if name in seen or room < 0:
                reason = "it stands twice" if name in seen else "it unpacks to far more than its size"
                raise BadData(f"{archive}: refused at its member {member.name!r}: {reason}")
            seen.add(name)
            target = folder / name
            if not target.exists() or target.stat().st_size != member.size:
                source = file.extractfile(member)
                with atomic_open(target) as out:
                    shutil.copyfileobj(source, out) if source else None
        atomic_write(done, b"")
    return folder
