"""The words that were sent to a model: words.jsonl beside the journal, a line for each distinct prompt.

    {"digest": "dad2a3b008ec657f", "turns": [{"role": "user", "parts": [{"sound": 0}, "Which letter?"]}]}

Words are those after the condition. Sounds and pictures are told by their number within the prompt, in playing order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.data.cache import hash64
from earmark.data.plain import ENCODER, repair
from earmark.errors import BadData, RunStopped
from earmark.types import Clip, EncodedAudio, LoadedClip, Prompt, Role, SynthSpec, Waveform

WORDS_FILE: Final = "words.jsonl"
MERGE_SIZE: Final = 1 << 15  # digests that are held as a set before they are sorted into the array
SOUNDS: Final = (EncodedAudio, Waveform, LoadedClip, Clip, SynthSpec)
WordsPart: TypeAlias = str | dict[str, int]  # a text, {"sound": number} or {"picture": number}


class WordsTurn(Struct, frozen=True):
    """One turn of a prompt, media by their number."""

    role: Role
    parts: tuple[WordsPart, ...]


class PromptWords(Struct, frozen=True):
    """The words of a prompt."""

    digest: str
    turns: tuple[WordsTurn, ...]


def describe_turns(prompt: Prompt) -> list[WordsTurn]:
    """Describe the turns of a prompt, media by their number.

    >>> from earmark.types import Turn
    >>> describe_turns(Prompt((Turn("user", (SynthSpec("tone"), "Which?")),)))
    [WordsTurn(role='user', parts=({'sound': 0}, 'Which?'))]
    """
    sounds, pictures = count(), count()

    def describe(part: object) -> WordsPart:
        if isinstance(part, str):
            return part
        return {"sound": next(sounds)} if isinstance(part, SOUNDS) else {"picture": next(pictures)}

    return [WordsTurn(turn.role, tuple(describe(part) for part in turn.parts)) for turn in prompt.turns]


def encode_words(turns: Sequence[WordsTurn]) -> tuple[str, bytes]:
    """Return the digest of a prompt's words and their line in words.jsonl."""
    try:
        encoded = ENCODER.encode(turns)
    except UnicodeEncodeError:
        encoded = ENCODER.encode(repair(msgspec.to_builtins(turns)))
    digest = hash64(encoded)
    return digest, b'{"digest":"%s","turns":%s}\n' % (digest.encode(), encoded)


class DigestSet:
    """A set of digests in 8 bytes each, but for the newest."""

    def __init__(self, digests: Iterable[str] = ()) -> None:
        self._sorted: npt.NDArray[np.uint64] = np.unique(np.fromiter((int(each, 16) for each in digests), np.uint64))
        self._new: set[int] = set()

    def add(self, digest: str) -> bool:
        """Add a digest; return True if it is new."""
        key = int(digest, 16)
        if key in self._new:
            return False
        index = int(self._sorted.searchsorted(np.uint64(key))) if self._sorted.size else 0
        if index < self._sorted.size and int(self._sorted[index]) == key:
            return False
        self._new.add(key)
        if len(self._new) >= MERGE_SIZE:
            self._sorted = np.union1d(self._sorted, np.fromiter(self._new, np.uint64))
            self._new.clear()
        return True


class WordsFile:
    """The open words.jsonl of a run: each distinct line is appended once. A torn last line is cut off."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = DigestSet(_whole_digests(path))
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        os.close(self._file)

    def append(self, digest: str, line: bytes) -> None:
        """Write a line unless it is there. Raises RunStopped where the disk does not take it."""
        if not self._known.add(digest):
            return
        try:
            written = 0
            while written < len(line):  # a signal may cut a write short
                written += os.write(self._file, line[written:])
        except OSError as error:
            raise RunStopped(
                f"{self._path}: cannot be written ({error}); make room, and the same command goes on, or leave words "
                "out with keep_words=false"
            ) from error


class _Digest(Struct, frozen=True):
    digest: str


def _whole_digests(path: Path) -> Iterator[str]:
    """The digests of a file; a last line that a crash left unfinished is cut off."""
    if not path.exists():
        return
    whole = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            yield _decode(line, _Digest, path, number).digest
    if whole < path.stat().st_size:
        os.truncate(path, whole)


def _decode(line: bytes, kind: Any, path: Path, number: int) -> Any:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise BadData(
            f"{path}, line {number}: no words of a prompt ({error}); restore the file, or delete it"
        ) from error


def read_words(path: Path) -> Iterator[PromptWords]:
    """The lines of a words.jsonl in order, a torn last one left out; nothing where there is no such file."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield _decode(line, PromptWords, path, number)


def join_words(sources: Iterable[Path], target: Path) -> None:
    """Write the words of several files into one, each distinct prompt once; no file where there are none."""
    present = [path for path in sources if path.exists()]
    if not present:
        return
    with WordsFile(target) as file:
        for path in present:
            for words in read_words(path):
                file.append(*encode_words(words.turns))


def find_words(path: Path, digest: str) -> PromptWords | None:
    """The words of one prompt by its digest; None where they were not kept."""
    start = b'{"digest":"%s",' % digest.encode()
    if not digest or not path.exists():
        return None
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith(start) and line.endswith(b"\n"):
                words: PromptWords = _decode(line, PromptWords, path, number)
                return words
    return None
