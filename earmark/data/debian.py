"""Files out of Debian packages, without root and without installing anything.

`apt-get download` brings the package and `dpkg-deb` unpacks it into the cache, where it stays.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from earmark.data.cache import cache_dir
from earmark.data.programs import program_environment
from earmark.errors import BadSetup
from earmark.types import Seconds

DOWNLOAD_TIMEOUT: Seconds = 300.0  # for one download


def is_available() -> bool:
    """True if this machine has Debian's tools."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg-deb") is not None


def find_unpacked(package: str) -> Path | None:
    """Path of an unpacked package, or None."""
    place = cache_dir("debian") / package
    return place if place.exists() else None


def fetch_package(package: str) -> Path:
    """Unpack a package into the cache, once, and say where. Raises BadSetup where it cannot be had."""
    existing = find_unpacked(package)
    if existing is not None:
        return existing
    work = cache_dir("debian", f".{package}.part")
    try:
        _run(["apt-get", "download", package], work)
    except BadSetup:  # no package lists yet, or lists out of date, which only root may renew: use lists of our own
        lists = cache_dir("debian", ".lists")
        (lists / "partial").mkdir(exist_ok=True)
        ours = ["-o", f"Dir::State::lists={lists}"]
        _run(["apt-get", *ours, "-q", "update"], work)
        _run(["apt-get", *ours, "download", package], work)
    _run(["dpkg-deb", "-x", next(work.glob("*.deb")).name, "files"], work)
    place = cache_dir("debian") / package
    (work / "files").rename(place)
    shutil.rmtree(work)
    return place


def _run(command: list[str], work: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env=program_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=DOWNLOAD_TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise BadSetup(f"'{' '.join(command)}' took longer than {DOWNLOAD_TIMEOUT:g} s") from error
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BadSetup(f"'{' '.join(command)}' failed: {message}")
