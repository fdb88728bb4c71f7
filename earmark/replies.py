"""Bring your own replies: lines of a file as items and responses, scored with no model in sight.

A line holds `id`, `reply` and `target` (a label, the text of a choice, or for open questions a text), `choices` or bare
`labels`, and `answer`, even null, where a reader already ran. The names of the official LISTEN results are understood
too: sample_id, raw_response, expected_letter, randomized_choices, predicted_letter.
"""

from __future__ import annotations

import codecs
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson

from earmark.errors import BadData
from earmark.journal import Record
from earmark.report.cells import Cells
from earmark.report.rows import Row
from earmark.scoring import line_of
from earmark.types import Item, Response, Score, Scorer

NAMES: Final = {
    "id": ("id", "sample_id"),
    "reply": ("reply", "raw_response"),
    "target": ("target", "targets", "expected_letter"),
    "choices": ("choices", "randomized_choices"),
    "labels": ("labels",),
    "answer": ("answer", "predicted_letter"),
}


async def score_file(path: Path, scorer: Scorer) -> tuple[Row, list[bytes]]:
    """The numbers of a file, and a JSON line about each of its records."""
    cells = Cells()
    told = []
    seen: dict[str, int] = {}
    for number, line in enumerate(_lines(path), start=1):
        item, response, given = _read(line, path, number)
        if item.id in seen:
            raise BadData(
                f"{path}: the id '{item.id}' stands for two records, number {seen[item.id]} and number {number}; give each its own"
            )
        seen[item.id] = number
        earned = await _score(scorer, item, response, given)
        record = Record(item, response=response)
        cells.add(record, scorer, earned)
        told.append(msgspec.json.encode(line_of(record, scorer, earned)) + b"\n")
    if not told:
        raise BadData(f"{path}: found no record, expected JSON lines with id, reply and target")
    return cells.rows(0)[0], told


async def _score(scorer: Scorer, item: Item, response: Response, given: tuple[str | None] | None) -> Score:
    counts = getattr(scorer, "counts", None)
    if given is None or counts is None:
        return await scorer.score(item, response)
    return Score(counts(item, given[0]), given[0], "unparsed" if given[0] is None else "answered", "given")


def _lines(path: Path) -> Iterator[Any]:
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)  # which spreadsheets and Windows put there
    if data.lstrip()[:1] == b"[":
        yield from _parsed(data, str(path))
        return
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield _parsed(line, f"{path}, line {number}")


def _parsed(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadData(f"{where}: is no JSON ({error}); expected one object a line") from error


def _read(line: Any, path: Path, number: int) -> tuple[Item, Response, tuple[str | None] | None]:
    """One record: its item, its reply, and its answer where it has one."""
    where = f"{path}, record {number}"
    if not isinstance(line, Mapping):
        raise BadData(f"{where}: found {type(line).__name__}, expected an object with id, reply and target")
    found = {ours: next((line[name] for name in names if name in line), None) for ours, names in NAMES.items()}
    choices = tuple(map(str, found["choices"] or ()))
    labels = tuple(map(str, found["labels"] or string.ascii_uppercase[: len(choices)]))
    if choices and len(labels) != len(choices):
        raise BadData(f"{where}: found {len(choices)} choices and {len(labels)} labels, expected as many of both")
    targets = found["target"] if isinstance(found["target"], list) else [found["target"]]
    right = tuple(_label(str(target), labels, choices) for target in targets if target is not None)
    item = Item(str(found["id"] if found["id"] is not None else number), choices=choices, labels=labels, targets=right)
    given = (found["answer"],) if any(name in line for name in NAMES["answer"]) else None
    stop = line.get("stop") or line.get("finish_reason")
    return item, Response(str(found["reply"] or ""), "length" if stop in ("length", "max_tokens") else "end"), given


def _label(target: str, labels: tuple[str, ...], choices: tuple[str, ...]) -> str:
    """A target as a label, where it is one or names a choice; else as it stands.

    >>> _label("dog", ("A", "B"), ("cat", "dog"))
    'B'
    """
    return labels[choices.index(target)] if target not in labels and target in choices else target
