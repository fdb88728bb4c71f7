"""Personalized-Hearing's own results: <user>.jsonl, a line for each question.

Keys in order: user_id, candidate_id, type, options (labelled), gold, picked (none or one letter), outcome (correct,
wrong, parse_failure, error), reply, latency_s; an error has no reply and says what it was. A question that failed and
was answered later has two lines, and the one that is no error counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from earmark.data.regular import MAX_LINE_BYTES, read_lines
from earmark.errors import BadData
from earmark.journal import Record, ScoreLine
from earmark.plugins.examples import ImporterExample
from earmark.runs.hearing_lines import result_line, result_path
from earmark.runs.imported import ExportingImporter, ImportedRun
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Context, Failure, Item, Response

LABELS = ("a", "b", "c", "d")


class ResultLine(Struct, frozen=True):
    """One line."""

    user_id: str
    candidate_id: str
    type: str
    options: tuple[str, str, str, str]
    gold: Literal["a", "b", "c", "d"]
    picked: tuple[str, ...]
    outcome: Literal["correct", "wrong", "parse_failure", "error"]
    latency_s: float = 0.0
    reply: str | None = None
    error: str | None = None


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    first = next(iter(_files(path)), None)
    if first is None:
        return False
    with first.open("rb") as file:
        line = file.readline(MAX_LINE_BYTES)
    return line.startswith(b"{") and b'"candidate_id"' in line and b'"outcome"' in line


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.glob("*.jsonl"))


def read(path: Path) -> Iterator[ImportedRun]:
    """One run out of all the users' files."""
    model = path.stem if path.is_file() else path.name
    yield ImportedRun(
        "personalized_hearing", ("questions",), model, _records(path), files=tuple(_files(path.absolute()))
    )


def _records(path: Path) -> Iterator[Record]:
    lines: dict[tuple[str, str], ResultLine] = {}
    for file in _files(path):
        for number, raw in enumerate(read_lines(file), start=1):
            try:
                line = msgspec.json.decode(raw, type=ResultLine)
            except msgspec.MsgspecError as error:
                if not raw.endswith(b"\n"):
                    continue  # cut short by a crash
                raise BadData(f"{file}, line {number}: is no result of Personalized-Hearing ({error})") from error
            name = (line.user_id, line.candidate_id)
            if line.outcome != "error" or name not in lines:
                lines[name] = line
    recur = len({candidate for _, candidate in lines}) < len(lines)
    yield from (_record(line, f"{line.user_id}/" if recur else "") for line in lines.values())


def _record(line: ResultLine, before: str) -> Record:
    choices = tuple(option.partition(") ")[2] for option in line.options)
    tags = {"type": line.type, "user": line.user_id}
    item = Item(before + line.candidate_id, "questions", "", (), choices, LABELS, (line.gold,), line.user_id, tags)
    if line.outcome == "error":
        return Record(item, failure=Failure("request-failed", line.error or "not told"))
    return Record(item, response=Response(line.reply or "", seconds=line.latency_s))


def write(pairs: Iterable[tuple[Record, ScoreLine]], place: Path) -> list[Path]:
    """The results of a run in this form, a file for each user; conditions and repeats, which it does not know, in
    folders.
    """
    users: dict[Path, list[bytes]] = {}
    for record, line in pairs:
        encoded = msgspec.json.encode(result_line(record, line.answer)) + b"\n"
        users.setdefault(result_path(record, place), []).append(encoded)
    for file, lines in users.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(lines))
    return list(users)


def load(settings: Settings, context: Context) -> ExportingImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return ExportingImporter(matches, read, write)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="personalized_hearing"),)
