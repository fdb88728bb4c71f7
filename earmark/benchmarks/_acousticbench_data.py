"""AcousticBench's questions in a schema of ours, since their own is not public.

    questions/TASK.jsonl    a line for each question, see `AcousticQuestion`
    manifest.jsonl          a line for each question: {"task", "question_id", "sha256"}
    anything else           clips, named by their path from here

The digest of a question is the SHA-256 of its line as canonical JSON (keys sorted, no blanks, UTF-8), and after that,
for each of its clips in order, a newline and the SHA-256 of the clip's bytes in hexadecimal. So it tells a changed
word, gold or clip, and does not mind how the line was written.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Final, Literal

import msgspec
import orjson
from msgspec import Meta, Struct

from earmark.benchmarks._acousticbench_store import QUESTIONS, FolderStore, Store, open_store
from earmark.data.cache import atomic_write
from earmark.errors import BadData

MANIFEST: Final = "manifest.jsonl"
COLUMNS: Final = "question_id, split, audio (one or two paths), question, gold (A or B), kind (scored or diagnostic)"


class AcousticQuestion(Struct, frozen=True):
    """One line of questions/TASK.jsonl. Further columns are let be, and are part of its digest."""

    question_id: str
    split: Literal["train", "eval"]
    audio: Annotated[
        tuple[str, ...], Meta(min_length=1, max_length=2)
    ]  # paths of the clips, in the order they are heard
    question: str  # without the answers, where `choices` has them
    gold: Literal["A", "B"]
    kind: Literal["scored", "diagnostic"]
    choices: tuple[str, str] = ("A", "B")  # what A and B stand for, where the question does not tell itself
    group: str = ""  # what questions share that should be resampled together; empty: nothing


class ManifestEntry(Struct, frozen=True):
    """One line of the manifest."""

    task: str
    question_id: str
    sha256: str


class QuestionLine(Struct, frozen=True):
    """A question with the line that it stands on."""

    question: AcousticQuestion
    line: bytes
    number: int  # of the line, from 1


class ManifestCheck(Struct, frozen=True):
    """Result of a check."""

    total: int
    errors: tuple[str, ...]  # a line about each question that did not pass


def read_questions(data: str) -> Mapping[str, tuple[QuestionLine, ...]]:
    """All questions by task. Raises BadData for the first that is not what it should be."""
    store = open_store(data)
    if isinstance(store, FolderStore):
        return _read_complete(store)
    return _read_archive(str(store.path), store.path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _read_archive(place: str, mtime_ns: int) -> Mapping[str, tuple[QuestionLine, ...]]:  # noqa: ARG001 - cache key
    return _read_complete(open_store(place))


def _read_complete(store: Store) -> Mapping[str, tuple[QuestionLine, ...]]:
    """The questions, each with all its clips."""
    read = _read(store)
    for task, all_of_it in read.items():
        for held in all_of_it:
            missing = next((clip for clip in held.question.audio if not store.has(clip)), None)
            if missing is not None:
                raise BadData(
                    f"{_where(store, task, held.number)}: the clip '{missing}' of question "
                    f"'{held.question.question_id}' is not there"
                )
    return read


def _read(store: Store) -> Mapping[str, tuple[QuestionLine, ...]]:
    """The questions, whether or not their clips are there."""
    tasks = store.tasks()
    if not tasks:
        raise BadData(f"{store.path}: found no {QUESTIONS}/TASK.jsonl, expected one for each task")
    return {task: tuple(_lines(store, task)) for task in tasks}


def _lines(store: Store, task: str) -> Iterator[QuestionLine]:
    seen: dict[str, int] = {}
    for number, line in _iter_lines(store, f"{QUESTIONS}/{task}.jsonl"):
        where = _where(store, task, number)
        try:
            question = msgspec.json.decode(line, type=AcousticQuestion)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadData(f"{where}: {error}; expected {COLUMNS}") from error
        if question.question_id in seen:
            raise BadData(f"{where}: the id '{question.question_id}' is that of line {seen[question.question_id]}, too")
        seen[question.question_id] = number
        yield QuestionLine(question, line, number)
    if not seen:
        raise BadData(f"{store.path / QUESTIONS / task}.jsonl: found no question, expected a line for each")


def _where(store: Store, task: str, number: int) -> str:
    return f"{store.path / QUESTIONS / task}.jsonl, line {number}"


def _iter_lines(store: Store, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that hold anything. Raises BadData where the last one is cut short."""
    data = store.read(name)
    lines = data.split(b"\n")
    if lines[-1].strip() and not lines[-1].rstrip().endswith(b"}"):
        raise BadData(f"{store.path / name}, line {len(lines)}: is cut short; copy the file again")
    yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


# ---------------------------------------------------------------- the manifest


def question_digest(line: bytes, clips: Iterable[bytes]) -> str:
    """The digest that a manifest has of a question, from its line and the bytes of its clips."""
    canonical = orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS)
    sounds = (hashlib.sha256(clip).hexdigest().encode() for clip in clips)
    return hashlib.sha256(b"\n".join([canonical, *sounds])).hexdigest()


class DigestedQuestion(Struct, frozen=True):
    """Digest of a question: its manifest entry, or the error."""

    entry: ManifestEntry
    error: str = ""


def manifest_entries(store: Store) -> Iterator[DigestedQuestion]:
    """The entries that the manifest of a store should have, made from what is there."""
    named = [(task, held) for task, all_of_it in _read(store).items() for held in all_of_it]

    def digest_entry(task_and_line: tuple[str, QuestionLine]) -> DigestedQuestion:
        task, held = task_and_line
        try:
            sha256, trouble = question_digest(held.line, map(store.read, held.question.audio)), ""
        except BadData as error:  # a clip that is not there, or cannot be read
            sha256, trouble = "", str(error)
        return DigestedQuestion(ManifestEntry(task, held.question.question_id, sha256), trouble)

    with ThreadPoolExecutor() as pool:  # digests are made outside the interpreter's lock
        yield from pool.map(digest_entry, named)


def encode_manifest(manifest: Iterable[ManifestEntry]) -> bytes:
    """A manifest as it is written."""
    return b"".join(msgspec.json.encode(entry) + b"\n" for entry in manifest)


def write_manifest(data: str) -> int:
    """Write the manifest of a folder; how many questions it has. Raises BadData for the first that is not whole."""
    store = open_store(data)
    if not isinstance(store, FolderStore):
        raise BadData(f"{store.path}: is an archive; a manifest is written into a folder, before it is packed")
    made = list(manifest_entries(store))
    broken = next((digested for digested in made if digested.error), None)
    if broken:
        raise BadData(f"{broken.entry.task} {broken.entry.question_id}: {broken.error}; nothing was written")
    lines = encode_manifest(digested.entry for digested in made)
    atomic_write(store.path / MANIFEST, lines)
    return lines.count(b"\n")


def check_manifest(data: str, tasks: AbstractSet[str] = frozenset()) -> ManifestCheck:
    """Hold every question against the manifest, or those of some tasks."""
    store = open_store(data)
    expected = _manifest(store)
    wrong, total = [], 0
    for digested in manifest_entries(store):
        entry = digested.entry
        if tasks and entry.task not in tasks:
            expected.pop((entry.task, entry.question_id), None)
            continue
        total += 1
        sha256 = expected.pop((entry.task, entry.question_id), None)
        if digested.error or sha256 != entry.sha256:
            complaint = "is not in the manifest" if sha256 is None else f"is {entry.sha256}, the manifest has {sha256}"
            wrong.append(f"{entry.task} {entry.question_id}: {digested.error or complaint}")
    left = [(task, name) for task, name in expected if not tasks or task in tasks]
    wrong += [f"{task} {name}: is in the manifest and not in the data" for task, name in left]
    return ManifestCheck(total, tuple(wrong))


def _manifest(store: Store) -> dict[tuple[str, str], str]:
    """The digests of a manifest by task and question."""
    if not store.has(MANIFEST):
        raise BadData(f"{store.path}: has no {MANIFEST} to check by; of a folder, --write makes one")
    digests: dict[tuple[str, str], str] = {}
    for number, line in _iter_lines(store, MANIFEST):
        try:
            entry = msgspec.json.decode(line, type=ManifestEntry)
        except msgspec.MsgspecError as error:
            raise BadData(
                f"{store.path / MANIFEST}, line {number}: {error}; expected task, question_id, sha256"
            ) from error
        digests[entry.task, entry.question_id] = entry.sha256.lower()
    return digests
