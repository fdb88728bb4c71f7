"""Inspect's logs: <time>_<task>_<id>.eval, a zip archive with a member for each sample, and .json, the same in one
object.

    header.json (of one that did not end: _journal/start.json)    eval: {task, model, ...}, status, results
    samples/<id>_epoch_<n>.json    id, epoch, input, choices, target, error, limit,
                                   output: {choices: [{message, stop_reason}], usage, time},
                                   scores: {scorer: {value, answer, explanation}}

Version 2 of the format, as Inspect 0.3 writes it. Since 2026 the members are packed by Zstandard, which Python knows
from 3.14 on; before that the package zstandard is needed. An .eval is read sample by sample, a .json whole.

A run is a log, its one task the evaluation's task, a repeat an epoch. A sample with an error failed, whether Inspect
scored it all the same (--score-on-error) or left it out; so did one that ended without an answer, at a limit of time or
tokens. A score is C, I, P or N (1, 0, 0.5, 0), a word or a number, as Inspect's own conversion has it, or an object of
several; one that is no number, as of a sample left unscored, is a verdict not given. An empty `answer` beside a score
means that nothing was read. Where a sample has choices and its target is one letter, that is the right one; where
several letters are right at once it has none here. Sound is kept in the log as attachments; it is not taken over.
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.data.cache import hash64
from earmark.data.clips import DAMAGED_ARCHIVE_ERRORS
from earmark.errors import BadData, BadSetup
from earmark.importers._runs import (
    LETTERS,
    LoggedMessage,
    LoggedOutput,
    RepeatIndex,
    decode_json,
    format_published,
    matching_files,
    matching_scorers,
    measure_scorers,
    plain_name,
    prompt_turns,
    read_head,
    user_text,
)
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats, with_prompt
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Context, Failure, ImportedVerdict, Item, Response

HEADERS: Final = ("header.json", "_journal/start.json")
ZSTANDARD: Final = 93  # the number of its method in a zip archive
LOCAL_HEADER: Final = struct.Struct("<26xHH")  # before each member: the lengths of its name and of what follows that
VALUES_OF_WORDS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MAX_REASON: Final = 500  # characters of an error that are kept


class Header(Struct, frozen=True):
    """Header of a log; only the fields used."""

    class _Eval(Struct, frozen=True):
        task: str
        model: str

    class _Results(Struct, frozen=True):
        class _LogScores(Struct, frozen=True):
            class _Metric(Struct, frozen=True):
                value: Any

            name: str
            metrics: dict[str, _Metric] = {}

        scores: list[_LogScores] = []

    eval: _Eval
    status: str = "started"
    results: _Results | None = None


class LoggedSample(Struct, frozen=True):
    """One sample; only the fields used."""

    class _Error(Struct, frozen=True):
        message: str

    class _Limit(Struct, frozen=True):
        type: str

    class _Score(Struct, frozen=True):
        value: Any
        answer: str | None = None
        explanation: str | None = None

    id: int | str
    epoch: RepeatIndex
    input: str | list[LoggedMessage]
    target: str | list[str]
    choices: list[str] | None = None
    output: LoggedOutput = LoggedOutput()
    scores: dict[str, _Score] | None = None
    error: _Error | None = None
    limit: _Limit | None = None


class WholeLog(Struct, frozen=True):
    """A log in one object; samples are decoded one by one."""

    samples: list[msgspec.Raw] | None = None


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    return any(map(_is_log, _logs(path)))


def _logs(path: Path) -> list[Path]:
    return sorted([*matching_files(path.absolute(), "*.eval"), *matching_files(path.absolute(), "*.json")])


def _is_log(file: Path) -> bool:
    begin = read_head(file).lstrip()
    if file.suffix == ".eval":
        return begin.startswith(b"PK")
    return begin.startswith(b"{") and all(name in begin[:2000] for name in (b'"version"', b'"status"', b'"eval"'))


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each log."""
    for file in filter(_is_log, _logs(path)):
        header = _header(file)
        ended = header.status == "success"
        yield ImportedRun(
            benchmark=plain_name(header.eval.task),
            tasks=(),
            model=header.eval.model,
            records=_records(file, plain_name(header.eval.task)),
            scorers=scorers,
            warnings=[
                *format_published("Inspect", header.eval.task, _numbers(header)),
                *([] if ended else [f"this evaluation did not end: its status is {header.status}"]),
            ],
            files=(file,),
        )


def _numbers(header: Header) -> dict[str, float]:
    """Metrics of Inspect over all samples, without standard errors."""
    return {
        f"{score.name} {name}": metric.value
        for score in (header.results.scores if header.results else ())
        for name, metric in score.metrics.items()
        if isinstance(metric.value, int | float) and "stderr" not in name
    }


def scorers(task_stats: TaskStats) -> list[ScorerSpec]:
    """Theirs, and what fits the samples."""
    return [*measure_scorers(task_stats), *matching_scorers(task_stats)]


def _header(file: Path) -> Header:
    expected = "a log of Inspect"
    if file.suffix == ".json":
        header: Header = decode_json(file.read_bytes(), Header, file, expected)
        return header
    with _open_archive(file) as archive:
        present = [name for name in HEADERS if name in archive.namelist()]
        if not present:
            raise BadData(
                f"{file}: found neither {' nor '.join(HEADERS)}, expected {expected}; give an .eval as Inspect wrote it"
            )
        log_header: Header = decode_json(
            _read_member(archive, archive.getinfo(present[0])), Header, f"{file}, {present[0]}", expected
        )
        return log_header


@contextmanager
def _open_archive(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except DAMAGED_ARCHIVE_ERRORS as error:
        raise BadData(f"{file}: cannot be unpacked ({error}); it may have been cut short: get the log anew") from error


def _records(file: Path, task: str) -> Iterator[Record]:
    for where, raw in _samples(file):
        sample: LoggedSample = decode_json(raw, LoggedSample, f"{file}, {where}", "a sample of Inspect")
        yield with_prompt(_record(task, sample), prompt_turns(sample.input))


def _samples(file: Path) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    if file.suffix == ".json":
        whole: WholeLog = decode_json(file.read_bytes(), WholeLog, file, "a log of Inspect")
        yield from ((f"sample {number}", raw) for number, raw in enumerate(whole.samples or [], start=1))
        return
    with _open_archive(file) as archive:
        for member in archive.infolist():
            if member.filename.startswith("samples/"):
                yield member.filename, _read_member(archive, member)


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """One member of an archive, unpacked."""
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    with Path(archive.filename or "").open("rb") as packed:
        packed.seek(member.header_offset)
        before = packed.read(LOCAL_HEADER.size)
        packed.seek(
            sum(LOCAL_HEADER.unpack(before)) if len(before) == LOCAL_HEADER.size else 0, 1
        )  # over its name and what follows it
        return _decompress(packed.read(member.compress_size), f"{archive.filename}, {member.filename}")


def _decompress(packed: bytes, where: str) -> bytes:
    try:
        zstandard = import_module("zstandard")
    except ModuleNotFoundError as error:
        raise BadSetup(
            f"{where} is packed by Zstandard, and the package zstandard is not installed; pip install 'earmark[logs]', "
            "or make "
            "a .json of the log: inspect log convert LOG --to json --output-dir DIR"
        ) from error
    try:
        data: bytes = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read()
    except zstandard.ZstdError as error:
        raise BadData(f"{where}: cannot be unpacked ({error}); get the log anew") from error
    return data


def _record(task: str, sample: LoggedSample) -> Record:
    words = sample.input if isinstance(sample.input, str) else user_text(sample.input)
    item = _item(str(sample.id), task, words, sample)
    asked, repeat = hash64(words.encode()), max(sample.epoch - 1, 0)
    if failed := _failure(sample):
        return Record(item, asked, repeat=repeat, failure=Failure("request-failed", failed[:MAX_REASON]))
    message = sample.output.choices[0].message
    response = Response(message.text, reasoning=message.reasoning)
    verdicts = tuple(_verdicts(sample.scores or {}))
    return Record(item, asked, repeat=repeat, response=sample.output.complete(response), verdicts=verdicts)


def _failure(sample: LoggedSample) -> str:
    """Reason why there is no answer; nothing where there is one."""
    if sample.error:
        return _reason(sample.error.message)
    if sample.output.choices:
        return ""
    if sample.limit:
        return f"ended at a limit of {sample.limit.type} before an answer"
    return sample.output.error or "ended without an answer"


def _reason(message: str) -> str:
    """An error without the request that Inspect sets before it.

    >>> _reason(r"ModelGenerateError('\\nRequest:\\n{\\n ...\\n}\\n\\nBadRequestError(\\'400\\')')")
    "BadRequestError('400')"
    """
    before, request, reason = message.rpartition(r"\n}\n\n")
    text = reason.removesuffix("')").replace(r"\'", "'") if request and r"\nRequest:" in before else message
    return " ".join(text.split())


def _item(name: str, task: str, words: str, sample: LoggedSample) -> Item:
    targets = (sample.target,) if isinstance(sample.target, str) else tuple(sample.target)
    choices = tuple(sample.choices or ())
    labels = tuple(LETTERS[: len(choices)])
    if len(choices) <= len(LETTERS) and len(targets) == 1 and targets[0] in labels:
        return Item(name, task, words, choices=choices, labels=labels, targets=targets)
    return Item(name, task, words, targets=targets)


def _verdicts(scores: Mapping[str, LoggedSample._Score]) -> Iterator[ImportedVerdict]:
    for name, score in scores.items():
        several = score.value if isinstance(score.value, dict) else {"": score.value}
        for part, value in several.items():
            of = plain_name(f"{name}.{part}" if part else name)
            yield ImportedVerdict(of, _value(value), score.answer, score.explanation or "")


def _value(value: Any) -> float | None:
    """Convert a value as Inspect does; None if it is no number, as for an unscored sample.

    >>> _value("C"), _value(True), _value("0.5"), _value(float("nan")), _value([1])
    (1.0, 1.0, 0.5, None, None)
    """
    if isinstance(value, str):
        value = (
            VALUES_OF_WORDS.get(value, VALUES_OF_WORDS.get(value.lower(), value))
            if value not in ("c", "i", "p", "n")
            else None
        )
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="inspect", cut="choices.eval"),)
