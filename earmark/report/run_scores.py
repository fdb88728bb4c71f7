"""Scores and questions of one run in columns, for comparisons."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.journal import Record, RecordKey, ScoreLine, question_key
from earmark.report.aggregates import FAILED as NO_RESPONSE
from earmark.report.aggregates import UNPARSED, Aggregate, HasMetrics, JoinedCounts
from earmark.report.label_bias import LabelBias
from earmark.stats.count_table import CountTable, Names, hash64
from earmark.types import STATES, Average, Metric, Signature, State, rules_of

FAILED: Final = ("request-failed", "sound-failed")
ScoreKey = tuple[str, str, str]  # task, condition, scorer


class ScoringRules(Struct, frozen=True):
    """Signature and metrics of one scorer."""

    signature: Signature | str
    metrics: Mapping[str, Metric]


class RunInfo(Struct, frozen=True):
    """Name of a run, its benchmark and data, and the averages it reports."""

    name: str
    benchmark: Mapping[str, Any] = {}  # name, version, tasks, settings
    data: Mapping[str, str] = {}  # digests of its files by name
    conditions: Sequence[str] = ()
    averages: Mapping[str, Average] = {}
    label_bias: Sequence[LabelBias] = ()

    def row_order(self, task: str, condition: str) -> tuple[int, int]:
        """Sort key of a row in the order of the run."""
        tasks, conditions = [*self.benchmark.get("tasks", ()), *self.averages], list(self.conditions)
        return (
            tasks.index(task) if task in tasks else len(tasks),
            conditions.index(condition) if condition in conditions else len(conditions),
        )


class ScoreColumns:
    """Scores of one task, condition and scorer."""

    def __init__(self) -> None:
        self.bags = CountTable()
        self.keys = array("Q")
        self.failed = array("b")
        self.outcome = array("b")  # as `Aggregate.outcome`
        self.answers = array("Q")  # as `Aggregate.answers`
        self.states: dict[State, int] = dict.fromkeys(STATES, 0)

    def add(self, line: ScoreLine) -> None:
        """Add the score of one record."""
        self.states[line.state] += 1
        if line.state == "judge-failed":  # an answer without a verdict has no score
            return
        unparsed = UNPARSED if line.state in ("unparsed", "refused") else 0
        self.outcome.append(NO_RESPONSE if line.state in FAILED else unparsed)
        self.answers.append(0 if line.answer is None else hash64(line.answer))
        self.keys.append(question_key(line.task, line.id, line.condition, line.repeat))
        self.failed.append(line.state in FAILED)
        self.bags.add(line.counts, line.id, line.repeat)


class MatchedQuestions(NamedTuple):
    """Keys of the questions that two runs share, and their indices in both."""

    keys: Names
    baseline: npt.NDArray[np.intp]
    candidate: npt.NDArray[np.intp]


def match_questions(baseline: ScoreColumns, candidate: ScoreColumns) -> MatchedQuestions:
    """Match the questions of two runs by their keys."""
    baseline_keys, candidate_keys = np.frombuffer(baseline.keys, np.uint64), np.frombuffer(candidate.keys, np.uint64)
    return MatchedQuestions(*np.intersect1d(baseline_keys, candidate_keys, return_indices=True))


class QuestionIndex(NamedTuple):
    """Questions of a journal in columns, sorted by key; the last line of a question counts."""

    keys: Names
    groups: Names
    prompt_digests: Names  # 0 where there is none
    audio_digests: Names  # of the recordings, 0 where there is none
    failed: npt.NDArray[np.bool_]


def index_questions(records: Iterable[Record | RecordKey]) -> QuestionIndex:
    """Index the questions of a journal."""
    rows = (
        (
            question_key((item := record.item).task, item.id, record.condition, record.repeat),
            hash64(item.group or item.id),
            int(record.prompt_digest or "0", 16),
            int(record.audio_digest or "0", 16),
            record.failure is not None and record.failure.state in FAILED,
        )
        for record in records
    )
    kinds = ("u8", "u8", "u8", "u8", "?")
    table = np.fromiter(rows, np.dtype(list(zip(QuestionIndex._fields, kinds, strict=True))))
    _, last = np.unique(table["keys"][::-1], return_index=True)
    kept = table[::-1][last]
    return QuestionIndex(*(np.ascontiguousarray(kept[name]) for name in QuestionIndex._fields))


def _rule(run_scores: RunScores, key: ScoreKey) -> str:
    """Return the signature of a scorer without Earmark's version."""
    return rules_of(run_scores.rules(key[0], key[2]).signature)


class RunScores:
    """Scores of a run by task, condition and scorer, and its questions."""

    def __init__(
        self,
        info: RunInfo,
        rules: Callable[[str, str], ScoringRules],
        lines: Iterable[ScoreLine],
        records: Iterable[Record | RecordKey],
    ) -> None:
        self.info = info
        self.rules = rules  # by task and scorer
        self.scores: dict[ScoreKey, ScoreColumns] = {}
        for line in lines:
            key = (line.task, line.condition, line.scorer)
            columns = self.scores.get(key)
            if columns is None:
                columns = self.scores[key] = ScoreColumns()
            columns.add(line)
        self.questions = index_questions(records)

    def find(self, keys: Names) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
        """Return a mask of the keys that are in the journal, and their indices."""
        if not self.questions.keys.size:
            return np.zeros(keys.size, np.bool_), np.zeros(keys.size, np.intp)
        index = np.minimum(self.questions.keys.searchsorted(keys), self.questions.keys.size - 1)
        return self.questions.keys[index] == keys, index

    def aggregate(self, place: ScoreKey, scorer: HasMetrics) -> Aggregate:
        """The counts of a task under a condition by a scorer, as they are while a run is scored."""
        scores = self.scores[place]
        present, index = self.find(np.frombuffer(scores.keys, np.uint64))
        own = scores.bags.groups
        groups = np.where(present, self.questions.groups[index], own) if present.any() else own
        counts = JoinedCounts(scores.bags.columns, groups, scores.bags.items, scores.bags.repeats)
        return Aggregate(scorer, counts, scores.states, outcome=scores.outcome, answers=scores.answers)

    def with_labels_of(self, other: RunScores) -> RunScores:
        """Rename scorers to the labels that another run has for the same signature.

        The label of a scorer changes when another scorer of its name joins the task; its signature does not.
        """
        known = {(*key[:2], _rule(other, key)): key for key in other.scores if key not in self.scores}
        renamed = {
            key: known[rule]
            for key in self.scores
            if key not in other.scores and (rule := (*key[:2], _rule(self, key))) in known
        }
        if not renamed:
            return self
        labels = {(key[0], label): key[2] for key, (_, _, label) in renamed.items()}
        copied = copy(self)
        copied.scores = {renamed.get(key, key): scores for key, scores in self.scores.items()}
        copied.rules = lambda task, label: self.rules(task, labels.get((task, label), label))
        return copied

    def count_stale(self) -> int:
        """Count the questions without a score, or with one from before they were answered."""
        if not self.questions.keys.size:
            return 0
        scored = [np.frombuffer(part.keys, np.uint64) for part in self.scores.values()]
        present, index = self.find(np.concatenate([np.zeros(0, np.uint64), *scored]))
        failed = [np.frombuffer(part.failed, np.int8) for part in self.scores.values()]
        same = np.concatenate([np.zeros(0, np.int8), *failed]) == self.questions.failed[index]
        return int(self.questions.keys.size - np.unique(index[present & same]).size)
