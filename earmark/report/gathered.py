"""One run as it is compared: its scores by task, condition and scorer, and what was asked, in columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.journal import Record, ScoreLine, key
from earmark.stats.bags import Bags, Names, named
from earmark.types import Metric

FAILED: Final = ("request-failed", "sound-failed")
Place = tuple[str, str, str]  # task, condition, scorer


class Rules(Struct, frozen=True):
    """How a run's counts of one scorer are read."""

    signature: str
    metrics: Mapping[str, Metric]


class About(Struct, frozen=True):
    """What a run is called, what it was made with, and which averages over tasks it reports."""

    name: str
    benchmark: Mapping[str, Any] = {}  # name, version, tasks, settings
    data: Mapping[str, str] = {}  # digests of its files by name
    conditions: Sequence[str] = ()
    averages: Mapping[str, Sequence[str]] = {}

    def place(self, task: str, condition: str) -> tuple[int, int]:
        """Where a row belongs in the order of the run."""
        tasks, conditions = [*self.benchmark.get("tasks", ()), *self.averages], list(self.conditions)
        return (
            tasks.index(task) if task in tasks else len(tasks),
            conditions.index(condition) if condition in conditions else len(conditions),
        )


class Scores:
    """The scores of one task, condition and scorer."""

    def __init__(self) -> None:
        self.bags = Bags()
        self.keys = array("Q")
        self.failed = array("b")

    def add(self, line: ScoreLine) -> None:
        self.keys.append(key(line.task, line.id, line.condition, line.repeat))
        self.failed.append(line.state in FAILED)
        self.bags.add(line.counts, line.id, line.repeat)


class Asked(NamedTuple):
    """The questions of a journal in columns, sorted by what names them; the last line about a question counts."""

    keys: Names
    groups: Names
    words: Names  # digest of the prompt, 0 where there is none
    sounds: Names  # digest of the recordings, 0 where there is none
    failed: npt.NDArray[np.bool_]


def asked(records: Iterable[Record]) -> Asked:
    """The questions of a journal."""
    columns = [array("Q") for _ in Asked._fields]
    for record in records:
        item = record.item
        failed = record.failure is not None and record.failure.state in FAILED
        row = (
            key(item.task, item.id, record.condition, record.repeat),
            named(item.group or item.id),
            int(record.asked or "0", 16),
            int(record.heard or "0", 16),
            failed,
        )
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    keys, *rest = (np.frombuffer(column, np.uint64) for column in columns)
    distinct, last = np.unique(keys[::-1], return_index=True)
    groups, words, sounds, failures = (column[::-1][last] for column in rest)
    return Asked(distinct, groups, words, sounds, failures.astype(np.bool_))


def _rule(side: Side, place: Place) -> str:
    """The signature of a scorer, without our version."""
    return side.rules(place[0], place[2]).signature.partition("|v:")[0]


class Side:
    """One run: its scores by task, condition and scorer, and what was asked."""

    def __init__(
        self, about: About, rules: Callable[[str, str], Rules], lines: Iterable[ScoreLine], records: Iterable[Record]
    ) -> None:
        self.about = about
        self.rules = rules  # by task and scorer
        self.scores: dict[Place, Scores] = {}
        for line in lines:
            if line.state == "judge-failed":  # an answer without a verdict has no score
                continue
            self.scores.setdefault((line.task, line.condition, line.scorer), Scores()).add(line)
        self.asked = asked(records)

    def find(self, keys: Names) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
        """For each key whether it is in the journal, and where."""
        if not self.asked.keys.size:
            return np.zeros(keys.size, np.bool_), np.zeros(keys.size, np.intp)
        at = np.minimum(self.asked.keys.searchsorted(keys), self.asked.keys.size - 1)
        return self.asked.keys[at] == keys, at

    def with_labels_of(self, other: Side) -> Side:
        """The same run, a scorer that another run knows by another label under that one.

        A label tells a scorer from others on its task, so it changes when another is put beside it; its signature does not.
        """
        known = {(*place[:2], _rule(other, place)): place for place in other.scores if place not in self.scores}
        moved = {
            place: known[here]
            for place in self.scores
            if place not in other.scores and (here := (*place[:2], _rule(self, place))) in known
        }
        if not moved:
            return self
        labels = {(place[0], label): place[2] for place, (_, _, label) in moved.items()}
        same = copy(self)
        same.scores = {moved.get(place, place): scores for place, scores in self.scores.items()}
        same.rules = lambda task, label: self.rules(task, labels.get((task, label), label))
        return same

    def stale(self) -> int:
        """How many questions of the journal have no score, or one from before they were answered."""
        if not self.asked.keys.size:
            return 0
        scored = [np.frombuffer(part.keys, np.uint64) for part in self.scores.values()]
        there, at = self.find(np.concatenate([np.zeros(0, np.uint64), *scored]))
        failed = [np.frombuffer(part.failed, np.int8) for part in self.scores.values()]
        same = np.concatenate([np.zeros(0, np.int8), *failed]) == self.asked.failed[at]
        return int(self.asked.keys.size - np.unique(at[there & same]).size)
