"""The journal of a run: one line for each answer or failure, because answers cost money.

Append-only. Lines are written whole before anything is told about them, so a killed process loses none; the disk is
asked to keep them twice a second, off the loop. A line cut short by a crash is removed when the journal is opened
again. The last line about a question counts: a failure that was asked again and answered has two.
"""

from __future__ import annotations

import asyncio
import os
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import xxhash
from msgspec import Struct

from earmark.data.plain import encode_line
from earmark.data.regular import read_lines
from earmark.errors import BadData, RunStopped
from earmark.text.imported_verdicts import parse_notes
from earmark.types import Failure, Hertz, ImportedVerdict, Item, Response, Seconds, State, Usage

JOURNAL_FILE, SIGNATURE_FILE, METRICS_FILE, SCORES_FILE = "responses.jsonl", "run.json", "metrics.json", "scores.jsonl"
CONFIG_FILE: Final = "config.yaml"

FLUSH_INTERVAL: Final[Seconds] = (
    0.5  # between two requests to the disk to keep what was written: what a power cut may take
)
NO_USAGE: Final = Usage()
LineType = TypeVar("LineType")


class AudioSent(Struct, frozen=True, omit_defaults=True):
    """A sound as the model was given it."""

    name: str
    source: str  # digest of the recording or recipe behind it
    format: str
    rate: Hertz
    channels: int
    seconds: Seconds
    bytes: int
    notes: tuple[str, ...] = ()


class Record(Struct, frozen=True, omit_defaults=True):
    """One line: what was asked, under which condition, and what came of it."""

    item: Item
    prompt_digest: str = ""  # digest of the prompt's words
    audio_digest: str = ""  # digest of its recordings, where all of them were sent
    file_stamp: str = ""  # digest of the size and time of change of the files behind them
    condition: str = "plain"
    repeat: int = 0
    words: str = ""  # digest of the words that were sent, a line of words.jsonl
    audio_sent: tuple[AudioSent, ...] = ()
    response: Response | None = None
    failure: Failure | None = None
    attempts: int = 1
    timestamp: Seconds = 0.0  # when it was written, since 1970
    verdicts: tuple[ImportedVerdict, ...] = ()  # of another harness, on the response

    @property
    def all_verdicts(self) -> tuple[ImportedVerdict, ...]:
        """The verdicts of another harness; journals of version 0.1 hold them as notes of the response."""
        return self.verdicts or (parse_notes(self.response.notes) if self.response and self.response.notes else ())

    @property
    def title(self) -> str:
        """Name of the question, for messages."""
        times = f", repeat {self.repeat}" if self.repeat else ""
        return f"{self.item.task}, item {self.item.id}, {self.condition}{times}"


class ScoreLine(Struct, frozen=True, omit_defaults=True):
    """One line of scores.jsonl."""

    task: str
    id: str
    condition: str
    repeat: int
    scorer: str
    state: State
    answer: str | None = None
    counts: dict[str, float] = {}
    rule: str = ""
    why: str = ""
    value: float | None = None  # the headline metric of the scorer on this item alone
    right: bool | None = None  # None: it is graded, not right or wrong


class _Item(Struct, frozen=True):
    id: str
    task: str = ""
    group: str = ""


class _Failure(Struct, frozen=True):
    final: bool = True
    state: str = ""


class RecordKey(Struct, frozen=True):
    """As much of a line as names its question."""

    item: _Item
    prompt_digest: str = ""
    audio_digest: str = ""
    file_stamp: str = ""
    condition: str = "plain"
    repeat: int = 0
    failure: _Failure | None = None

    def question_id(self) -> int:
        return question_key(self.item.task, self.item.id, self.condition, self.repeat)


class UsageTotals(Struct, frozen=True, omit_defaults=True):
    """Total usage of the responses of a run, retries included."""

    answers: int = 0
    usage: Usage = Usage()
    seconds: Seconds = 0.0  # of waiting for each, added up
    audio_seconds: Seconds = 0.0  # how long the sound lasts that was sent


class _Response(Struct, frozen=True):
    usage: Usage = Usage()
    seconds: Seconds = 0.0


class _AudioLength(Struct, frozen=True):
    seconds: Seconds


class _Answer(RecordKey, frozen=True):
    """As much of a line as resuming needs: its question, and what it took."""

    audio_sent: tuple[_AudioLength, ...] = ()
    response: _Response | None = None


def add_totals(first: UsageTotals, second: UsageTotals) -> UsageTotals:
    """Sum of both."""
    return UsageTotals(*(getattr(first, name) + getattr(second, name) for name in first.__struct_fields__))


class UsageCounter:
    """Adds up the usage of records."""

    def __init__(self) -> None:
        self._answers, self._seconds, self._audio_seconds = 0, 0.0, 0.0
        self._usage: list[Any] = [0, 0, 0, 0, 0.0]  # the fields of Usage

    def add(self, record: Record | _Answer) -> None:
        """Add what a record took; a failure took nothing that is known."""
        response = record.response
        if response is None:
            return
        self._answers += 1
        self._seconds += response.seconds
        for sent in record.audio_sent:
            self._audio_seconds += sent.seconds
        usage, totals = response.usage, self._usage
        if usage != NO_USAGE:
            totals[0] += usage.tokens_in
            totals[1] += usage.tokens_out
            totals[2] += usage.audio_tokens_in
            totals[3] += usage.audio_tokens_out
            totals[4] += usage.cost

    @property
    def totals(self) -> UsageTotals:
        return UsageTotals(self._answers, Usage(*self._usage), self._seconds, self._audio_seconds)


def question_key(task: str, item: str, condition: str, repeat: int) -> int:
    """64 bits that name one question of a run."""
    text = f"{task}\x1f{item}\x1f{condition}\x1f{repeat}"
    return xxhash.xxh3_64_intdigest(text.encode())


class Completed(NamedTuple):
    """Digests of a completed question, as bits; 0 for none."""

    prompt: int
    audio: int
    files: int


class CompletedIndex:
    """The questions that need not be asked again, in 32 bytes each: a million of them fit anywhere."""

    def __init__(self, lines: Iterable[RecordKey] = ()) -> None:
        rows = (
            (line.question_id(), _bits(line.prompt_digest), _bits(line.audio_digest), _bits(line.file_stamp))
            for line in lines
            if line.failure is None or line.failure.final
        )
        table = np.fromiter(rows, np.dtype([("key", "u8"), ("prompt", "u8"), ("audio", "u8"), ("files", "u8")]))
        _, last = np.unique(table["key"][::-1], return_index=True)  # the last line about a question counts
        kept = table[::-1][last]
        self._keys, *self._digests = (array("Q", kept[name].tobytes()) for name in ("key", "prompt", "audio", "files"))

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, question: int) -> Completed | None:
        """Digests of a completed question."""
        index = bisect_left(self._keys, question)
        if index == len(self._keys) or self._keys[index] != question:
            return None
        return Completed(*(column[index] for column in self._digests))

    def __contains__(self, question: object) -> bool:
        if not isinstance(question, int):
            return False
        index = bisect_left(self._keys, question)
        return index < len(self._keys) and self._keys[index] == question


def _bits(digest: str) -> int:
    return int(digest or "0", 16)


class Journal:
    """An open journal, written from one event loop.

    `written` is called with records once they are in the file, so that nobody hears of an answer that a killed process
    would have lost. Records that come in one turn of the loop go into one write.
    """

    def __init__(self, path: Path, on_written: Callable[[Record], None]) -> None:
        self.path = path
        self._written = on_written
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        _repair(self._file, path)
        self._waiting: list[tuple[Record, bytes]] = []
        self._kept_at = time.monotonic()
        self._keeping: asyncio.Task[None] | None = None
        self._error: OSError | None = None
        self._identity = _identify(os.fstat(self._file))
        self._looked_at = time.monotonic()

    def append(self, record: Record) -> None:
        """Write a record before the loop turns again. Raises RunStopped where the disk does not take it.

        It is encoded here and alone: what is wrong with a record never takes another with it.
        """
        self.check()
        self._waiting.append((record, encode_line(record)))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._write)

    def _write(self) -> None:
        records, self._waiting = self._waiting, []
        lines = b"".join([line for _, line in records])
        try:
            written = 0
            while written < len(lines):  # a signal may cut a write short
                written += os.write(self._file, lines[written:])
        except OSError as error:
            self._error = error
            return
        for record, _ in records:
            self._written(record)
        if time.monotonic() - self._kept_at >= FLUSH_INTERVAL and (self._keeping is None or self._keeping.done()):
            self._kept_at = time.monotonic()
            self._keeping = asyncio.create_task(asyncio.to_thread(os.fsync, self._file))

    async def close(self) -> None:
        """Write what waits and ask the disk to keep everything."""
        self._write()
        if self._keeping is not None:
            await asyncio.shield(self._keeping)
        os.fsync(self._file)
        os.close(self._file)
        self.check()

    def check(self) -> None:
        """Raise RunStopped where the disk did not take something, or the file is not at its place any more."""
        if time.monotonic() - self._looked_at >= FLUSH_INTERVAL:
            self._looked_at = time.monotonic()
            self._check_place()
        if self._error:
            raise RunStopped(
                f"{self.path}: cannot be written ({self._error}); make room, and the same command goes on"
            ) from self._error

    def _check_place(self) -> None:
        """Raise RunStopped where the folder of the run was deleted or moved: more answers would be lost with it."""
        try:
            if _identify(os.stat(self.path)) == self._identity:  # noqa: PTH116 - once in half a second
                return
        except FileNotFoundError:
            pass
        why = "was deleted or moved while the run went on; nothing more is asked"
        raise RunStopped(f"{self.path}: {why}. Put the folder back, or run the command again to start anew")


def _identify(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _repair(file: int, path: Path) -> None:
    """Cut off a last line that a crash left unfinished."""
    end = os.lseek(file, 0, os.SEEK_END)
    offset, newline = end, -1
    while offset > 0 and newline < 0:
        step = min(65536, offset)
        offset -= step
        newline = os.pread(file, step, offset).rfind(b"\n")
    whole = offset + newline + 1
    if whole and os.pread(file, 1, 0) != b"{":
        raise BadData(f"{path}: is no journal of a run, expected lines of JSON; give another results=FOLDER")
    if whole < end:
        os.ftruncate(file, whole)


def read_journal(path: Path) -> Iterator[Record]:
    """The lines of a journal in order, a torn last one left out. Raises BadData for one that is no record."""
    return _lines(path, msgspec.json.Decoder(Record))


def read_keys(path: Path) -> Iterator[RecordKey]:
    """The lines of a journal as far as resuming needs them."""
    return _lines(path, msgspec.json.Decoder(RecordKey))


def _lines(path: Path, decoder: msgspec.json.Decoder[LineType]) -> Iterator[LineType]:
    if not path.exists():
        return
    for number, line in enumerate(read_lines(path), start=1):
        if not line.endswith(b"\n"):
            return
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError as error:
            raise BadData(
                f"{path}, line {number}: is no record of a run ({error}); restore the file, or start anew with "
                "resume=false"
            ) from error


def line_offsets(path: Path) -> dict[int, int]:
    """Byte offset of the latest line of each question."""
    with path.open("rb") as file:
        starts = accumulate(map(len, file), initial=0)
        return {line.question_id(): offset for offset, line in zip(starts, read_keys(path), strict=False)}


def read_at(file: BinaryIO, offset: int) -> Record:
    """The line of an open journal that begins at some place."""
    file.seek(offset)
    try:
        return msgspec.json.decode(file.readline(), type=Record)
    except msgspec.DecodeError as error:
        raise BadData(
            f"{file.name}, byte {offset}: is no record of a run ({error}); restore the file from a copy"
        ) from error


def count_standing(path: Path) -> int:
    """Return the number of questions that a journal holds a record of."""
    return int(latest_mask(path).sum())


def latest_mask(path: Path) -> npt.NDArray[np.bool_]:
    """For each line whether it stands: the last one about its question does."""
    questions = np.fromiter((line.question_id() for line in read_keys(path)), np.uint64)
    _, last = np.unique(questions[::-1], return_index=True)
    stands = np.zeros(questions.size, np.bool_)
    stands[questions.size - 1 - last] = True
    return stands


def load_completed(path: Path) -> tuple[CompletedIndex, UsageTotals]:
    """Load the completed questions of a journal, and what all of its responses took."""
    usage = UsageCounter()

    def count() -> Iterator[RecordKey]:
        for line in _lines(path, msgspec.json.Decoder(_Answer)):
            usage.add(line)
            yield line

    return CompletedIndex(count()), usage.totals


def total_usage(path: Path) -> UsageTotals:
    """Sum the usage of the responses in a journal."""
    return load_completed(path)[1]
