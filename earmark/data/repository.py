"""Find a split of any data set of the Hugging Face hub: in a folder, in the hub's cache, or on the hub."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from earmark.data.fetch import fetch_dataset, find_cached, find_fetched
from earmark.data.splits import card_patterns, find_split
from earmark.errors import BadData, BadSetup

SOUND_SUFFIXES = ("wav", "flac", "mp3", "ogg", "opus", "m4a")
SUFFIXES = ("jsonl", "json", "csv", "tsv", "parquet")


class RepositorySplit(Struct, frozen=True):
    """The files of a split on this machine."""

    root: Path
    files: tuple[Path, ...]
    commit: str


def find_repository(repository: str, revision: str, split: str, config: str, data: str = "") -> RepositorySplit:
    """Find the files of a split; what is not on this machine is fetched.

    Raises BadData where the data set has no such split, BadSetup where the hub cannot be reached.
    """
    if repository.count("/") != 1 or not all(repository.split("/")):
        raise BadData(f"hub:{repository}: expected hub:owner/name")
    if data:
        root = Path(data).expanduser()
        return RepositorySplit(root, find_rows(root, split, config), f"{root}, a folder")
    problem: BadData | None = None
    fetched = find_fetched(repository, revision)
    for place in (fetched.place if fetched else None, find_cached(repository, revision)):
        if place is not None:
            try:
                return RepositorySplit(place, find_rows(place, split, config), place.name)
            except BadData as error:  # another split of it may have been fetched before
                problem = error
    try:
        return _fetch_split(repository, revision, split, config)
    except (BadData, BadSetup):
        if problem:
            raise problem from None
        raise


def _fetch_split(repository: str, revision: str, split: str, config: str) -> RepositorySplit:
    card = fetch_dataset(repository, revision, ["README.md", ".gitattributes"], lambda _: None)
    folder = f"{config}/" if config else ""
    patterns = card_patterns(card.place, split, config) or [
        *(f"{folder}{middle}{split}-*.parquet" for middle in ("", "data/")),
        f"{folder}{split}/*",
        *(f"{folder}{middle}{split}.{suffix}" for middle in ("", "data/") for suffix in SUFFIXES),
        *(f"{folder}metadata.{suffix}" for suffix in ("jsonl", "csv")),
    ]
    place = fetch_dataset(repository, card.commit, ["README.md", *patterns], lambda _: None).place
    rows = find_rows(place, split, config)
    if rows[0].stem == "metadata":  # of an audiofolder: sound lies in files beside it
        patterns += [f"*.{suffix}" for suffix in SOUND_SUFFIXES]
        place = fetch_dataset(repository, card.commit, ["README.md", *patterns], lambda _: None).place
    return RepositorySplit(place, find_rows(place, split, config), card.commit)


def find_rows(root: Path, split: str, config: str) -> tuple[Path, ...]:
    """The files of rows of a split: parquet, else a file called after it, else the list of an audiofolder."""
    if not root.is_dir():
        raise BadData(f"{root}: no such folder; give data=FOLDER, a folder with the data set")
    try:
        return find_split(root, split, config).files
    except BadData as error:
        if "found no parquet" not in str(error) and "expected files of the split" not in str(error):
            raise
        base = root / config if config else root
        for folder in (base, base / "data", base / split):
            for name in (split, "metadata") if folder.name != split else ("metadata",):
                for suffix in SUFFIXES[:-1]:
                    if (path := folder / f"{name}.{suffix}").is_file():
                        return (path,)
        raise
