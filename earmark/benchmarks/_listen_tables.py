"""LISTEN's own tables: a summary of all and of each corpus, and every sample, in the columns of the port that asked for
it.

One function makes the summary of the whole and of a corpus. Conditions other than plain hearing have folders of their
own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

import msgspec

from earmark.data.names import safe_name
from earmark.journal import Record, ScoreLine
from earmark.scorers.classes import class_count, observed_classes
from earmark.scorers.listen import CLASSES, ListenScorer
from earmark.stats.estimate import finite_or_none
from earmark.types import Table

METRICS: Final = tuple(CLASSES)
SUMMARY: Final = ("model", "experiment", "modality", "n_samples", *METRICS)
BY_CORPUS: Final = ("model", "dataset_source", *SUMMARY[1:])
SAMPLES: Final = (
    "sample_id", "experiment", "modality", "dataset_source", "ground_truth", "prediction",
    "expected_letter", "predicted_letter", "correct", "raw_response", "error", "randomized_choices",
)  # fmt: skip
CLASS_ACCURACY: Final = (
    "model", "dataset_source", "experiment", "modality", "emotion", "n_samples", "correct", "accuracy",
)  # fmt: skip
ScoredPairs = Callable[[], Iterable[tuple[Record, ScoreLine]]]


def listen_tables(scorer: ListenScorer, tasks: tuple[str, ...], model: str, pairs: ScoredPairs) -> Iterator[Table]:
    """Every table of a run."""
    totals: dict[tuple[str, str, str], dict[str, float]] = {}  # by condition, corpus ("" for all) and task
    modalities: dict[str, str] = {}
    for record, line in pairs():
        modalities[line.task] = record.item.tags["modality"]
        for corpus in ("", record.item.tags["dataset_source"]):
            sums = totals.setdefault((line.condition, corpus, line.task), {})
            for name, count in line.counts.items():
                sums[name] = sums.get(name, 0.0) + count
    for condition, corpus in sorted({key[:2] for key in totals}):
        cells = {task: totals[condition, corpus, task] for task in tasks if (condition, corpus, task) in totals}
        if not corpus:
            every = {key[1:]: sums for key, sums in totals.items() if key[0] == condition}
            place = "" if condition == "plain" else f"{safe_name(condition)}/"
            yield Table(f"{place}per_class.csv", CLASS_ACCURACY, class_rows(model, tasks, every, modalities))
        rows = summary_rows(scorer, (model, corpus) if corpus else (model,), cells, modalities)
        place = "" if condition == "plain" else f"{safe_name(condition)}/"
        if not corpus:
            yield Table(f"{place}summary.csv", SUMMARY, rows)
            continue
        yield Table(f"{place}summary_{safe_name(corpus)}.csv", BY_CORPUS, rows)
        yield Table(f"{place}samples/{safe_name(corpus)}.csv", SAMPLES, sample_rows(condition, corpus, tasks, pairs))


def summary_rows(
    scorer: ListenScorer,
    first: tuple[str, ...],
    cells: Mapping[str, Mapping[str, float]],
    modalities: Mapping[str, str],
) -> list[tuple[Any, ...]]:
    """A row for each experiment; empty where a number is not defined."""
    return [
        (
            *first,
            task,
            modalities[task],
            int(counts["recorded"]),
            *(finite_or_none(scorer.metrics[name].value(counts)) for name in METRICS),
        )
        for task, counts in cells.items()
    ]


def class_rows(
    model: str,
    tasks: tuple[str, ...],
    cells: Mapping[tuple[str, str], Mapping[str, float]],
    modalities: Mapping[str, str],
) -> list[tuple[Any, ...]]:
    """A row for each class of truth, of all corpora (`dataset_source` is empty) and then of each: its recall."""
    rows: list[tuple[Any, ...]] = []
    for corpus, task in sorted(cells, key=lambda cell: (cell[0], tasks.index(cell[1]))):
        counts = cells[corpus, task]
        for emotion in observed_classes(counts):
            total, correct = (int(class_count(counts, kind, emotion)) for kind in "th")
            if total:
                rows.append((model, corpus, task, modalities[task], emotion, total, correct, correct / total))
    return rows


def sample_rows(condition: str, corpus: str, tasks: tuple[str, ...], pairs: ScoredPairs) -> list[tuple[Any, ...]]:
    """A row for each sample of a corpus, by experiment and the data's own id, in whatever order the answers came."""
    of = [
        (tasks.index(line.task), line.id, line.repeat, sample_row(record, line))
        for record, line in pairs()
        if line.condition == condition and record.item.tags["dataset_source"] == corpus
    ]
    return [row for *_, row in sorted(of, key=itemgetter(0, 1, 2))]


def sample_row(record: Record, line: ScoreLine) -> tuple[Any, ...]:
    """The row of one sample."""
    item = record.item
    target = item.targets[0]
    return (
        anonymous_id(item.id),
        item.task,
        item.tags["modality"],
        item.tags["dataset_source"],
        item.text(target),
        item.text(line.answer) if line.answer in item.labels else None,
        target,
        line.answer,
        line.answer == target,
        record.response.text if record.response else None,
        record.failure.message if record.failure else None,
        msgspec.json.encode(item.choices).decode(),
    )


def anonymous_id(name: str) -> str:
    """The id that the official results show, since the data's own often holds the label.

    >>> anonymous_id("MUStARD_PRO_1_7575_u_3B")
    'SAMPLE_c52e71d0'
    """
    if name.startswith("SAMPLE_"):  # of imported results
        return name
    return f"SAMPLE_{hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8]}"
