"""Places of clips and pictures of a run: paths are as they were typed, and files move.

A path is looked for in the folder in which the run was begun, then beside the run, then by media=OLD=NEW, where what
begins with OLD begins with NEW now, or media=FOLDER, in which the last parts of the path are looked for. It counts as
found where its digest is the recorded one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from earmark.data.clips import source_digest
from earmark.errors import AskError, BadData, UsageError
from earmark.types import Clip, ImageRef, replace

Reference = TypeVar("Reference", Clip, ImageRef)
ANCESTORS: Final = 4  # folders above a run in which it is looked: results/MODEL/BENCHMARK/TIME lies in the fourth
MAX_LISTED: Final = 4  # places that a message names


class MediaMapping(Struct, frozen=True):
    """A folder that has moved: paths that begin with `old` begin with `new`; without `old`, a folder to look in."""

    new: Path
    old: str = ""

    def candidates(self, path: str) -> Iterator[Path]:
        if not self.old:
            parts = [part for part in Path(path).parts if part not in ("/", "..")]
            yield from (self.new.joinpath(*parts[first:]) for first in range(len(parts)))
        elif path == self.old or path.startswith(self.old.rstrip("/") + "/"):
            yield self.new / path[len(self.old) :].lstrip("/")


def parse_mapping(text: str) -> MediaMapping:
    """Parse OLD=NEW, or the name of a folder. Raises UsageError where there is no such folder.

    >>> parse_mapping("/data=/tmp").old
    '/data'
    """
    old, equals, new = text.partition("=")
    folder = Path(new if equals else old).expanduser()
    if not folder.is_dir():
        raise UsageError(f"--media {text}: {folder} is no folder; expected OLD=NEW or a folder with the files")
    return MediaMapping(folder, old if equals else "")


class MediaFinder(Struct, frozen=True):
    """Finds the files of a run."""

    run: Path
    working_folder: Path
    mappings: tuple[MediaMapping, ...] = ()

    def candidates(self, path: str) -> list[Path]:
        """Places where a path may be now, in the order in which it is looked for."""
        given = Path(path)
        relative = given
        if given.is_absolute() and given.is_relative_to(self.working_folder):
            relative = given.relative_to(self.working_folder)
        places = [self.working_folder / given]
        if not relative.is_absolute():
            above = self.run.absolute().parents[:ANCESTORS]
            places += [folder / relative for folder in (self.run.absolute(), *above)]
        places += [self.run.absolute().parent / given.name]
        for mapping in self.mappings:
            places += mapping.candidates(path)
        return list(dict.fromkeys(places))

    def find(self, reference: Reference, recorded: Collection[str] = ()) -> Reference:
        """A reference to the file where it is now. Raises BadData where it is not found, or is another file.

        `recorded` are the digests of what was sent; without any, the first file that is there is taken.
        """
        places = self.candidates(reference.path)
        wrong: list[str] = []
        for place in places:
            if place.is_file():
                moved = replace(reference, path=str(place), name=reference.name or reference.path)
                if not recorded:
                    return moved
                try:
                    digest = source_digest(moved)
                except AskError as error:
                    wrong.append(str(error))
                    continue
                if digest in recorded:
                    return moved
                wrong.append(f"{place} is not the file that was sent: its digest is {digest}")
        raise BadData(_missing(reference.path, places, wrong, recorded))


def _missing(path: str, places: Sequence[Path], wrong: Sequence[str], recorded: Collection[str]) -> str:
    advice = "where it lies now is told by --media OLD=NEW"
    if wrong:
        return f"{path}: {wrong[0]}, and what was sent has {' or '.join(sorted(recorded))}; {advice}"
    listed = ", ".join(map(str, places[:MAX_LISTED]))
    more = f" and {len(places) - MAX_LISTED} more places" if len(places) > MAX_LISTED else ""
    return f"{path}: no such file; looked for it at {listed}{more}; {advice}"
