"""AudioBench's logs: <model>/<dataset>_<measure>_score.json, one object a file (AudioLLMs/AudioBench,
log_for_all_models).

    {"wer": 0.03, "sample_wer": [{reference, prediction, wer}]}
    {"llama3_70b_judge": {judge_score, success_rate}, "details": [{question, reference, model_prediction,
        judge_response, rate_score, success}]}                    and the same by "gpt4o_judge"
    {"string_match": {judge_score}, "details": [{question, reference, model_prediction, choices, rate_score}]}
    {"acc": 0.4, "details": [{reference: [...], prediction}]}
    {"bleu": 25.8}, {"meteor": 0.2}                               and nothing else: no reply is kept

Of error rates all rows are there, of everything else the first 20 (or 10); the number at the head is over the whole
set, judged ones x20 where the scale is 0 to 5 and x100 where it is 0 or 1. A row of MMAU tells its task as well.

A run is a model, a task a dataset; what a second judge or the string match saw are other replies to other questions, so
`<dataset>.<measure>` is a task of its own. An id is the place of a row and a digest of its reference, so that rows of
two models are one question where both are alike. Transcripts are normalised in the log already, and compared as they
stand; the word "empty" is AudioBench's for an empty text, and becomes one again. Options stand in the question:
lettered after "Choices:", and without letters, which are then ours, in brackets at its end, "(Male or Female)?"; there
the one option that the reference names is right. Whether a judge rated by 0 to 5 or by 0 or 1 is not told: it is 0 to 5
where a rating is above 1, and else by the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.data.cache import hash64
from earmark.errors import BadData
from earmark.importers._choices import Options, label_of, parse_options
from earmark.importers._runs import decode_json, matching_files, measure_scorers, read_head
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import OPEN, FunctionImporter, ImportedRun, ScorerSpec, TaskStats
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Context, ImportedVerdict, Item, Response

NAME: Final = "*_score.json"
FILE_START: Final = re.compile(rb'\s*\{\s*"(?:wer|bleu|meteor|acc|string_match|\w+_judge)"\s*:')
COMMON_MEASURES: Final = ("llama3_70b_judge", "wer", "acc")  # measures whose rows are the dataset's own task
BINARY_TASKS: Final = re.compile(  # sets that are judged by 0 or 1, as the sets' own code has it
    r"cn_college_listen_mcq|dream_tts_mcq|muchomusic|mmau_mini|iemocap|meld|voxceleb|imda_(?:30s_)?[ag]r_"
)
EMPTY_WORD: Final = "empty"  # what AudioBench writes for an empty text

BRACKETED_OPTIONS: Final = re.compile(r"\(([^()]+)\)\?\s*$")
OPTION_SEPARATOR: Final = re.compile(r",\s*(?:or\s+)?|\s+or\s+")

SCORERS_OF_MEASURE: Final[dict[str, ScorerSpec]] = {  # our scorer of each kind of task
    "wer": {"name": "wer", "normalizer": "none", "unit": "words", "tokens": "kept", "empty": "word"},
    "acc": {"name": "number", "policy": "audiobench"},
    "0-1": {"name": "rouge"},
    "0-5": {"name": "rouge"},
}


class TranscriptRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of an error rate, both texts normalised."""

    reference: str
    prediction: str
    wer: float


class JudgedRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a judge, or of MMAU's string match, which has no words and cannot fail."""

    question: str
    reference: str
    model_prediction: str
    rate_score: float
    judge_response: str = ""
    success: int = 1
    choices: tuple[str, ...] = ()
    task: str = ""


class ArithmeticRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of spoken sums; whether it was taken for right is not told."""

    reference: tuple[str, ...]
    prediction: str


class ScoreFile(Struct, frozen=True):
    """One file, read."""

    dataset: str
    measure: str
    score: float
    rows: Sequence[TranscriptRow | JudgedRow | ArithmeticRow]

    @property
    def task(self) -> str:
        return self.dataset if self.measure in COMMON_MEASURES else f"{self.dataset}.{self.measure}"

    @property
    def kind(self) -> str:
        """wer, acc, or the scale of a judge."""
        if self.measure in ("wer", "acc"):
            return self.measure
        rated = any(isinstance(row, JudgedRow) and row.rate_score > 1 for row in self.rows)
        return "0-1" if BINARY_TASKS.match(self.dataset) and not rated else "0-5"


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    return any(FILE_START.match(read_head(file)) for file in matching_files(path, NAME))


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each model, which is the folder of its files."""
    by_model: dict[Path, list[Path]] = {}
    for file in matching_files(path.absolute(), NAME):
        by_model.setdefault(file.parent, []).append(file)
    for folder, score_files in by_model.items():
        kinds: dict[str, str] = {}
        notices: list[str] = []
        yield ImportedRun(
            benchmark="audiobench",
            tasks=(),
            model=folder.name,
            records=_records(score_files, kinds, notices),
            scorers=partial(scorers, kinds),
            warnings=notices,
            slices=("kind",),
            files=tuple(score_files),
        )


def scorers(kinds: dict[str, str], task_stats: TaskStats) -> list[ScorerSpec]:
    """Return the imported score in its scale, and ours: a choice, an error rate, a number, or overlap of words."""
    kind = kinds[task_stats.task.removesuffix(OPEN)]
    scale: ScorerSpec = {"lowest": 0.0, "highest": {"0-1": 1.0, "0-5": 5.0}.get(kind)}
    specs = measure_scorers(task_stats, dict.fromkeys(task_stats.measures, scale))
    return [*specs, {"name": "choice"} if task_stats.labels else SCORERS_OF_MEASURE[kind]]


def _records(score_files: list[Path], kinds: dict[str, str], notices: list[str]) -> Iterator[Record]:
    published: dict[str, list[str]] = {}
    for file in score_files:
        log = _log(file)
        kept = "all replies" if log.measure == "wer" else "the first replies" if log.rows else "no reply"
        published.setdefault(f"{log.measure}, {kept} kept", []).append(f"{log.dataset} {log.score:.4g}")
        if log.rows:
            kinds[log.task] = log.kind
        for number, row in enumerate(log.rows):
            yield _record(log.task, number, row, log.measure)
    notices += [f"published by AudioBench: {what}: {', '.join(numbers)}" for what, numbers in published.items()]


def _log(file: Path) -> ScoreFile:
    fields = decode_json(file.read_bytes(), dict[str, msgspec.Raw], file, "an object of AudioBench")
    measure = next(iter(fields), "")
    known = {measure, "details", "sample_wer", "task_scores"}
    wrong = [name for name in fields if name not in known]
    dataset = file.name.removesuffix(f"_{measure}_score.json")
    if wrong or dataset == file.name:
        raise BadData(
            f"{file}: found {', '.join(wrong) or measure or 'nothing'}, expected a measure that the file is named "
            "after, "
            "its rows under details or sample_wer, and nothing else; give a log as AudioBench wrote it"
        )
    score = decode_json(fields[measure], float | dict[str, float], f"{file}, {measure}", "its score")
    under = "sample_wer" if measure == "wer" else "details"
    kind: Any = {"wer": list[TranscriptRow], "acc": list[ArithmeticRow]}.get(measure, list[JudgedRow])
    value = score["judge_score"] if isinstance(score, dict) and "judge_score" in score else score
    if not isinstance(value, float):
        raise BadData(f"{file}: found {measure} without judge_score, expected the score of the whole set")
    rows = (
        decode_json(fields[under], kind, f"{file}, {under}", f"rows of AudioBench's {measure}")
        if under in fields
        else []
    )
    return ScoreFile(dataset, measure, value, rows)


def _record(task: str, number: int, row: TranscriptRow | JudgedRow | ArithmeticRow, measure: str) -> Record:
    reference = row.reference if isinstance(row.reference, str) else "|".join(row.reference)
    item = Item(f"{number}-{hash64(reference.encode())[:6]}", task)
    if isinstance(row, TranscriptRow):
        record = _make_record(item, "", (_text(row.reference),), Response(_text(row.prediction)))
        return msgspec.structs.replace(record, verdicts=(ImportedVerdict("sample_wer", row.wer),))
    if isinstance(row, ArithmeticRow):
        return _make_record(item, "", row.reference, Response(row.prediction))
    value = row.rate_score if row.success else None
    verdict = ImportedVerdict(measure, value, explanation=row.judge_response)
    return msgspec.structs.replace(_judged_record(item, row), verdicts=(verdict,))


def _judged_record(item: Item, row: JudgedRow) -> Record:
    response = Response(row.model_prediction)
    item = msgspec.structs.replace(item, tags={"kind": row.task} if row.task else {})
    options = _options_after_choices(row.question) or _options_in_brackets(row.question)
    label = options and (label_of(row.reference, options) or _target_label(row.reference, options))
    if not options or not label:
        return _make_record(item, row.question, (row.reference,), response)
    item = msgspec.structs.replace(item, choices=options.choices, labels=options.labels)
    return _make_record(item, options.question, (label,), response, asked=row.question)


def _make_record(item: Item, question: str, targets: tuple[str, ...], response: Response, asked: str = "") -> Record:
    words = asked or question
    return Record(
        msgspec.structs.replace(item, question=question.removeprefix("Question:\n"), targets=targets),
        prompt_digest=hash64(words.encode()) if words else "",
        response=response,
    )


def _options_after_choices(question: str) -> Options | None:
    """The options after "Choices:"."""
    before, announced, listed = question.rpartition("Choices:")
    options = parse_options(listed) if announced else None
    return Options(before.strip(), options.choices) if options else None


def _options_in_brackets(question: str) -> Options | None:
    """The options in brackets at the end.

    >>> _options_in_brackets("Is it a man or a woman (Male or Female)?").choices
    ('Male', 'Female')
    """
    match = BRACKETED_OPTIONS.search(question)
    choices = tuple(OPTION_SEPARATOR.split(match[1])) if match else ()
    return Options(question, choices) if len(choices) > 1 and all(choices) else None


def _target_label(reference: str, options: Options) -> str | None:
    """The label of the one option that a reference names."""
    named = [
        label
        for label, choice in zip(options.labels, options.choices, strict=True)
        if re.search(rf"\b{re.escape(choice)}\b", reference, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def _text(text: str) -> str:
    return "" if text == EMPTY_WORD else text


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (ImporterExample(recorded="audiobench", cut="some_model/muchomusic_test_llama3_70b_judge_score.json"),)
