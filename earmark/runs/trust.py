"""Run folders that may name code, programs, addresses and keys: those made here, and those that the user trusts.

A run folder is data. What its files name is used only if the user's own configuration, outside of the folder, holds the
digest of the two files that describe it. A run that is made here is entered when it is made; `earmark trust RUN` enters
any other.

    $XDG_CONFIG_HOME/earmark/trusted/<digest of the path>.json      or below ~/.config
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from earmark.data.cache import atomic_write
from earmark.errors import BadData
from earmark.journal import CONFIG_FILE, SIGNATURE_FILE


class TrustedRun(Struct, frozen=True):
    """A run folder as it was when it was entered."""

    run: str  # its path, links resolved
    digest: str


def config_dir() -> Path:
    """Folder of the user's own configuration. Raises BadData if there is no home folder."""
    try:
        return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "earmark"
    except RuntimeError as error:
        raise BadData(f"no folder for the user's configuration ({error}); set XDG_CONFIG_HOME to one") from error


def trust_run(run: Path) -> None:
    """Enter a run as it is now."""
    path = _entry_path(run)
    atomic_write(path, msgspec.json.encode(TrustedRun(str(run.resolve()), _digest(run))))
    path.chmod(0o600)


def trust_new_run(run: Path) -> None:
    """Enter a run that was made here. A configuration that cannot be written stops no run: it is as any other then."""
    with contextlib.suppress(OSError, BadData):
        trust_run(run)


def forget_run(run: Path) -> None:
    """Remove a run from the trusted ones."""
    _entry_path(run).unlink(missing_ok=True)


def is_trusted(run: Path) -> bool:
    """True if a run was entered, and its description has not changed since."""
    try:
        entry = msgspec.json.decode(_entry_path(run).read_bytes(), type=TrustedRun)
        return entry == TrustedRun(str(run.resolve()), _digest(run))
    except (OSError, msgspec.MsgspecError, BadData):
        return False


def _entry_path(run: Path) -> Path:
    name = hashlib.sha256(os.fsencode(run.resolve())).hexdigest()[:32]
    return config_dir() / "trusted" / f"{name}.json"


def _digest(run: Path) -> str:
    """Digest of the files that describe a run: they are written once."""
    contents = [path.read_bytes() if path.exists() else b"" for path in (run / SIGNATURE_FILE, run / CONFIG_FILE)]
    digests = [hashlib.sha256(content).digest() for content in contents]
    return hashlib.sha256(b"".join(digests)).hexdigest()
