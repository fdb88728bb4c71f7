"""Rows of data sets that need thought: a table names these functions in `rows_from`.

Each is given a file and the name of its set, and yields rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from earmark.data.records import read_records
from earmark.errors import BadData

ENGLISH: Final = "en_us"


def leave_one_out(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Each question of RUL-MuChoMusic once for every distractor that is left out."""
    del set_name
    for _, row in read_records(file, []):
        distractors = row["distractors"]
        for left_out in range(len(distractors)):
            rest = distractors[:left_out] + distractors[left_out + 1 :]
            yield {**row, "distractors": rest, "$key": f"{row['$key']}-{left_out + 1}", "clip": row["$key"]}


def clips_of_keys(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """The questions of RUL-MuChoMusic as they are, with the number of their clip."""
    del set_name
    for _, row in read_records(file, []):
        yield {**row, "clip": row["$key"]}


def fleurs_translation(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """The recordings of one language of FLEURS with the same sentence in another: the set is called SOURCE-TARGET, and
    the other table lies in the folder of its language. A sentence without a translation is left out.
    """
    _, _, target = set_name.partition("-")
    other = file.parent.parent / target / file.name
    if not other.is_file():
        raise BadData(f"{other}: no such file; a translation into {target} needs the sentences of that language too")
    texts = {row["0"]: row["2"] for _, row in read_records(other, [], head=False)}
    for _, row in read_records(file, [], head=False):
        if row["0"] in texts:
            yield {**row, "translation": texts[row["0"]]}


def label_of_folder(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """A recording whose folder is its label, as in CochlScene: one row a file."""
    del set_name
    yield {"path": file.name, "label": plain_label(file.parent.name)}


def path_and_label(file: Path, set_name: str) -> Iterator[Mapping[str, Any]]:
    """Lines of a path and a label with blanks between them, as in TUT2017; what stands behind is left out."""
    del set_name
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        words = line.split()
        if len(words) == 1:
            raise BadData(f"{file}, line {number}: found one word, expected a path and a label")
        if words:
            yield {"path": words[0], "label": plain_label(words[1])}


def plain_label(label: str) -> str:
    """A label as a text to choose from.

    >>> plain_label("residential_area"), plain_label("CrowdedIndoor")
    ('residential area', 'crowdedindoor')
    """
    return label.replace("_", " ").replace("/", " or ").lower()
