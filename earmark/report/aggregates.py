"""Scores gathered into rows: by task, condition and slice, as means over groups, and as averages over tasks.

Only counts are kept, in columns. A mean over groups weighs an item by one over the size of its group, so that each
group counts alike; an average over tasks lets each task count alike. Intervals are those of what they are.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from earmark.journal import Record
from earmark.report.rows import Row
from earmark.stats.compare import Pairs
from earmark.stats.count_table import CountTable, Floats, Names, hash64
from earmark.stats.estimate import Estimate, MeanMetric, estimates, evaluate_metric, finite_or_none
from earmark.stats.guessing import above_guessing
from earmark.stats.repeats import repeat_estimates
from earmark.types import STATES, Counts, Metric, Number, Score, Scorer, State, replace

_VERSION: Final = re.compile(r"\.\d+$")  # of a reader or a normaliser
OF: Final = "\x1f"  # between the name of a task and that of a count
FAILED: Final = 1  # of an answer: there was none,
UNREAD: Final = 2  # and it could not be read, or was a refusal


class CountColumns(Protocol):
    """The counts of many items: `CountTable`, or several of them in one."""

    @property
    def columns(self) -> Mapping[str, Floats]: ...
    @property
    def groups(self) -> Names: ...
    @property
    def items(self) -> Names: ...
    @property
    def repeats(self) -> npt.NDArray[np.int64]: ...


class JoinedCounts(Struct, frozen=True):
    """The counts of several tasks, each under its task's name."""

    columns: dict[str, Floats]
    groups: Names
    items: Names
    repeats: npt.NDArray[np.int64]


def join_counts(bags: Mapping[str, CountColumns]) -> JoinedCounts:
    """Several tasks as one: an item has the counts of its own task, and 0 of the others'."""
    columns = side_by_side(
        {task: task_columns.columns for task, task_columns in bags.items()},
        [task_columns.groups.size for task_columns in bags.values()],
    )
    named = (
        np.concatenate([getattr(task_columns, kind) for task_columns in bags.values()])
        for kind in ("groups", "items", "repeats")
    )
    return JoinedCounts(columns, *named)


def side_by_side(by_task: Mapping[str, Mapping[str, Floats]], sizes: Sequence[int]) -> dict[str, Floats]:
    """The counts of several tasks over the items of all of them, each under its task's name and 0 in the items of the
    others.

    Each count is an array of shape (items of its task,), `sizes` has how many items each task has; what comes out has
    the shape (items of all,).
    """
    columns = {}
    before = 0
    for (task, own), size in zip(by_task.items(), sizes, strict=True):
        for name, column in own.items():
            columns[f"{task}{OF}{name}"] = np.pad(column, (before, sum(sizes) - before - size))
        before += size
    return columns


class HasMetrics(Protocol):
    """Anything with metrics: a scorer, or weights or averages over one."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]: ...


class RowKey(Struct, frozen=True):
    """Which row a score belongs to."""

    task: str
    condition: str
    scorer: str  # its label
    slice: str = ""  # such as "user=001"; empty: all


class Aggregate(Struct):
    """Counts of one row, accumulated while the journal is read."""

    scorer: HasMetrics
    counts: CountColumns
    states: dict[State, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    failed: dict[str, float] = field(default_factory=dict)  # counts in the bags of items that failed
    worst: dict[str, float] = field(default_factory=dict)  # counts outside them of unjudged items had they been wrong,
    best: dict[str, float] = field(default_factory=dict)  # and of both had they been right
    outcome: array[int] = field(default_factory=lambda: array("b"))  # of each item of the bags: 0, FAILED or UNREAD
    answers: array[int] = field(default_factory=lambda: array("Q"))  # and the name of what was read, 0 for nothing

    def add(self, record: Record, scorer: Scorer, score: Score) -> None:
        """Enter one score."""
        self.states[score.state] += 1
        failed = record.failure is not None and record.failure.state != "refused"
        if isinstance(self.counts, CountTable) and score.state != "judge-failed":
            self.counts.add(score.counts, record.item.group or record.item.id, record.repeat, record.item.id)
            self.outcome.append(FAILED if failed else UNREAD if score.state in ("unparsed", "refused") else 0)
            self.answers.append(0 if score.answer is None else hash64(score.answer))
        if failed or score.state == "judge-failed":
            worst, best = scorer.bounds(record.item)
            for sums, counts in ((self.failed if failed else self.worst, worst), (self.best, best)):
                for name, count in counts.items():
                    sums[name] = sums.get(name, 0.0) + count


class Aggregates:
    """Scores gathered by task, condition, scorer and slice."""

    def __init__(self, slices: Sequence[str] = ()) -> None:
        self._slices = slices
        self.cells: dict[RowKey, Aggregate] = {}

    def add(self, record: Record, scorer: Scorer, earned: Score, label: str = "") -> None:
        """Enter one score, into the row of all and into that of each of its slices.

        `label` tells the scorer from others of its name on the same task.
        """
        item = record.item
        for tag in ("", *self._slices):
            if not tag or tag in item.tags:
                of_tag = f"{tag}={item.tags[tag]}" if tag else ""
                row_key = RowKey(item.task, record.condition, label or scorer.name, of_tag)
                cell = self.cells.get(row_key)
                if cell is None:
                    cell = self.cells[row_key] = Aggregate(scorer, CountTable())
                cell.add(record, scorer, earned)

    def to_rows(self, averages: Mapping[str, tuple[str, ...]] = {}, mean_over: str = "") -> list[Row]:
        """The numbers of every cell, of every average over tasks whose cells are all there, and of the mean over
        groups.
        """
        rows = [aggregate_row(row_key, cell) for row_key, cell in self.cells.items()]
        whole = {row_key: cell for row_key, cell in self.cells.items() if not row_key.slice}
        if mean_over:
            rows += [
                aggregate_row(replace(row_key, slice=f"mean over {mean_over}s"), average_over_groups(cell))
                for row_key, cell in whole.items()
            ]
        for name, tasks in averages.items():
            for condition, scorer in dict.fromkeys((row_key.condition, row_key.scorer) for row_key in whole):
                cells = {task: cell for task in tasks if (cell := whole.get(RowKey(task, condition, scorer)))}
                if len(cells) == len(tasks):
                    rows.append(aggregate_row(RowKey(name, condition, scorer), average_over_tasks(cells)))
        return rows


def aggregate_row(row_key: RowKey, aggregate: Aggregate) -> Row:
    """The numbers of a cell."""
    columns, groups = aggregate.counts.columns, aggregate.counts.groups
    metrics = estimates(aggregate.scorer.metrics, columns, groups, aggregate.counts.items)
    guess = _guess_rate(columns)
    headline = next(iter(aggregate.scorer.metrics.values()))
    return Row(
        task=row_key.task,
        condition=row_key.condition,
        scorer=row_key.scorer,
        signature=scorer_signature(aggregate.scorer),
        n=int(groups.size),
        states={str(state): count for state, count in aggregate.states.items()},
        metrics={
            name: _with_bounds(aggregate.scorer.metrics[name], estimate, aggregate)
            for name, estimate in metrics.items()
        },
        guess_rate=guess,
        p_guess=None if guess is None else above_guessing(headline, columns, groups, aggregate.counts.items, guess),
        slice=row_key.slice,
        better=headline.better,
        settings=msgspec.to_builtins(aggregate.scorer)
        if isinstance(aggregate.scorer, Struct) and not row_key.slice
        else {},
        repeats=repeat_estimates(headline, aggregate.counts)
        if isinstance(aggregate.counts, CountTable) and not row_key.slice
        else None,
    )


def _with_bounds(metric: Metric, estimate: Estimate, aggregate: Aggregate) -> Estimate:
    """An estimate with what failed items may hide and what is to be known of it, free of floating dust."""
    if estimate.value is None:
        return estimate
    sums = {name: float(column.sum()) for name, column in aggregate.counts.columns.items()}
    note = metric.caveat(sums) if metric.caveat else ""
    estimate = replace(estimate, why="; ".join(filter(None, (note, estimate.why))))
    if aggregate.best:

        def bound(less: Mapping[str, float], more: Mapping[str, float]) -> float | None:
            counts = {name: sums.get(name, 0.0) - less.get(name, 0.0) + more.get(name, 0.0) for name in {*sums, *more}}
            return finite_or_none(evaluate_metric(metric.value, counts))

        estimate = replace(estimate, worst=bound({}, aggregate.worst), best=bound(aggregate.failed, aggregate.best))
    numbers = ((name, getattr(estimate, name)) for name in ("value", "low", "high", "worst", "best"))
    return replace(estimate, **{name: without_dust(number) for name, number in numbers if number is not None})


def without_dust(number: float) -> float:
    """A number, or the whole one that only rounding of floats keeps it from.

    >>> without_dust(100.00000000000004), without_dust(-2.7e-17), without_dust(0.999)
    (100.0, 0.0, 0.999)
    """
    whole = float(round(number))
    return whole if math.isclose(number, whole, rel_tol=1e-12, abs_tol=1e-12) else number


def _guess_rate(columns: Mapping[str, Any]) -> float | None:
    many = columns["n"].sum() if "n" in columns else 0.0
    return finite_or_none(columns["chance"].sum() / many) if "chance" in columns and many else None


def scorer_signature(scorer: HasMetrics) -> str:
    """The settings behind a number."""
    if (own := getattr(scorer, "signature", None)) is not None:
        return str(own)
    settings = msgspec.structs.asdict(scorer) if isinstance(scorer, Struct) else {}
    return "|".join([scorer.name, *(f"{name}:{value}" for name, value in settings.items())])


def labels(scorers: Sequence[HasMetrics]) -> list[str]:
    """Short names for the scorers of a task: each its own or, where several share it, with what only its signature
    says.

    >>> from earmark.scorers.choice import ChoiceScorer
    >>> labels([ChoiceScorer("mmau"), ChoiceScorer()]), labels([ChoiceScorer("mmau")])
    (['choice mmau', 'choice earmark'], ['choice'])
    """
    names = [scorer.name for scorer in scorers]
    parts = [scorer_signature(one).split("|") if names.count(one.name) > 1 else [] for one in scorers]
    own = []
    for name, here in zip(names, parts, strict=True):
        others = [{*there} for other, there in zip(names, parts, strict=True) if other == name]
        own.append([part for part in here if not all(part in other for other in others)])
    short = [tuple(_VERSION.sub("", part.partition(":")[2] or part) for part in found) for found in own]
    wholes = {
        (name, said): {tuple(o) for n, s, o in zip(names, short, own, strict=True) if (n, s) == (name, said)}
        for name, said in zip(names, short, strict=True)
    }
    return [
        " ".join([name, *(said if len(wholes[name, said]) == 1 else found)])
        for name, said, found in zip(names, short, own, strict=True)
    ]


def average_over_groups(aggregate: Aggregate) -> Aggregate:
    """One cell whose metrics are means over groups: an item counts by one over the size of its group."""
    _, of, sizes = np.unique(aggregate.counts.groups, return_inverse=True, return_counts=True)
    weights = 1 / sizes[of]
    columns = {name: column * weights for name, column in aggregate.counts.columns.items()}
    bags = JoinedCounts(columns, aggregate.counts.groups, aggregate.counts.items, aggregate.counts.repeats)
    return Aggregate(WeightedMetrics(aggregate.scorer), bags, aggregate.states)


class WeightedMetrics(Struct, frozen=True):
    """A scorer's metrics over weighted counts."""

    scorer: HasMetrics

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def signature(self) -> str:
        return f"{scorer_signature(self.scorer)}|mean:groups"

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return self.scorer.metrics


def average_over_tasks(cells: Mapping[str, Aggregate]) -> Aggregate:
    """One cell whose metrics are means over tasks, each task counting alike. Counts carry the name of their task."""
    first = next(iter(cells.values()))
    states = {state: sum(aggregate.states[state] for aggregate in cells.values()) for state in STATES}
    whole = Aggregate(
        AverageMetrics(first.scorer, tuple(cells)),
        join_counts({task: aggregate.counts for task, aggregate in cells.items()}),
        states,
    )
    for task, aggregate in cells.items():
        for kind in ("failed", "worst", "best"):
            getattr(whole, kind).update(
                {f"{task}{OF}{name}": count for name, count in getattr(aggregate, kind).items()}
            )
    return whole


def mean_over_tasks(metric: Metric, tasks: Sequence[str]) -> Metric:
    """A metric of each task, averaged, for counts that carry the name of their task."""

    def mean(counts: Counts) -> Number:
        values = [
            metric.value({name.removeprefix(own): count for name, count in counts.items() if name.startswith(own)})
            for own in (f"{task}{OF}" for task in tasks)
        ]
        means: Number = np.mean(np.stack([np.asarray(value, np.float64) for value in values]), axis=0)
        return means

    return MeanMetric(mean, metric.better, limits=metric.limits, parts=tuple((f"{task}{OF}", metric) for task in tasks))


def join_pairs(by_task: Mapping[str, Pairs]) -> Pairs:
    """The pairs of several tasks as one, counts under their task's name: 0 in the items of other tasks."""
    sizes = [pair.groups.size for pair in by_task.values()]
    return Pairs(
        side_by_side({task: pair.baseline for task, pair in by_task.items()}, sizes),
        side_by_side({task: pair.candidate for task, pair in by_task.items()}, sizes),
        np.concatenate([pair.groups for pair in by_task.values()]),
        None
        if any(pair.items is None for pair in by_task.values())
        else np.concatenate([pair.items for pair in by_task.values() if pair.items is not None]),
    )


class AverageMetrics(Struct, frozen=True):
    """A scorer's metrics as means over tasks, for counts that carry the name of their task."""

    scorer: HasMetrics
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def signature(self) -> str:
        return f"{scorer_signature(self.scorer)}|mean:{'+'.join(self.tasks)}"

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {name: mean_over_tasks(metric, self.tasks) for name, metric in self.scorer.metrics.items()}
