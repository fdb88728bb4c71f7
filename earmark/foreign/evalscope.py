"""evalscope's reviews: <work dir>/reviews/<model>/<dataset>_<subset>.jsonl, a line for each reply that was scored (1.x).

    index, target, messages, sample_score: {score: {value: {name: number}, status, extracted_prediction, prediction,
        explanation}, sample_id, group_id, generation_index}

The question is the user's words, choices are read from them; the reply is the last message, thoughts apart. How the reply
ended (whole, cut, withheld) and what it took stand in predictions/<model>/ beside, under the same name and index.

With --ignore-errors an item whose request failed is in neither file: reports/<model>/<dataset>.json tells how many there
were, and so do we, but nothing tells which, so they are in no denominator. A score whose status is no success (their judge
failed) is a verdict not given. Repeats are generation_index, counted from 0 within group_id. Up to 0.17 a line has the
prompt as `input` instead of messages, and one target as a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from earmark.data.cache import short
from earmark.foreign._choices import with_choices
from earmark.foreign._runs import (
    Facts,
    Imported,
    Message,
    Output,
    Spec,
    Times,
    decoded,
    files,
    first_line,
    keys,
    lines,
    ours,
    plain_name,
    published,
    theirs,
    words_of_user,
)
from earmark.journal import Record
from earmark.text.verdicts import Verdict, noted
from earmark.types import Clip, Failure, Item, Response

SCORED: Final = ("success", "fallback")


class Given(Struct, frozen=True):
    """What they gave a reply."""

    value: dict[str, float | bool | None] = {}
    status: str = "success"
    extracted_prediction: str | None = None
    prediction: str | None = None
    explanation: str | None = None
    main_score_name: str | None = None


class Sampled(Struct, frozen=True):
    """A score, and whose it is."""

    score: Given
    group_id: int | str | None = None
    generation_index: Times | None = None


class Review(Struct, frozen=True):
    """One line of a review."""

    index: int
    sample_score: Sampled
    target: list[str] | str | None = None
    messages: list[Message] = []
    input: str = ""


class Ended(Struct, frozen=True):
    """One line of the predictions, as far as it is used."""

    index: int
    model_output: Output | None = None


class Report(Struct, frozen=True):
    """What a report tells, as far as it is used."""

    class _Metric(Struct, frozen=True):
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

    metrics: list[_Metric] = []
    execution_summary: _Execution | None = None


def recognises(path: Path) -> bool:
    """Whether a file, or a folder of them, is in this form."""
    written = next((file for file in _reviews(path) if file.stat().st_size), None)  # one of failures alone is empty
    return written is not None and {"index", "sample_score"} <= keys(first_line(written))


def _reviews(path: Path) -> list[Path]:
    """A file itself; of a folder what lies in reviews/ or is a folder of reviews."""
    found = files(path.absolute(), "*.jsonl")
    return found if path.is_file() else [file for file in found if file.parent.parent.name == "reviews"]


def read(path: Path) -> Iterator[Imported]:
    """One run for each work folder and model."""
    sittings: dict[Path, list[Path]] = {}
    for file in _reviews(path):
        sittings.setdefault(file.parent, []).append(file)
    for folder, found in sittings.items():
        there = folder.parent.name == "reviews"
        reports = _reports(folder.parent.parent / "reports" / folder.name) if there else {}
        yield Imported(
            benchmark="evalscope",
            tasks=(),
            model=folder.name if there else "",
            records=_records(found),
            scorers=partial(scorers, reports),
            notices=[*_published(reports), *(told for file in found for told in _told(file.stem, reports))],
            files=tuple(found),
        )


def _reports(folder: Path) -> dict[str, Report]:
    return {
        file.stem: decoded(file.read_bytes(), Report, file, "a report of evalscope") for file in files(folder, "*.json")
    }


def _report(stem: str, reports: Mapping[str, Report]) -> tuple[str, Report] | None:
    """The report of a dataset, whose name and a subset's make the name of a review."""
    named = [name for name in reports if stem.startswith(f"{name}_")]
    return (max(named, key=len), reports[max(named, key=len)]) if named else None


def _told(stem: str, reports: Mapping[str, Report]) -> Iterator[str]:
    """How many items failed there, of which nothing else is known."""
    found = _report(stem, reports)
    if found and found[1].execution_summary:
        subset = found[1].execution_summary.subsets.get(stem.removeprefix(f"{found[0]}_"))
        if subset and subset.errored:
            yield (
                f"{plain_name(stem)}: {subset.errored} of {subset.requested} requests failed there and are not in the log: "
                "they are in no number here"
            )


def _published(reports: Mapping[str, Report]) -> Iterator[str]:
    for name, report in reports.items():
        numbers = {one.identity.name: one.score for one in report.metrics if one.identity and one.score is not None}
        yield from published("evalscope", name, numbers)


def scorers(reports: Mapping[str, Report], facts: Facts) -> list[Spec]:
    """Theirs, in the direction that the report tells, and what fits the items."""
    found = _report(facts.task, reports)
    scales: dict[str, Spec] = {
        metric.identity.name: {"better": "lower" if metric.semantics.direction == "lower_is_better" else "higher"}
        for metric in (found[1].metrics if found else ())
        if metric.identity and metric.semantics
    }
    return [*theirs(facts, scales), *ours(facts)]


def _records(found: Sequence[Path]) -> Iterator[Record]:
    for file in found:
        ended = _endings(file)
        for _, review in lines(file, Review, "a review of evalscope"):
            yield _record(plain_name(file.stem), review, ended.get(review.index))


def _endings(file: Path) -> dict[int, Ended]:
    """How each reply ended, where the predictions are beside the reviews."""
    beside = file.parent.parent.parent / "predictions" / file.parent.name / file.name
    if file.parent.parent.name != "reviews" or not beside.is_file():
        return {}
    return {line.index: line for _, line in lines(beside, Ended, "a prediction of evalscope")}


def _record(task: str, review: Review, ended: Ended | None) -> Record:
    sampled = review.sample_score
    words = words_of_user(review.messages) or review.input
    item = _item(task, str(review.index if sampled.group_id is None else sampled.group_id), words, review)
    repeat = sampled.generation_index or 0
    asked = short(words.encode()) if words else ""
    output = ended.model_output if ended else None
    if output and output.error:
        return Record(item, asked, repeat=repeat, failure=Failure("request-failed", output.error))
    said = next((one for one in reversed(review.messages) if one.role == "assistant"), None)
    text = said.text if said else sampled.score.prediction or ""
    reasoning = said.reasoning if said else ""
    response = Response(text, reasoning=reasoning, notes=noted(_verdicts(sampled.score)))
    if output:
        response = output.tell(response)
    return Record(item, asked, repeat=repeat, response=response)


def _item(task: str, name: str, words: str, review: Review) -> Item:
    told = [review.target] if isinstance(review.target, str) else review.target or []
    clips = tuple(
        Clip(part.audio, name=part.audio)
        for message in review.messages
        for part in message.parts
        if part.type == "audio" and part.audio and not part.audio.startswith("data:")
    )
    return with_choices(Item(name, task, words, clips, targets=tuple(told)))


def _verdicts(given: Given) -> Iterator[Verdict]:
    usable = given.status in SCORED
    for name, value in sorted(
        given.value.items(), key=lambda one: one[0] != given.main_score_name
    ):  # the main one first
        yield Verdict(
            plain_name(name),
            float(value) if usable and value is not None else None,
            given.extracted_prediction,
            given.explanation or "",
        )
