"""Data sets from the Hugging Face hub: fetched once at a commit, kept with the digest of every file.

A name such as `main` moves; what was fetched does not. The first fetch writes down the commit that the name stood for
and the SHA-256 of each file, and everything after reads that commit. A connection that breaks is taken up within the
file; a fetch that is begun again keeps the files that have come. With HF_HUB_OFFLINE nothing is asked for: a snapshot
that lies in the hub's cache is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from earmark.data.cache import atomic_write, cache_dir, sha256_file
from earmark.errors import BadData, BadSetup

NOTE: Final = "earmark-fetched.json"  # in a folder that a data set was fetched into


class FetchedDataset(Struct, frozen=True):
    """A data set on this machine."""

    repository: str
    revision: str  # as it was asked for
    commit: str  # what that stood for
    folder: str
    files: dict[str, str]  # SHA-256 by name

    @property
    def place(self) -> Path:
        return Path(self.folder)


def _note_path(repository: str, revision: str) -> Path:
    return cache_dir("data") / f"{repository.replace('/', '--')}@{revision.replace('/', '-')}.json"


def find_fetched(repository: str, revision: str) -> FetchedDataset | None:
    """Find an earlier download, if it is complete."""
    path = _note_path(repository, revision)
    if not path.exists():
        return None
    dataset = msgspec.json.decode(path.read_bytes(), type=FetchedDataset)
    return dataset if all((dataset.place / name).exists() for name in dataset.files) else None


def commit_of(place: Path) -> str:
    """The commit that a folder holds: its name in the hub's cache, or what the fetch wrote down; empty if unknown."""
    if place.parent.name == "snapshots":
        return place.name
    note = place / NOTE
    if not note.is_file():
        return ""
    try:
        return msgspec.json.decode(note.read_bytes(), type=FetchedDataset).commit
    except msgspec.MsgspecError as error:
        raise BadData(f"{note}: cannot be read ({error}); remove it, or fetch the data again") from error


def find_cached(repository: str, revision: str) -> Path | None:
    """The folder of a data set in the hub's own cache, which other programs may have filled; None where it is not."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - a quarter of a second
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return Path(snapshot_download(repository, repo_type="dataset", revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise BadData(f"{repository}: {' '.join(str(error).split())}") from error


class RemoteFiles(Struct, frozen=True):
    """Files of a data set on the hub."""

    repository: str
    revision: str  # as it was asked for
    commit: str  # what that stands for
    files: dict[str, int]  # bytes by name
    license: str  # that the data set states
    is_gated: bool  # True: the hub wants terms to be accepted first

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(self.files.values())

    def describe(self) -> str:
        """Number and size of the files, and the licence."""
        return f"{len(self.files)} files, {format_bytes(self.size)}, licence: {self.license}"


def find_remote(repository: str, revision: str, patterns: Sequence[str]) -> RemoteFiles:
    """The files of a data set on the hub that match some patterns. Raises BadSetup where it cannot be asked."""
    from huggingface_hub import HfApi  # noqa: PLC0415 - a quarter of a second

    with _reaching(repository):
        info = HfApi().dataset_info(repository, revision=revision, files_metadata=True)
    files = {
        file.rfilename: file.size or 0
        for file in info.siblings or ()
        if any(fnmatch(file.rfilename, pattern) for pattern in patterns)
    }
    license_name = getattr(info.card_data, "license", None) or "not stated"
    return RemoteFiles(repository, revision, info.sha or revision, files, license_name, bool(info.gated))


@contextmanager
def _reaching(repository: str) -> Iterator[None]:
    """Raise BadSetup where the hub cannot be reached, refuses access, or has no such thing."""
    from huggingface_hub import constants  # noqa: PLC0415
    from huggingface_hub.errors import (  # type: ignore[attr-defined] # noqa: PLC0415
        GatedRepoError,
        HFValidationError,
        HTTPError,  # of its HTTP library: which one that is has changed before
        OfflineModeIsEnabled,
        XetDownloadError,
    )

    try:
        yield
    except GatedRepoError as error:
        raise BadSetup(
            f"{repository} is gated: accept its terms on its page on the hub, and log in with: hf auth login"
        ) from error
    except (HTTPError, OfflineModeIsEnabled, HFValidationError, XetDownloadError, OSError) as error:
        message = " ".join(str(error).split())[:300]
        cure = "unset HF_HUB_OFFLINE to download it" if constants.HF_HUB_OFFLINE else "check the network and the name"
        raise BadSetup(
            f"{repository} cannot be fetched ({message}); {cure}, or copy the files by hand and give data=FOLDER"
        ) from error


def fetch_dataset(
    repository: str,
    revision: str,
    patterns: Sequence[str],
    log: Callable[[str], object],
    folder: Path | None = None,
) -> FetchedDataset:
    """Bring the files of a data set that match the patterns into the hub's own cache, or into a folder, and write down
    which they are.

    Raises BadSetup where the hub cannot be reached or has no such thing.
    """
    from huggingface_hub import constants, snapshot_download  # noqa: PLC0415 - a quarter of a second

    commit = revision
    if not constants.HF_HUB_OFFLINE:
        remote = find_remote(repository, revision, patterns)
        commit = remote.commit
        log(f"fetching {repository} at {commit[:12]} ({revision}): {remote.describe()}")
    with _reaching(repository):
        place = Path(snapshot_download(
            repository, repo_type="dataset", revision=commit, allow_patterns=[*patterns], local_dir=folder
        ))  # fmt: skip
    if constants.HF_HUB_OFFLINE:
        commit = place.name
        log(f"HF_HUB_OFFLINE is set: {repository} at {commit[:12]} is taken from the hub's cache")
    paths = (path.relative_to(place) for path in place.rglob("*") if path.is_file())
    names = sorted(str(path) for path in paths if not path.parts[0].startswith(".") and path.name != NOTE)
    if not names:
        raise BadData(f"{repository} at {commit[:12]} has no file like {', '.join(patterns)}")
    log(f"checking {len(names)} files")
    digests = {name: sha256_file(place / name) for name in names}
    dataset = FetchedDataset(repository, revision, commit, str(place), digests)
    note = folder / NOTE if folder else _note_path(repository, revision)
    atomic_write(note, msgspec.json.format(msgspec.json.encode(dataset)))
    return dataset


def format_bytes(size: int) -> str:
    """Format a size for people.

    >>> format_bytes(999), format_bytes(1_234_567_890)
    ('999 bytes', '1.2 GB')
    """
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
