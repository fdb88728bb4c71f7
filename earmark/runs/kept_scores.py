"""Scores of an earlier scoring, for scorers that ask a judge: without `--ask` a rescore asks nobody and keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, METRICS_FILE, SCORES_FILE, Record, RecordKey, ScoreLine, question_key
from earmark.report.aggregates import DerivedMetrics, scorer_signature
from earmark.report.files import load_metrics
from earmark.runs.open_scorers import NOT_ASKED
from earmark.types import HasSettings, Item, Response, Score, Scorer, Signature, rules_of


class KeptScorer(DerivedMetrics, frozen=True):
    """A scorer that is not open: what its numbers are made of, under the signature of the scores that it keeps."""

    scorer: Scorer
    signature: Signature

    @property
    def settings(self) -> Any:
        return self.scorer.settings if isinstance(self.scorer, HasSettings) else {}

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.scorer.bounds(item)

    async def score(self, item: Item, response: Response) -> Score:  # noqa: ARG002 - scores are found by their question
        return Score({}, state="judge-failed", rule=NOT_ASKED)


class KeptScores:
    """The scores of a run as they were written; of each its place in the file is held."""

    def __init__(self, run: Path) -> None:
        self._path = run / SCORES_FILE
        self._offsets: dict[tuple[int, str], int] = {}
        self._signatures: dict[tuple[str, str], Signature | str] = {}
        self._rescored: set[int] = set()  # questions with an answer that came after the scoring
        if not (run / METRICS_FILE).exists() or not self._path.exists():
            return
        metrics = load_metrics(run)
        self._signatures = {(row.task, row.scorer): row.signature for row in metrics.rows if not row.slice}
        self._rescored = _later_questions(run / JOURNAL_FILE, metrics.scored.journal)
        self._index()

    def _index(self) -> None:
        decoder, offset = msgspec.json.Decoder(ScoreLine), 0
        with self._path.open("rb") as file:
            for text in file:
                line = decoder.decode(text)
                self._offsets[question_key(line.task, line.id, line.condition, line.repeat), line.scorer] = offset
                offset += len(text)

    def keep(self, scorer: Scorer, task: str, label: str) -> KeptScorer:
        """Return what stands for a scorer that is not opened. Raises UsageError where it would score otherwise."""
        own = scorer_signature(scorer)
        signature = self._signatures.get((task, label))
        if signature is None:
            raise UsageError(
                f"{task} has no scores of {label} to keep, and its judge is not asked; to ask it, add --ask"
            )
        if rules_of(own) != rules_of(signature):
            raise UsageError(
                f"{task} was scored by {signature} and would be by {own}, which asks a judge; to ask it, add --ask"
            )
        return KeptScorer(scorer, signature if isinstance(signature, Signature) else own)

    def find(self, record: Record, label: str) -> Score:
        """Return the score that a record has, or one that says that the judge was not asked."""
        item = record.item
        question = question_key(item.task, item.id, record.condition, record.repeat)
        offset = None if question in self._rescored else self._offsets.get((question, label))
        if offset is None:
            return Score({}, state="judge-failed", rule=NOT_ASKED)
        with self._path.open("rb") as file:
            file.seek(offset)
            line = msgspec.json.decode(file.readline(), type=ScoreLine)
        return Score(line.counts, line.answer, line.state, line.rule, line.why)


def _later_questions(journal: Path, scored: int) -> set[int]:
    """The questions of the lines of a journal that stand after so many bytes."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(RecordKey)
    with journal.open("rb") as file:
        file.seek(scored)
        return {decoder.decode(line).question_id() for line in file if line.endswith(b"\n")}
