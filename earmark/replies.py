"""Bring your own replies: lines of a file as items and responses, scored with no model in sight.

A line holds `id`, `reply` and `target` (a label, the text of a choice, or for open questions a text), `choices` (a list, or
an object of texts by label) or bare `labels`, and `answer`, even null, where a reader already ran. A judge is also told the `question`, and the `description` of
the sound where its prompt has room for one; COMET is told the `source` of a translation. The names of the official LISTEN results are understood too: sample_id,
raw_response, expected_letter, randomized_choices, predicted_letter.
"""

from __future__ import annotations

import asyncio
import codecs
import string
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from earmark.errors import BadData
from earmark.journal import Record
from earmark.report.cells import Cells
from earmark.report.rows import Row
from earmark.report.table import judging
from earmark.scoring import AT_ONCE, entered, line_of
from earmark.types import Item, Response, Score, Scorer, Usage

NAMES: Final = {
    "id": ("id", "sample_id"),
    "reply": ("reply", "raw_response"),
    "question": ("question",),
    "target": ("target", "targets", "expected_letter", "gold"),
    "choices": ("choices", "randomized_choices"),
    "labels": ("labels",),
    "answer": ("answer", "predicted_letter"),
}
WRITTEN: Final = orjson.OPT_APPEND_NEWLINE


class Line(NamedTuple):
    """One record of a file."""

    item: Item
    response: Response
    given: tuple[str | None] | None  # its answer, where a reader already ran

    @property
    def stray_answer(self) -> bool:
        """Whether a reader's answer is no label of the item; several labels are joined by commas."""
        answer = self.given[0] if self.given else None
        labels = self.item.labels
        return bool(labels) and answer is not None and not {part.strip() for part in answer.split(",")} <= {*labels}


async def score_file(
    path: Path, scorer: Scorer, say: Callable[[str], None] = lambda _: None
) -> tuple[Row, list[bytes]]:
    """The numbers of a file, and a JSON line about each of its records; what must be known to read them is said."""
    cells, used = Cells(), Usage()
    told = []
    aimless: list[str] = []
    strays: list[str] = []
    unknown: list[str] = []
    lines = _records(path)
    async with AsyncExitStack() as stack:
        opened = await entered(scorer, stack)
        while some := list(islice(lines, AT_ONCE)):
            scores = await asyncio.gather(*(_score(opened, line) for line in some))
            for line, earned in zip(some, scores, strict=True):
                record = Record(line.item, response=line.response)
                cells.add(record, opened, earned)
                used += earned.usage
                told.append(orjson.dumps(msgspec.structs.asdict(line_of(record, opened, earned)), option=WRITTEN))
                if not line.item.targets:
                    aimless.append(line.item.id)
                elif line.item.labels and not {*line.item.targets} <= {*line.item.labels}:
                    strays.append(line.item.id)
                if line.stray_answer:
                    unknown.append(line.item.id)
    if not told:
        raise BadData(f"{path}: found no record, expected JSON lines with id, reply and target")
    for ids, what in (
        (aimless, "no target"),
        (strays, "a target that is none of their labels or choices"),
        (unknown, "an answer that is none of their labels, and so is wrong"),
    ):
        if ids:
            say(f"{len(ids):,} of {len(told):,} records have {what}; the first is '{ids[0]}'")
    for said in judging(used):
        say(said)
    return cells.rows()[0], told


def _records(path: Path) -> Iterator[Line]:
    """The records of a file, each with an id of its own."""
    seen: dict[str, int] = {}
    for number, told in enumerate(_lines(path), start=1):
        line = _read(told, path, number)
        if line.item.id in seen:
            raise BadData(
                f"{path}: the id '{line.item.id}' stands for two records, number {seen[line.item.id]} and number {number}; give each its own"
            )
        seen[line.item.id] = number
        yield line


async def _score(scorer: Scorer, line: Line) -> Score:
    counts = getattr(scorer, "counts", None)
    if line.given is None or counts is None:
        return await scorer.score(line.item, line.response)
    (answer,) = line.given
    return Score(counts(line.item, answer), answer, "unparsed" if answer is None else "answered", "given")


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


def _read(line: Any, path: Path, number: int) -> Line:
    """One record: its item, its reply, and its answer where it has one."""
    where = f"{path}, record {number}"
    if not isinstance(line, Mapping):
        raise BadData(f"{where}: found {type(line).__name__}, expected an object with id, reply and target")
    found = {ours: next((line[name] for name in names if name in line), None) for ours, names in NAMES.items()}
    labels, choices = _shown(found["labels"], found["choices"], where)
    if not isinstance(found["reply"], str | int | float | None):
        raise BadData(f"{where}: found {type(found['reply']).__name__} for reply, expected a text or null")
    if not any(name in line for kind in ("reply", "answer") for name in NAMES[kind]):
        raise BadData(f"{where}: has no reply and no answer, expected one of both; its fields are {', '.join(line)}")
    targets = found["target"] if isinstance(found["target"], list) else [found["target"]]
    right = tuple(_label(str(target), labels, choices) for target in targets if target is not None)
    item = Item(
        str(found["id"] if found["id"] is not None else number),
        question=str(found["question"] or ""),
        choices=choices,
        labels=labels,
        targets=right,
        tags={name: str(line[name]) for name in ("description", "source") if line.get(name)},
    )
    said = found["answer"] if isinstance(found["answer"], list | None) else [found["answer"]]
    answer = None if said is None else ",".join(_label(str(one), labels, choices) for one in said)
    given = (answer,) if any(name in line for name in NAMES["answer"]) else None
    stop = line.get("stop") or line.get("finish_reason")
    response = Response(
        "" if found["reply"] is None else str(found["reply"]), "length" if stop in ("length", "max_tokens") else "end"
    )
    return Line(item, response, given)


def _shown(labels: Any, choices: Any, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of a record, and the texts shown under them.

    >>> _shown("AB", None, ""), _shown(None, {"A": "cat", "B": "dog"}, "")
    ((('A', 'B'), ()), (('A', 'B'), ('cat', 'dog')))
    """
    if isinstance(choices, Mapping):
        labels, choices = labels or list(choices), list(choices.values())
    for name, given in (("labels", labels), ("choices", choices)):
        if not isinstance(given, str | list | None):
            raise BadData(f"{where}: found {type(given).__name__} for {name}, expected a list of texts")
    texts = tuple(map(str, choices or ()))
    letters = tuple(map(str, labels or string.ascii_uppercase[: len(texts)]))
    if texts and len(letters) != len(texts):
        raise BadData(f"{where}: found {len(texts)} choices and {len(letters)} labels, expected as many of both")
    if len({*letters}) < len(letters):
        raise BadData(f"{where}: found the labels {', '.join(letters)}, expected each once")
    return letters, texts


def _label(target: str, labels: tuple[str, ...], choices: tuple[str, ...]) -> str:
    """A target as a label, where it is one or names a choice; else as it stands.

    >>> _label("dog", ("A", "B"), ("cat", "Dog")), _label("b", ("A", "B"), ())
    ('B', 'B')
    """
    if target in labels:
        return target
    if target in choices:
        return labels[choices.index(target)]
    for names in (choices, labels):  # in another case, where that tells one
        alike = [label for label, name in zip(labels, names, strict=False) if name.casefold() == target.casefold()]
        if len(alike) == 1:
            return alike[0]
    return target
