"""A look at a benchmark before anything is asked: what is there, what is missing, what is odd. No sound is decoded."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct, field

from earmark.data.clips import size
from earmark.engine.questions import SHOWN
from earmark.errors import BadData
from earmark.journal import question_key
from earmark.types import Benchmark, Clip, Item, SynthSpec

SPEC_SPACING: Final = 5  # the same of generated sounds, of which a benchmark has few
SPACING: Final = 97  # one clip of so many may be one of them: neighbours are often of one recording


class TaskLook(Struct):
    """What was found of one task."""

    items: int = 0  # that can be asked
    skipped: int = 0
    errors: list[str] = field(default_factory=list)  # ids and reasons, the first few
    n_errors: int = 0
    clips: int = 0
    missing: list[str] = field(default_factory=list)  # paths of sound, the first few
    n_missing: int = 0
    without_gold: int = 0
    outside: list[str] = field(default_factory=list)  # ids whose right answer is none of the choices
    n_outside: int = 0
    twice: int = 0  # items of which two choices are the same
    too_few: int = 0  # items with one choice
    expected: int | None = None  # rows


class Look:
    """Counts the items of a benchmark, and whether their sound is there."""

    def __init__(self, benchmark: Benchmark, *, limit: int | None = None) -> None:
        self.tasks: dict[str, TaskLook] = {task: TaskLook() for task in benchmark.tasks}
        for task, facts in benchmark.task_facts.items():
            if task in self.tasks and limit is None:
                self.tasks[task].expected = facts.rows
        self.characters = 0  # of questions and choices
        self.n_bytes = 0  # of loose files
        self._known: dict[tuple[str, str], int] = {}  # sizes of archives and tables
        self.sample: list[Clip] = []  # of loose files
        self.n_loose = 0
        self.specs: list[SynthSpec] = []  # one generated sound of so many
        self.n_specs = 0
        self._keys = array("Q")

    def add(self, item: Item) -> None:
        """Enter one item."""
        task = self.tasks.setdefault(item.task, TaskLook())
        if item.state == "skipped":
            task.skipped += 1
            return
        self._keys.append(question_key(item.task, item.id, "", 0))
        if item.state == "error":
            task.n_errors += 1
            if len(task.errors) < SHOWN:
                task.errors.append(f"'{item.id}' ({item.reason})")
            return
        task.items += 1
        self.characters += len(item.question) + sum(map(len, item.choices))
        if item.choices:
            task.twice += len({choice.strip() for choice in item.choices}) < len(item.choices)
            task.too_few += len(item.choices) == 1
        if not item.targets:
            self._add_without_gold(task, item)
        for clip in item.clips:
            task.clips += 1
            if isinstance(clip, SynthSpec):
                self.specs += [clip] * (self.n_specs % SPEC_SPACING == 0)
                self.n_specs += 1
            elif not self._is_there(clip):
                task.n_missing += 1
                if len(task.missing) < SHOWN:
                    task.missing.append(clip.member or clip.path)

    def _add_without_gold(self, task: TaskLook, item: Item) -> None:
        if item.extra.get("answer"):
            task.n_outside += 1
            if len(task.outside) < SHOWN:
                task.outside.append(f"'{item.id}'")
        else:
            task.without_gold += 1

    def _is_there(self, clip: Clip) -> bool:
        if clip.row is not None or clip.member:
            key = (clip.path, clip.member)
            if key not in self._known:
                self._known[key] = size(clip)
            return self._known[key] > 0
        n_bytes = size(clip)
        self.n_bytes += n_bytes
        if self.n_loose % SPACING == 0 and n_bytes:
            self.sample.append(clip)
        self.n_loose += 1
        return n_bytes > 0

    @property
    def items(self) -> int:
        """Number of items that can be asked."""
        return sum(task.items for task in self.tasks.values())

    @property
    def clips(self) -> int:
        """Number of their clips."""
        return sum(task.clips for task in self.tasks.values())

    @property
    def repeated(self) -> int:
        """Number of ids that stand for two items of one task."""
        keys = np.frombuffer(self._keys, np.uint64) if self._keys else np.zeros(0, np.uint64)
        return int(keys.size - np.unique(keys).size)

    def problems(self) -> Iterator[str]:
        """A line for each thing that is missing or odd."""
        for name, task in self.tasks.items():
            found = task.items + task.n_errors
            if task.expected is not None and found + task.skipped != task.expected:
                yield f"{name}: found {found + task.skipped:,} rows, expected {task.expected:,}"
            if task.n_missing:
                paths = _listed(task.missing, task.n_missing)
                yield f"{name}: {task.n_missing:,} of {task.clips:,} clips are not there: {paths}"
            if task.n_errors:
                yield f"{name}: {task.n_errors:,} items cannot be asked: {_listed(task.errors, task.n_errors)}"
            if task.n_outside:
                ids = _listed(task.outside, task.n_outside)
                yield f"{name}: the right answer of {task.n_outside:,} items is none of their choices: {ids}"
        if self.repeated:
            yield f"{self.repeated:,} ids stand for two items of one task"

    def check(self, name: str, *, strict: bool) -> tuple[str, ...]:
        """The problems of a benchmark. Raises BadData where there are some and a run is to be strict."""
        problems = tuple(self.problems())
        if problems and strict:
            raise BadData(f"{name}: {'; '.join(problems)}; leave out strict=true to run with what is there")
        return problems

    def remarks(self) -> Iterator[str]:
        """A line for each thing that a reader may want to know."""
        for name, task in self.tasks.items():
            if task.without_gold:
                yield f"{name}: {task.without_gold:,} items have no right answer in the data"
            if task.twice:
                yield f"{name}: {task.twice:,} items list a choice twice"
            if task.too_few:
                yield f"{name}: {task.too_few:,} items have one choice"


def _listed(names: list[str], total: int) -> str:
    more = f" and {total - len(names):,} more" if total > len(names) else ""
    return ", ".join(names) + more
