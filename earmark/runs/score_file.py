"""Bring your own replies: lines of a file as items and responses, scored with no model in sight.

A line holds `id`, `reply` and `target` (a label, the text of a choice, or for open questions a text), `choices` (a
list, or an object of texts by label) or bare `labels`, and `answer`, even null, where a reader already ran. Lines of
one `group`, such as those about one recording, are resampled together. A judge is also told the `question`, and the
`description` of the sound where its prompt has room for one; COMET is told the `source` of a translation. `stop` or
`finish_reason` tells of a reply that was cut or withheld. The names of the official LISTEN results are understood too:
sample_id, raw_response, expected_letter, randomized_choices, predicted_letter. Other fields are not read, which is
said.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
import orjson

from earmark.data.plain import encode_line, repair
from earmark.data.regular import check_regular, read_lines
from earmark.errors import BadData
from earmark.journal import Record
from earmark.plugins.abilities import CountsAnswers
from earmark.report.aggregates import Aggregates
from earmark.report.rows import Row
from earmark.report.table import judge_usage_lines
from earmark.runs.dataset_check import Astray
from earmark.runs.open_scorers import enter_scorer
from earmark.runs.scoring import MAX_CONCURRENT_SCORES, score_line
from earmark.text.stops import stop_of
from earmark.text.targets import resolve_target
from earmark.text.thoughts import without_thoughts
from earmark.types import Item, Response, Score, Scorer, Usage

NAMES: Final = {
    "id": ("id", "sample_id"),
    "reply": ("reply", "raw_response"),
    "question": ("question",),
    "target": ("target", "targets", "expected_letter", "gold"),
    "choices": ("choices", "randomized_choices"),
    "labels": ("labels",),
    "answer": ("answer", "predicted_letter"),
    "group": ("group",),
}
HEAD_BYTES: Final = 4096  # of a file, where a list begins if it is one
MAX_LIST_BYTES: Final = 256 << 20  # of a file that is one list, which is read whole
Replies: TypeAlias = Path | Sequence[Mapping[str, Any]]  # a file of JSON, or its records
TOLD_TO_SCORERS: Final = ("description", "source")
FIELDS: Final = {*chain(*NAMES.values()), *TOLD_TO_SCORERS, "stop", "finish_reason"}


class ReplyLine(NamedTuple):
    """One record of a file."""

    item: Item
    response: Response
    parsed_answer: tuple[str | None] | None  # its answer, where a reader already ran
    unread: tuple[str, ...] = ()  # its fields that play no part

    @property
    def has_invalid_answer(self) -> bool:
        """True if a reader's answer is no label of the item; several labels are joined by commas."""
        answer = self.parsed_answer[0] if self.parsed_answer else None
        labels = self.item.labels
        return bool(labels) and answer is not None and not {part.strip() for part in answer.split(",")} <= {*labels}


class Notices:
    """What must be known of the records of a file, gathered one by one."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._unread: dict[str, None] = {}
        self._records = 0

    def add(self, line: ReplyLine) -> None:
        """Take note of one record."""
        self._records += 1
        self._unread |= dict.fromkeys(line.unread)
        item = line.item
        if not item.targets:
            self._note("no target", item)
        if line.has_invalid_answer:
            self._note("an answer that is none of their labels, and so is wrong", item)

    def _note(self, what: str, item: Item) -> None:
        self._ids.setdefault(what, []).append(item.id)

    def lines(self) -> Iterator[str]:
        """One sentence a kind."""
        for what, ids in self._ids.items():
            yield f"{len(ids):,} of {self._records:,} records have {what}; the first is '{ids[0]}'"
        if self._unread:
            yield f"fields that are not read: {', '.join(self._unread)}; those that are: {', '.join(sorted(FIELDS))}"


async def score_file(
    replies: Replies, scorer: Scorer, log: Callable[[str], None] = lambda _: None
) -> tuple[Row, list[bytes]]:
    """The numbers of a file or of records in memory, and a JSON line about each; what must be known to read them is
    said.
    """
    aggregates, used, notices = Aggregates(), Usage(), Notices()
    encoded_lines = []
    check_targets(replies)
    lines = _records(replies)
    async with AsyncExitStack() as stack:
        opened = await enter_scorer(scorer, stack)
        while some := list(islice(lines, MAX_CONCURRENT_SCORES)):
            scores = await asyncio.gather(*(_score(opened, line) for line in some))
            for line, earned in zip(some, scores, strict=True):
                record = Record(line.item, response=line.response)
                aggregates.add(record, opened, earned)
                used += earned.usage
                encoded_lines.append(
                    encode_line(msgspec.structs.asdict(score_line(record, opened.name, opened, earned)))
                )
                notices.add(line)
    if not encoded_lines:
        raise BadData(f"{_name(replies)}: found no record, expected JSON lines with id, reply and target")
    for usage_line in (*notices.lines(), *judge_usage_lines(used)):
        log(usage_line)
    return aggregates.to_rows()[0], encoded_lines


def _name(replies: Replies) -> str:
    return str(replies) if isinstance(replies, Path) else "replies"


def check_targets(replies: Replies) -> None:
    """Check the target of every record of a file. Raises BadData where some name none of their labels or choices."""
    astray = Astray(_name(replies))
    for line in _records(replies):
        astray.check(line.item)
    astray.refuse()


def _records(replies: Replies) -> Iterator[ReplyLine]:
    """The records of a file, each with an id of its own."""
    seen: dict[str, int] = {}
    path = _name(replies)
    for number, value in enumerate(_lines(replies) if isinstance(replies, Path) else replies, start=1):
        line = _parse_line(value, path, number)
        if line.item.id in seen:
            raise BadData(
                f"{path}: the id '{line.item.id}' stands for two records, number {seen[line.item.id]} and number "
                f"{number}; give each its own"
            )
        seen[line.item.id] = number
        yield line


async def _score(scorer: Scorer, line: ReplyLine) -> Score:
    if line.parsed_answer is None or not isinstance(scorer, CountsAnswers):
        return await scorer.score(line.item, without_thoughts(line.response))
    (answer,) = line.parsed_answer
    return Score(scorer.counts(line.item, answer), answer, "unparsed" if answer is None else "answered", "given")


def _lines(path: Path) -> Iterator[Any]:
    check_regular(path)
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES).removeprefix(codecs.BOM_UTF8)  # which spreadsheets and Windows put there
    if head.lstrip()[:1] == b"[":
        if (size := path.stat().st_size) > MAX_LIST_BYTES:
            raise BadData(
                f"{path}: is a list of {size:,} bytes, expected at most {MAX_LIST_BYTES:,}; write one object a line"
            )
        yield from _parse_json(path.read_bytes().removeprefix(codecs.BOM_UTF8), str(path))
        return
    for number, line in enumerate(read_lines(path), start=1):
        text = line.removeprefix(codecs.BOM_UTF8).strip() if number == 1 else line.strip()
        if text:
            yield _parse_json(text, f"{path}, line {number}")


def _parse_json(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if "surrogate" in str(error):
            with suppress(json.JSONDecodeError, UnicodeDecodeError):
                return repair(json.loads(data))
        raise BadData(f"{where}: is no JSON ({error}); expected one object a line") from error


def _parse_line(line: Any, path: str, number: int) -> ReplyLine:
    """One record: its item, its reply, and its answer where it has one."""
    where = f"{path}, record {number}"
    if not isinstance(line, Mapping):
        raise BadData(f"{where}: found {type(line).__name__}, expected an object with id, reply and target")
    fields = {ours: next((line[name] for name in names if name in line), None) for ours, names in NAMES.items()}
    labels, choices = _labels_and_choices(fields["labels"], fields["choices"], where)
    for name in ("reply", "group"):
        if not isinstance(fields[name], str | int | float | None):
            raise BadData(f"{where}: found {type(fields[name]).__name__} for {name}, expected a text or null")
    if not any(name in line for kind in ("reply", "answer") for name in NAMES[kind]):
        raise BadData(f"{where}: has no reply and no answer, expected one of both; its fields are {', '.join(line)}")
    targets = fields["target"] if isinstance(fields["target"], list) else [fields["target"]]
    texts = [str(target) for target in targets if target is not None]
    right = [label for text in texts for label in resolve_target(text, choices, labels) or (text,)]
    item = Item(
        str(fields["id"] if fields["id"] is not None else number),
        question=str(fields["question"] or ""),
        choices=choices,
        labels=labels,
        targets=tuple(dict.fromkeys(right)),
        group=str(fields["group"]) if fields["group"] is not None else "",
        tags={name: str(line[name]) for name in TOLD_TO_SCORERS if line.get(name)},
    )
    answers = fields["answer"] if isinstance(fields["answer"], list | None) else [fields["answer"]]
    answer = (
        None
        if answers is None
        else ",".join((*resolve_target(str(part), choices, labels), str(part))[0] for part in answers)
    )
    given = (answer,) if any(name in line for name in NAMES["answer"]) else None
    stop = stop_of(line.get("stop") or line.get("finish_reason")) or "end"
    response = Response("" if fields["reply"] is None else str(fields["reply"]), stop)
    return ReplyLine(item, response, given, tuple(name for name in line if name not in FIELDS))


def _labels_and_choices(labels: Any, choices: Any, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of a record, and the texts shown under them.

    >>> _labels_and_choices("AB", None, ""), _labels_and_choices(None, {"A": "cat", "B": "dog"}, "")
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
