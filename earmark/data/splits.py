"""Find the files of a split in a repository of parquet files.

The card says it (README.md, `configs: data_files`) where there is one: a file's name need not be that of its split.
Else names say it, whole and never by a prefix:

    SPLIT-NNNNN-of-NNNNN[-digest].parquet    in the folder itself, in data/, or in the folder of the config
    CONFIG/SPLIT/NNNN.parquet                as the hub converts a repository (branch refs/convert/parquet)
    SPLIT.parquet                            one file

Dots in the name of a split are letters. `CONFIG/partial-SPLIT/` is what the hub converted of a split that is too large:
it is never taken for the split.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from msgspec import Struct

from earmark.data.regular import check_regular
from earmark.errors import BadData, alternatives

SHARD: Final = re.compile(r"(?P<split>.+)-(?P<part>\d{4,6})-of-(?P<parts>\d{4,6})(?:-[0-9a-f]{8,64})?\.parquet")
CONVERTED: Final = re.compile(r"\d{4,6}\.parquet")
LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"
EXAMPLE: Final = "one such as data/train-00000-of-00001.parquet"
CARD: Final = "README.md"


class SplitFiles(Struct, frozen=True):
    """The files of a split, and what a user must know about its folder."""

    files: tuple[Path, ...]
    warnings: tuple[str, ...] = ()


def find_split(folder: str | Path, split: str, config: str = "") -> SplitFiles:
    """Find the files of a split, in order. Raises BadData where there are none or not all, in one line."""
    place = Path(folder).expanduser()
    if not place.exists():
        raise BadData(f"{place}: no such folder; give data=FOLDER, a folder with parquet files")
    if place.is_file():
        return SplitFiles((check_downloaded(place),))
    by_card = _split_by_card(place, split, config)
    found = by_card if by_card is not None else _split_by_name(place, split, config)
    partial = [path for path in _config_folders(place, config) if (path / f"partial-{split}").is_dir()]
    notes = tuple(f"{path}/partial-{split}: holds a part of the split and is not read" for path in partial)
    if not found:
        _raise_missing(place, split, config, bool(partial))
    for path in found:
        check_downloaded(path)
    check_shards(found)
    return SplitFiles(tuple(found), notes)


def check_downloaded(path: Path) -> Path:
    """Return the path of a file that is there, whole. Raises BadData for a Git LFS pointer and for a download that was
    broken off.
    """
    if path.suffix == ".incomplete":
        raise BadData(f"{path}: a download that was broken off; fetch it again")
    check_regular(path)
    try:
        with path.open("rb") as file:
            head = file.read(len(LFS_POINTER))
    except OSError as error:
        if (left := next(path.parent.glob(f"{path.name}*.incomplete"), None)) is not None:
            raise BadData(f"{left}: a download that was broken off; fetch {path.name} again") from error
        raise BadData(f"{path}: cannot be read ({error.strerror}); fetch or copy it again") from error
    if head == LFS_POINTER:
        raise BadData(f"{path}: a Git LFS pointer, not the file itself; type git lfs pull there, or fetch the data")
    return path


def check_shards(files: Sequence[Path]) -> None:
    """Raise BadData where names count their parts, as train-00000-of-00003 does, and a part is not there, or where
    parts belong to different counts.
    """
    present: dict[tuple[Path, str], dict[str, set[int]]] = {}
    for path in files:
        if match := SHARD.fullmatch(path.name):
            counts = present.setdefault((path.parent, match["split"]), {})
            counts.setdefault(match["parts"], set()).add(int(match["part"]))
    for (folder, split), counts in present.items():
        if len(counts) > 1:
            names = " and ".join(f"{split}-…-of-{parts}" for parts in sorted(counts))
            raise BadData(f"{folder}: found {names}, which are shards of two revisions; keep those of one")
        ((parts, numbers),) = counts.items()
        missing = next((number for number in range(int(parts)) if number not in numbers), None)
        if missing is not None:
            raise BadData(
                f"{folder}: found {len(numbers)} of {int(parts)} shards, expected "
                f"{split}-{missing:0{len(parts)}}-of-{parts}.parquet beside it; copy it too, or give data=FILE to use "
                "one alone"
            )


def _config_folders(place: Path, config: str) -> list[Path]:
    """Folders that may hold the files of a config, the likeliest first."""
    names = [config, f"data/{config}"] if config else ["data", "default", "."]
    names += ["."] if place.name == config else []
    return [folder for name in names if (folder := place / name).is_dir()]


def _split_by_name(place: Path, split: str, config: str) -> list[Path]:
    for folder in _config_folders(place, config):
        names = sorted(folder.glob("*.parquet"))
        shards = [path for path in names if (match := SHARD.fullmatch(path.name)) and match["split"] == split]
        converted = sorted(path for path in (folder / split).glob("*.parquet") if CONVERTED.fullmatch(path.name))
        single = [path for path in names if path.name == f"{split}.parquet"]
        if found := shards or converted or single:
            return found
    return []


def _raise_missing(place: Path, split: str, config: str, is_partial: bool) -> None:
    asked = f"the split '{split}'" + (f" of the config '{config}'" if config else "")
    broken = next(place.rglob("*.incomplete"), None)
    if broken is not None:
        raise BadData(f"{broken}: a download that was broken off; fetch the data again")
    parquet = sorted(place.rglob("*.parquet"))
    if not parquet:
        raise BadData(f"{place}: found no parquet file, expected at least {EXAMPLE}")
    if is_partial:
        raise BadData(f"{place}: holds only a part of {asked} (partial-{split}); fetch the whole, or give data=FILE")
    names = [str(path.relative_to(place)) for path in parquet]
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    raise BadData(f"{place}: found {listed}, expected files of {asked}, such as {split}-00000-of-00001.parquet")


# ---------------------------------------------------------------- the card of a repository


def _split_by_card(place: Path, split: str, config: str) -> list[Path] | None:
    """The files that the card maps to a split; None where no card speaks of the config."""
    card = place / CARD
    mapping = _read_card(card)
    if not config:
        config = next((name for name, (is_default, _) in mapping.items() if is_default), "") or (
            next(iter(mapping)) if len(mapping) == 1 else "default"
        )
    if config not in mapping:
        return None
    splits = mapping[config][1]
    if not splits:
        return None
    if split not in splits:
        raise BadData(f"{card}: config '{config}' has no split '{split}'{alternatives(split, splits)}")
    found: list[Path] = []
    for pattern in splits[split]:
        found += sorted(_expand(place, card, pattern))
    if not found:
        raise BadData(f"{place}: {CARD} maps '{split}' to {', '.join(splits[split])}, and no such file is there")
    return list(dict.fromkeys(found))


def card_patterns(place: Path, split: str, config: str) -> list[str]:
    """The patterns of files that the card of a repository maps to a split; none where it says nothing of it."""
    mapping = _read_card(place / CARD)
    default = next((name for name, (is_default, _) in mapping.items() if is_default), next(iter(mapping), ""))
    return list(mapping[config or default][1].get(split, ())) if (config or default) in mapping else []


def _expand(place: Path, card: Path, pattern: str) -> Iterator[Path]:
    """Files of the folder that a pattern of the card names, no hidden ones and none elsewhere."""
    parts = PurePosixPath(pattern).parts
    if ".." in parts or PurePosixPath(pattern).is_absolute() or "://" in pattern:
        raise BadData(f"{card}: the path '{pattern}' leaves the folder; expected one below it")
    for path in place.rglob("*"):
        relative = path.relative_to(place)
        if len(relative.parts) == len(parts) or "**" in parts:
            is_match = fnmatch.fnmatchcase(relative.as_posix(), pattern)
            if is_match and path.is_file() and not any(part.startswith(".") for part in relative.parts):
                yield path


def _read_card(card: Path) -> dict[str, tuple[bool, dict[str, list[str]]]]:
    """Read the configs of a card: if each is the default one, and the patterns of its splits."""
    if not card.is_file():
        return {}
    text = card.read_text(encoding="utf-8-sig", errors="replace")
    match = re.match(r"---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", text, re.DOTALL)
    from earmark.data.plain_yaml import load_plain_yaml  # noqa: PLC0415 - of data with a card

    front = load_plain_yaml(match[1], card) if match else None
    configs = front.get("configs") if isinstance(front, dict) else None
    found: dict[str, tuple[bool, dict[str, list[str]]]] = {}
    for entry in configs if isinstance(configs, list) else ():
        if isinstance(entry, dict):
            splits = _card_splits(entry.get("data_files"))
            found[str(entry.get("config_name", "default"))] = (entry.get("default") is True, splits)
    return found


def _card_splits(data_files: Any) -> dict[str, list[str]]:
    """The patterns of each split. Without a split, files are those of train, as the hub's own library has it.

    >>> _card_splits([{"split": "test", "path": "MMAU-mini/train-*"}]), _card_splits("a.parquet")
    ({'test': ['MMAU-mini/train-*']}, {'train': ['a.parquet']})
    """
    splits: dict[str, list[str]] = {}
    for entry in data_files if isinstance(data_files, list) else [data_files]:
        if isinstance(entry, str):
            splits.setdefault("train", []).append(entry)
        elif isinstance(entry, dict) and "path" in entry:
            paths = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
            splits.setdefault(str(entry.get("split", "train")), []).extend(str(path) for path in paths)
    return splits
