"""AudioBench's logs: <model>/<dataset>_<measure>_score.json, one object a file (AudioLLMs/AudioBench, log_for_all_models).

    {"wer": 0.03, "sample_wer": [{reference, prediction, wer}]}
    {"llama3_70b_judge": {judge_score, success_rate}, "details": [{question, reference, model_prediction, judge_response,
        rate_score, success}]}                                    and the same by "gpt4o_judge"
    {"string_match": {judge_score}, "details": [{question, reference, model_prediction, choices, rate_score}]}
    {"acc": 0.4, "details": [{reference: [...], prediction}]}
    {"bleu": 25.8}, {"meteor": 0.2}                               and nothing else: no reply is kept

Of error rates all rows are there, of everything else the first 20 (or 10); the number at the head is over the whole set,
judged ones x20 where the scale is 0 to 5 and x100 where it is 0 or 1. A row of MMAU tells its task as well.

A run is a model, a task a dataset; what a second judge or the string match saw are other replies to other questions, so
`<dataset>.<measure>` is a task of its own. An id is the place of a row and a digest of its reference, so that rows of two
models are one question where both are alike. Transcripts are normalised in the log already, and compared as they stand; the
word "empty" is AudioBench's for an empty text, and becomes one again. Options stand in the question: lettered after
"Choices:", and without letters, which are then ours, in brackets at its end, "(Male or Female)?"; there the one option
that the reference names is right. Whether a judge rated by 0 to 5 or by 0 or 1 is not told: it is 0 to 5 where a rating is
above 1, and else by the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from earmark.data.cache import short
from earmark.errors import BadData
from earmark.foreign._choices import Options, label_of, options_in
from earmark.foreign._runs import OPEN, Facts, Imported, Spec, decoded, files, head, theirs
from earmark.journal import Record
from earmark.text.verdicts import Verdict, noted
from earmark.types import Item, Response

NAME: Final = "*_score.json"
BEGIN: Final = re.compile(rb'\s*\{\s*"(?:wer|bleu|meteor|acc|string_match|\w+_judge)"\s*:')
USUAL: Final = ("llama3_70b_judge", "wer", "acc")  # measures whose rows are the dataset's own task
RIGHT_OR_WRONG: Final = re.compile(  # sets that are judged by 0 or 1, as the sets' own code has it
    r"cn_college_listen_mcq|dream_tts_mcq|muchomusic|mmau_mini|iemocap|meld|voxceleb|imda_(?:30s_)?[ag]r_"
)
WORD: Final = "empty"  # what AudioBench writes for an empty text

LISTED: Final = re.compile(r"\(([^()]+)\)\?\s*$")
BETWEEN: Final = re.compile(r",\s*(?:or\s+)?|\s+or\s+")

OURS: Final[dict[str, Spec]] = {  # how a kind of task is scored beside what they gave
    "wer": {"name": "wer", "normalizer": "none", "unit": "words", "tokens": "kept", "empty": "word"},
    "acc": {"name": "number", "policy": "audiobench"},
    "0-1": {"name": "rouge"},
    "0-5": {"name": "rouge"},
}


class Transcribed(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of an error rate, both texts normalised."""

    reference: str
    prediction: str
    wer: float


class Judged(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a judge, or of MMAU's string match, which has no words and cannot fail."""

    question: str
    reference: str
    model_prediction: str
    rate_score: float
    judge_response: str = ""
    success: int = 1
    choices: tuple[str, ...] = ()
    task: str = ""


class Reckoned(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of spoken sums; whether it was taken for right is not told."""

    reference: tuple[str, ...]
    prediction: str


class Log(Struct, frozen=True):
    """One file, read."""

    dataset: str
    measure: str
    score: float
    rows: Sequence[Transcribed | Judged | Reckoned]

    @property
    def task(self) -> str:
        return self.dataset if self.measure in USUAL else f"{self.dataset}.{self.measure}"

    @property
    def kind(self) -> str:
        """wer, acc, or the scale of a judge."""
        if self.measure in ("wer", "acc"):
            return self.measure
        rated = any(isinstance(row, Judged) and row.rate_score > 1 for row in self.rows)
        return "0-1" if RIGHT_OR_WRONG.match(self.dataset) and not rated else "0-5"


def recognises(path: Path) -> bool:
    """Whether a file, or a folder of them, is in this form."""
    return any(BEGIN.match(head(file)) for file in files(path, NAME))


def read(path: Path) -> Iterator[Imported]:
    """One run for each model, which is the folder of its files."""
    by_model: dict[Path, list[Path]] = {}
    for file in files(path.absolute(), NAME):
        by_model.setdefault(file.parent, []).append(file)
    for folder, found in by_model.items():
        kinds: dict[str, str] = {}
        notices: list[str] = []
        yield Imported(
            benchmark="audiobench",
            tasks=(),
            model=folder.name,
            records=_records(found, kinds, notices),
            scorers=partial(scorers, kinds),
            notices=notices,
            slices=("kind",),
            files=tuple(found),
        )


def scorers(kinds: dict[str, str], facts: Facts) -> list[Spec]:
    """Theirs in its scale, and ours: a choice, an error rate, a number, or else how much the words overlap."""
    kind = kinds[facts.task.removesuffix(OPEN)]
    scale: Spec = {"lowest": 0.0, "highest": {"0-1": 1.0, "0-5": 5.0}.get(kind)}
    told = theirs(facts, dict.fromkeys(facts.measures, scale))
    return [*told, {"name": "choice"} if facts.labels else OURS[kind]]


def _records(found: list[Path], kinds: dict[str, str], notices: list[str]) -> Iterator[Record]:
    published: dict[str, list[str]] = {}
    for file in found:
        log = _log(file)
        kept = "all replies" if log.measure == "wer" else "the first replies" if log.rows else "no reply"
        published.setdefault(f"{log.measure}, {kept} kept", []).append(f"{log.dataset} {log.score:.4g}")
        if log.rows:
            kinds[log.task] = log.kind
        for number, row in enumerate(log.rows):
            yield _record(log.task, number, row, log.measure)
    notices += [f"published by AudioBench: {what}: {', '.join(numbers)}" for what, numbers in published.items()]


def _log(file: Path) -> Log:
    told = decoded(file.read_bytes(), dict[str, msgspec.Raw], file, "an object of AudioBench")
    measure = next(iter(told), "")
    known = {measure, "details", "sample_wer", "task_scores"}
    wrong = [name for name in told if name not in known]
    dataset = file.name.removesuffix(f"_{measure}_score.json")
    if wrong or dataset == file.name:
        raise BadData(
            f"{file}: found {', '.join(wrong) or measure or 'nothing'}, expected a measure that the file is named after, "
            "its rows under details or sample_wer, and nothing else; give a log as AudioBench wrote it"
        )
    score = decoded(told[measure], float | dict[str, float], f"{file}, {measure}", "its score")
    under = "sample_wer" if measure == "wer" else "details"
    kind: Any = {"wer": list[Transcribed], "acc": list[Reckoned]}.get(measure, list[Judged])
    value = score["judge_score"] if isinstance(score, dict) and "judge_score" in score else score
    if not isinstance(value, float):
        raise BadData(f"{file}: found {measure} without judge_score, expected the score of the whole set")
    found = decoded(told[under], kind, f"{file}, {under}", f"rows of AudioBench's {measure}") if under in told else []
    return Log(dataset, measure, value, found)


def _record(task: str, number: int, row: Transcribed | Judged | Reckoned, measure: str) -> Record:
    reference = row.reference if isinstance(row.reference, str) else "|".join(row.reference)
    item = Item(f"{number}-{short(reference.encode())[:6]}", task)
    if isinstance(row, Transcribed):
        verdicts = noted([Verdict("sample_wer", row.wer)])
        return _answered(item, "", (_text(row.reference),), Response(_text(row.prediction), notes=verdicts))
    if isinstance(row, Reckoned):
        return _answered(item, "", row.reference, Response(row.prediction))
    value = row.rate_score if row.success else None
    response = Response(row.model_prediction, notes=noted([Verdict(measure, value, why=row.judge_response)]))
    item = msgspec.structs.replace(item, tags={"kind": row.task} if row.task else {})
    options = _lettered(row.question) or _listed(row.question)
    label = options and (label_of(row.reference, options) or _named(row.reference, options))
    if not options or not label:
        return _answered(item, row.question, (row.reference,), response)
    item = msgspec.structs.replace(item, choices=options.choices, labels=options.labels)
    return _answered(item, options.question, (label,), response, asked=row.question)


def _answered(item: Item, question: str, targets: tuple[str, ...], response: Response, asked: str = "") -> Record:
    words = asked or question
    return Record(
        msgspec.structs.replace(item, question=question.removeprefix("Question:\n"), targets=targets),
        asked=short(words.encode()) if words else "",
        response=response,
    )


def _lettered(question: str) -> Options | None:
    """The options after "Choices:"."""
    before, announced, listed = question.rpartition("Choices:")
    found = options_in(listed) if announced else None
    return Options(before.strip(), found.choices) if found else None


def _listed(question: str) -> Options | None:
    """The options in brackets at the end.

    >>> _listed("Is it a man or a woman (Male or Female)?").choices
    ('Male', 'Female')
    """
    found = LISTED.search(question)
    choices = tuple(BETWEEN.split(found[1])) if found else ()
    return Options(question, choices) if len(choices) > 1 and all(choices) else None


def _named(reference: str, options: Options) -> str | None:
    """The label of the one option that a reference names."""
    named = [
        label
        for label, choice in zip(options.labels, options.choices, strict=True)
        if re.search(rf"\b{re.escape(choice)}\b", reference, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def _text(text: str) -> str:
    return "" if text == WORD else text
