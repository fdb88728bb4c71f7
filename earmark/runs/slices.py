"""Rows of a run by the values of any tag that its items have, declared by the benchmark or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from earmark.errors import BadData, UsageError, alternatives
from earmark.journal import JOURNAL_FILE, SCORES_FILE, Record, ScoreLine, question_key
from earmark.report.aggregates import Aggregates
from earmark.report.rows import Row
from earmark.runs.run_scores import run_scorers
from earmark.runs.scoring import latest_records, read_scores, sort_rows
from earmark.runs.signature import load_signature
from earmark.types import Score


def slice_rows(run: Path, tag: str) -> list[Row]:
    """Aggregate the scores of a run by the values of a tag. Raises UsageError for a tag that no item has."""
    scorer_of = run_scorers(run)
    aggregates = Aggregates((tag,))
    tags: dict[str, None] = {}
    for record, line in scored_records(run):
        tags.update(dict.fromkeys(record.item.tags))
        if tag in record.item.tags:
            score = Score(line.counts, line.answer, line.state)
            aggregates.add(record, scorer_of(line.task, line.scorer), score, line.scorer)
    if tag not in tags:
        raise UsageError(f"no item has the tag '{tag}'{alternatives(tag, tags)}")
    signature = load_signature(run)
    rows = [row for row in aggregates.to_rows() if row.slice]
    return sort_rows(rows, signature.benchmark["tasks"], signature.condition)


def scored_records(run: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """Every score with its record, in the order of the journal: a record has one score of each of its scorers."""
    records = latest_records(run / JOURNAL_FILE)
    record = next(records, None)
    for line in read_scores(run / SCORES_FILE):
        key = question_key(line.task, line.id, line.condition, line.repeat)
        while record is not None and _key(record) != key:
            record = next(records, None)
        if record is None:
            raise BadData(
                f"{run / SCORES_FILE}: does not fit the journal from {line.task}, item {line.id} on; make it again "
                f"with: earmark rescore {run}"
            )
        yield record, line


def _key(record: Record) -> int:
    return question_key(record.item.task, record.item.id, record.condition, record.repeat)
