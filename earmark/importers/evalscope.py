"""evalscope's reviews: <work dir>/reviews/<model>/<dataset>_<subset>.jsonl, a line for each reply that was scored
(1.x).

    index, target, messages, sample_score: {score: {value: {name: number}, status, extracted_prediction, prediction,
        explanation}, sample_id, group_id, generation_index}

The question is the user's words, choices are read from them; the reply is the last message, thoughts apart. How the
reply ended (whole, cut, withheld) and what it took stand in predictions/<model>/ beside, under the same name and index.

With --ignore-errors an item whose request failed is in neither file: reports/<model>/<dataset>.json tells how many
there were, and so do we, but nothing tells which, so they are in no denominator. A score whose status is no success
(their judge failed) is a verdict not given. Repeats are generation_index, counted from 0 within group_id. Up to 0.17 a
line has the prompt as `input` instead of messages, and one target as a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from earmark.data.cache import hash64
from earmark.importers._choices import add_choices
from earmark.importers._runs import (
    LoggedMessage,
    LoggedOutput,
    RepeatIndex,
    decode_json,
    first_line,
    format_published,
    matching_files,
    matching_scorers,
    measure_scorers,
    object_keys,
    plain_name,
    prompt_turns,
    read_lines,
    user_text,
)
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats, with_prompt
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Clip, Context, Failure, ImportedVerdict, Item, Response

SCORED_STATUSES: Final = ("success", "fallback")


class ReplyScore(Struct, frozen=True):
    """Score of a reply."""

    value: dict[str, float | bool | None] = {}
    status: str = "success"
    extracted_prediction: str | None = None
    prediction: str | None = None
    explanation: str | None = None
    main_score_name: str | None = None


class SampleScore(Struct, frozen=True):
    """A score, and whose it is."""

    score: ReplyScore
    group_id: int | str | None = None
    generation_index: RepeatIndex | None = None


class Review(Struct, frozen=True):
    """One line of a review."""

    index: int
    sample_score: SampleScore
    target: list[str] | str | None = None
    messages: list[LoggedMessage] = []
    input: str = ""


class Prediction(Struct, frozen=True):
    """One line of the predictions, as far as it is used."""

    index: int
    model_output: LoggedOutput | None = None


class DatasetReport(Struct, frozen=True):
    """Report of a dataset; only the fields used."""

    class _ReportMetric(Struct, frozen=True):
        class _Name(Struct, frozen=True):
            name: str = ""

        class _Semantics(Struct, frozen=True):
            direction: str = ""

        identity: _Name | None = None
        name: str = ""
        score: float | None = None
        semantics: _Semantics | None = None

    class _Execution(Struct, frozen=True):
        class _Subset(Struct, frozen=True):
            requested: int = 0
            errored: int = 0

        subsets: dict[str, _Subset] = {}

    metrics: list[_ReportMetric] = []
    execution_summary: _Execution | None = None


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    written = next((file for file in _reviews(path) if file.stat().st_size), None)  # one of failures alone is empty
    return written is not None and {"index", "sample_score"} <= object_keys(first_line(written))


def _reviews(path: Path) -> list[Path]:
    """A file itself; of a folder what lies in reviews/ or is a folder of reviews."""
    reviews = matching_files(path.absolute(), "*.jsonl")
    return reviews if path.is_file() else [file for file in reviews if file.parent.parent.name == "reviews"]


def read(path: Path) -> Iterator[ImportedRun]:
    """One run for each work folder and model."""
    sittings: dict[Path, list[Path]] = {}
    for file in _reviews(path):
        sittings.setdefault(file.parent, []).append(file)
    for folder, reviews in sittings.items():
        in_reviews = folder.parent.name == "reviews"
        reports = _reports(folder.parent.parent / "reports" / folder.name) if in_reviews else {}
        yield ImportedRun(
            benchmark="evalscope",
            tasks=(),
            model=folder.name if in_reviews else "",
            records=_records(reviews),
            scorers=partial(scorers, reports),
            warnings=[
                *_format_published(reports),
                *(notice for file in reviews for notice in _failure_notices(file.stem, reports)),
            ],
            files=tuple(reviews),
        )


def _reports(folder: Path) -> dict[str, DatasetReport]:
    return {
        file.stem: decode_json(file.read_bytes(), DatasetReport, file, "a report of evalscope")
        for file in matching_files(folder, "*.json")
    }


def _report(stem: str, reports: Mapping[str, DatasetReport]) -> tuple[str, DatasetReport] | None:
    """The report of a dataset, whose name and a subset's make the name of a review."""
    named = [name for name in reports if stem.startswith(f"{name}_")]
    return (max(named, key=len), reports[max(named, key=len)]) if named else None


def _failure_notices(stem: str, reports: Mapping[str, DatasetReport]) -> Iterator[str]:
    """Number of items failed there, of which nothing else is known."""
    named_report = _report(stem, reports)
    if named_report and named_report[1].execution_summary:
        subset = named_report[1].execution_summary.subsets.get(stem.removeprefix(f"{named_report[0]}_"))
        if subset and subset.errored:
            yield (
                f"{plain_name(stem)}: {subset.errored} of {subset.requested} requests failed there and are not in the "
                "log: "
                "they are in no number here"
            )


def _format_published(reports: Mapping[str, DatasetReport]) -> Iterator[str]:
    for name, report in reports.items():
        numbers = {
            metric.identity.name: metric.score
            for metric in report.metrics
            if metric.identity and metric.score is not None
        }
        yield from format_published("evalscope", name, numbers)


def scorers(reports: Mapping[str, DatasetReport], task_stats: TaskStats) -> list[ScorerSpec]:
    """Theirs, in the direction that the report tells, and what fits the items."""
    named_report = _report(task_stats.task, reports)
    scales: dict[str, ScorerSpec] = {
        metric.identity.name: {"better": "lower" if metric.semantics.direction == "lower_is_better" else "higher"}
        for metric in (named_report[1].metrics if named_report else ())
        if metric.identity and metric.semantics
    }
    return [*measure_scorers(task_stats, scales), *matching_scorers(task_stats)]


def _records(reviews: Sequence[Path]) -> Iterator[Record]:
    for file in reviews:
        ended = _predictions(file)
        for _, review in read_lines(file, Review, "a review of evalscope"):
            record = _record(plain_name(file.stem), review, ended.get(review.index))
            yield with_prompt(record, prompt_turns(review.messages or review.input))


def _predictions(file: Path) -> dict[int, Prediction]:
    """Stop reason of each reply, if the predictions are beside the reviews."""
    beside = file.parent.parent.parent / "predictions" / file.parent.name / file.name
    if file.parent.parent.name != "reviews" or not beside.is_file():
        return {}
    return {line.index: line for _, line in read_lines(beside, Prediction, "a prediction of evalscope")}


def _record(task: str, review: Review, ended: Prediction | None) -> Record:
    sampled = review.sample_score
    words = user_text(review.messages) or review.input
    item = _item(task, str(review.index if sampled.group_id is None else sampled.group_id), words, review)
    repeat = sampled.generation_index or 0
    asked = hash64(words.encode()) if words else ""
    output = ended.model_output if ended else None
    if output and output.error:
        return Record(item, asked, repeat=repeat, failure=Failure("request-failed", output.error))
    reply = next((message for message in reversed(review.messages) if message.role == "assistant"), None)
    text = reply.text if reply else sampled.score.prediction or ""
    reasoning = reply.reasoning if reply else ""
    response = Response(text, reasoning=reasoning)
    if output:
        response = output.complete(response)
    return Record(item, asked, repeat=repeat, response=response, verdicts=tuple(_verdicts(sampled.score)))


def _item(task: str, name: str, words: str, review: Review) -> Item:
    targets = [review.target] if isinstance(review.target, str) else review.target or []
    clips = tuple(
        Clip(part.audio, name=part.audio)
        for message in review.messages
        for part in message.parts
        if part.type == "audio" and part.audio and not part.audio.startswith("data:")
    )
    return add_choices(Item(name, task, words, clips, targets=tuple(targets)))


def _verdicts(given: ReplyScore) -> Iterator[ImportedVerdict]:
    usable = given.status in SCORED_STATUSES
    for name, value in sorted(
        given.value.items(), key=lambda pair: pair[0] != given.main_score_name
    ):  # the main one first
        yield ImportedVerdict(
            plain_name(name),
            float(value) if usable and value is not None else None,
            given.extracted_prediction,
            given.explanation or "",
        )


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="evalscope", cut="reviews/mock-audio/general_vmcq_heard.jsonl"),)
