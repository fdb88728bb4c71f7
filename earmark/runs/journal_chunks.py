"""A journal in chunks of lines: what is counted in each is added in their order, so that sums do not depend on how many
processes count.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from earmark.errors import BadData
from earmark.journal import Record, RecordKey

CHUNK_LINES: Final = 4096


class JournalChunk(NamedTuple):
    """Some lines of a journal."""

    start: int  # byte
    first_line: int  # counted from 1
    stands: bytes  # of each line 1 if it is the last about its question, else 0


def split_journal(path: Path) -> list[JournalChunk]:
    """The chunks of a journal in order; a torn last line is left out. Raises BadData for a line that is no record."""
    if not path.exists():
        return []
    keys, starts, offset = array("Q"), array("Q"), 0
    decode = msgspec.json.Decoder(RecordKey).decode
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            if len(keys) % CHUNK_LINES == 0:
                starts.append(offset)
            offset += len(line)
            try:
                keys.append(decode(line).question_id())
            except msgspec.DecodeError as error:
                raise _no_record(path, len(keys) + 1, error) from error
    questions = np.frombuffer(keys, np.uint64) if keys else np.zeros(0, np.uint64)
    _, last = np.unique(questions[::-1], return_index=True)
    stands = np.zeros(questions.size, np.uint8)
    stands[questions.size - 1 - last] = 1
    lines = range(0, questions.size, CHUNK_LINES)
    return [
        JournalChunk(start, line + 1, stands[line : line + CHUNK_LINES].tobytes())
        for start, line in zip(starts, lines, strict=True)
    ]


def read_chunk(path: Path, chunk: JournalChunk) -> Iterator[tuple[Record, bool]]:
    """The records of a chunk, and whether each stands."""
    decode = msgspec.json.Decoder(Record).decode
    with path.open("rb") as file:
        file.seek(chunk.start)
        for number, stands in enumerate(chunk.stands, start=chunk.first_line):
            try:
                yield decode(file.readline()), bool(stands)
            except msgspec.DecodeError as error:
                raise _no_record(path, number, error) from error


def _no_record(path: Path, line: int, error: msgspec.DecodeError) -> BadData:
    return BadData(
        f"{path}, line {line}: is no record of a run ({error}); restore the file, or start anew with resume=false"
    )
