"""Personalized-Hearing's result files, written while a run goes on, in the order of the data.

A question that is answered before an earlier one waits for it. Lines that a file has already are kept: a question is
written once more only where its last line is an error, as the authors' script does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from earmark.journal import JOURNAL_FILE, Record, read_journal
from earmark.runs.hearing_lines import result_line, result_path
from earmark.types import Item


class WrittenLine(Struct, frozen=True):
    """As much of a line as tells whether its question is done."""

    candidate_id: str = ""
    outcome: str = "error"


class UserFile:
    """The file of one user under one condition."""

    def __init__(self, path: Path, order: list[str], read_answer: Callable[[Record], str | None]) -> None:
        self._path, self._read_answer = path, read_answer
        done = {line.candidate_id for line in _read(path) if line.outcome != "error"}
        self._order = [name for name in order if name not in done]
        self._waiting: dict[str, Record] = {}

    def add(self, record: Record) -> None:
        """Enter a record, and write all that no earlier question keeps waiting."""
        name = record.item.id.removeprefix(f"{record.item.group}/")
        if name in self._order:
            self._waiting[name] = record
        while self._order and self._order[0] in self._waiting:
            self._write(self._order.pop(0))

    def close(self) -> None:
        """Write what still waits for an earlier question."""
        for name in [name for name in self._order if name in self._waiting]:
            self._write(name)

    def _write(self, name: str) -> None:
        record = self._waiting.pop(name)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(result_line(record, self._read_answer(record))) + b"\n")


def _read(path: Path) -> Iterator[WrittenLine]:
    """The lines of a file; half a line at its end, of a process that was killed, is removed."""
    if not path.exists():
        return
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        data = data[: data.rfind(b"\n") + 1]
        path.write_bytes(data)
    for line in data.splitlines():
        try:
            yield msgspec.json.decode(line, type=WrittenLine)
        except msgspec.MsgspecError:
            continue


class ResultFiles:
    """The files of all users of a run."""

    def __init__(self, place: Path, items: Iterable[Item], read_answer: Callable[[Record], str | None]) -> None:
        self._place, self._read_answer = place, read_answer
        self._order: dict[str, list[str]] = {}
        for item in items:
            self._order.setdefault(item.group, []).append(item.id.removeprefix(f"{item.group}/"))
        self._files: dict[Path, UserFile] = {}

    def load(self, run: Path) -> None:
        """Enter what a run has answered before."""
        for record in read_journal(run / JOURNAL_FILE) if (run / JOURNAL_FILE).exists() else ():
            if record.failure is None:
                self.add(record)

    def add(self, record: Record) -> None:
        """Enter a record."""
        path = result_path(record, self._place)
        if path not in self._files:
            self._files[path] = UserFile(path, self._order.get(record.item.group, []), self._read_answer)
        self._files[path].add(record)

    def close(self) -> None:
        """Write what waits for questions that were not answered."""
        for file in self._files.values():
            file.close()
