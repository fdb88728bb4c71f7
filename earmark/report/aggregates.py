"""Aggregation of scores into rows: by task, condition and slice, and as means over groups.

Only counts are kept, in columns. A mean over groups weighs an item by one over the size of its group, so that each
group counts alike. Averages over tasks are in `averages.py`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from earmark.journal import Record
from earmark.plugins import plugin_file, signed_settings
from earmark.report.rows import Row
from earmark.stats.count_table import CountTable, Floats, Names, hash64
from earmark.stats.estimate import Estimate, MeanMetric, estimates, evaluate_metric, finite_or_none
from earmark.stats.guessing import above_guessing
from earmark.stats.repeats import repeat_estimates
from earmark.types import (
    STATES,
    Counts,
    HasSettings,
    Metric,
    Number,
    Score,
    Scorer,
    Signature,
    Signs,
    State,
    replace,
)

TASK_SEPARATOR: Final = "\x1f"  # between the name of a task and that of a count
FAILED: Final = 1  # outcome of an item without a response
UNPARSED: Final = 2  # outcome of a response that was not parsed, or a refusal


class CountColumns(Protocol):
    """Counts of many items: a `CountTable`, or several joined."""

    @property
    def columns(self) -> Mapping[str, Floats]: ...
    @property
    def groups(self) -> Names: ...
    @property
    def items(self) -> Names: ...
    @property
    def repeats(self) -> npt.NDArray[np.int64]: ...


class JoinedCounts(Struct, frozen=True):
    """Counts of several tasks, each prefixed with the name of its task."""

    columns: dict[str, Floats]
    groups: Names
    items: Names
    repeats: npt.NDArray[np.int64]


def join_counts(by_task: Mapping[str, CountColumns]) -> JoinedCounts:
    """Join several tasks: an item has the counts of its own task, and 0 of the others."""
    tables = by_task.values()
    columns = prefix_columns(
        {task: table.columns for task, table in by_task.items()}, [table.groups.size for table in tables]
    )
    groups, items, repeats = (
        np.concatenate([getattr(table, kind) for table in tables]) for kind in ("groups", "items", "repeats")
    )
    return JoinedCounts(columns, groups, items, repeats)


def prefix_columns(by_task: Mapping[str, Mapping[str, Floats]], sizes: Sequence[int]) -> dict[str, Floats]:
    """Pad the counts of each task to the items of all tasks, with 0 in the others, and prefix them with the task.

    Each count has shape (items of its task,), `sizes` are the numbers of items; each result has shape (all items,).
    """
    columns = {}
    before = 0
    for (task, counts), size in zip(by_task.items(), sizes, strict=True):
        for name, column in counts.items():
            columns[f"{task}{TASK_SEPARATOR}{name}"] = np.pad(column, (before, sum(sizes) - before - size))
        before += size
    return columns


class HasMetrics(Protocol):
    """A scorer, or weights or averages over one."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]: ...


class RowKey(Struct, frozen=True):
    """Key of the row that a score belongs to."""

    task: str
    condition: str
    scorer: str  # its label
    slice: str = ""  # such as "user=001"; empty: all


class Hashes(NamedTuple):
    """Hashes of what is kept of a score by name."""

    group: int
    item: int
    answer: int  # 0 for none


class Aggregate(Struct):
    """Counts of one row, accumulated while the journal is read."""

    scorer: HasMetrics
    counts: CountColumns
    states: dict[State, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    failed: dict[str, float] = field(default_factory=dict)  # counts in the table of failed items
    worst: dict[str, float] = field(default_factory=dict)  # counts of unjudged items if they were wrong
    best: dict[str, float] = field(default_factory=dict)  # counts of failed and unjudged items if they were right
    outcome: array[int] = field(default_factory=lambda: array("b"))  # of each item of the table: 0, FAILED or UNPARSED
    answers: array[int] = field(default_factory=lambda: array("Q"))  # hash of each parsed answer, 0 for none

    def add(self, record: Record, scorer: Scorer, score: Score, hashes: Hashes) -> None:
        """Add one score."""
        self.states[score.state] += 1
        failed = record.failure is not None and record.failure.state != "refused"
        if isinstance(self.counts, CountTable) and score.state != "judge-failed":
            self.counts.add_hashed(score.counts, hashes.group, record.repeat, hashes.item)
            self.outcome.append(FAILED if failed else UNPARSED if score.state in ("unparsed", "refused") else 0)
            self.answers.append(hashes.answer)
        if failed or score.state == "judge-failed":
            worst, best = scorer.bounds(record.item)
            for sums, counts in ((self.failed if failed else self.worst, worst), (self.best, best)):
                for name, count in counts.items():
                    sums[name] = sums.get(name, 0.0) + count

    def extend(self, other: Aggregate) -> None:
        """Add the scores of records that come after these."""
        if isinstance(self.counts, CountTable) and isinstance(other.counts, CountTable):
            self.counts.extend(other.counts)
        for state, count in other.states.items():
            self.states[state] += count
        for sums, more in ((self.failed, other.failed), (self.worst, other.worst), (self.best, other.best)):
            for name, amount in more.items():
                sums[name] = sums.get(name, 0.0) + amount
        self.outcome.extend(other.outcome)
        self.answers.extend(other.answers)


class Aggregates:
    """Scores aggregated by task, condition, scorer and slice."""

    def __init__(self, slices: Sequence[str] = ()) -> None:
        self._slices = slices
        self.by_row: dict[RowKey, Aggregate] = {}

    def add(self, record: Record, scorer: Scorer, score: Score, label: str = "") -> None:
        """Add one score to the row of its task and to that of each of its slices.

        `label` distinguishes the scorer from others of its name on the same task.
        """
        item = record.item
        group = hash64(item.group or item.id)
        answer = 0 if score.answer is None else hash64(score.answer)
        hashes = Hashes(group, group if item.group == item.id else hash64(item.id), answer)
        for tag in ("", *self._slices):
            if not tag or tag in item.tags:
                row_slice = f"{tag}={item.tags[tag]}" if tag else ""
                row_key = RowKey(item.task, record.condition, label or scorer.name, row_slice)
                aggregate = self.by_row.get(row_key)
                if aggregate is None:
                    aggregate = self.by_row[row_key] = Aggregate(scorer, CountTable())
                aggregate.add(record, scorer, score, hashes)

    def extend(self, other: Aggregates) -> None:
        """Add the scores of records that come after these."""
        for row_key, aggregate in other.by_row.items():
            if row_key in self.by_row:
                self.by_row[row_key].extend(aggregate)
            else:
                self.by_row[row_key] = aggregate

    def to_rows(self, mean_over: str = "", until: float | None = None) -> list[Row]:
        """Compute every row, and the means over groups; with `until` as of a run that stops once a number is known."""
        rows = [aggregate_row(row_key, aggregate, until) for row_key, aggregate in self.by_row.items()]
        if mean_over:
            from earmark.report.groups import average_over_groups  # noqa: PLC0415 - of few benchmarks

            rows += [
                aggregate_row(replace(row_key, slice=f"mean over {mean_over}s"), average_over_groups(aggregate), until)
                for row_key, aggregate in self.whole.items()
            ]
        return rows

    @property
    def whole(self) -> dict[RowKey, Aggregate]:
        """The aggregates of whole tasks."""
        return {row_key: aggregate for row_key, aggregate in self.by_row.items() if not row_key.slice}


def aggregate_row(row_key: RowKey, aggregate: Aggregate, until: float | None = None) -> Row:
    """Compute the row of an aggregate."""
    columns, groups, items = aggregate.counts.columns, aggregate.counts.groups, aggregate.counts.items
    scorer = aggregate.scorer
    metrics = estimates(scorer.metrics, columns, groups, items)
    if until:
        from earmark.stats.confidence_sequence import limits_of, sequential  # noqa: PLC0415 - of few runs

        metrics = {name: sequential(found, limits_of(scorer.metrics[name]), until) for name, found in metrics.items()}
    guess = _guess_rate(columns)
    headline = next(iter(scorer.metrics.values()))
    return Row(
        task=row_key.task,
        condition=row_key.condition,
        scorer=row_key.scorer,
        signature=scorer_signature(scorer),
        n=int(groups.size),
        states={str(state): count for state, count in aggregate.states.items()},
        metrics={name: _with_bounds(scorer.metrics[name], estimate, aggregate) for name, estimate in metrics.items()},
        guess_rate=guess,
        p_guess=None if guess is None or until else above_guessing(headline, columns, groups, items, guess),
        slice=row_key.slice,
        better=headline.better,
        file=str(file.path) if (file := plugin_file(scorer.name)) else "",
        settings=msgspec.to_builtins(scorer.settings) if isinstance(scorer, HasSettings) and not row_key.slice else {},
        repeats=repeat_estimates(headline, aggregate.counts)
        if isinstance(aggregate.counts, CountTable) and not row_key.slice
        else None,
    )


def _with_bounds(metric: Metric, estimate: Estimate, aggregate: Aggregate) -> Estimate:
    """Add the bounds over failed items and the caveat to an estimate, and remove rounding errors."""
    sums = {name: float(column.sum()) for name, column in aggregate.counts.columns.items()}
    note = metric.caveat(sums) if metric.caveat else ""
    if estimate.value is None:
        return replace(estimate, why=note or estimate.why)
    estimate = replace(estimate, why="; ".join(filter(None, (note, estimate.why))))
    if aggregate.best:

        def bound(removed: Mapping[str, float], added: Mapping[str, float]) -> float | None:
            names = {*sums, *added}
            counts = {name: sums.get(name, 0.0) - removed.get(name, 0.0) + added.get(name, 0.0) for name in names}
            return finite_or_none(evaluate_metric(metric.value, counts))

        estimate = replace(estimate, worst=bound({}, aggregate.worst), best=bound(aggregate.failed, aggregate.best))
    numbers = ((name, getattr(estimate, name)) for name in ("value", "low", "high", "worst", "best"))
    return replace(estimate, **{name: snap_to_integer(number) for name, number in numbers if number is not None})


def snap_to_integer(number: float) -> float:
    """Round a number that differs from an integer only by floating-point error.

    >>> snap_to_integer(100.00000000000004), snap_to_integer(-2.7e-17), snap_to_integer(0.999)
    (100.0, 0.0, 0.999)
    """
    whole = float(round(number))
    return whole if math.isclose(number, whole, rel_tol=1e-12, abs_tol=1e-12) else number


def _guess_rate(columns: Mapping[str, Any]) -> float | None:
    n = columns["n"].sum() if "n" in columns else 0.0
    return finite_or_none(columns["chance"].sum() / n) if "chance" in columns and n else None


def scorer_signature(scorer: HasMetrics) -> Signature:
    """The signature of a scorer, or its name and settings if it has none; the digest of its file if it was given by its
    path.
    """
    if isinstance(scorer, Signs):
        own = scorer.signature
    else:
        settings = signed_settings(scorer.settings) if isinstance(scorer, HasSettings) else {}
        own = Signature(scorer.name, tuple((name, str(value)) for name, value in settings.items()))
    file = None if isinstance(scorer, DerivedMetrics) else plugin_file(scorer.name)
    return replace(own, settings=(*own.settings, ("file", file.digest[:16]))) if file else own


def labels(scorers: Sequence[HasMetrics]) -> list[str]:
    """Label the scorers of a task: by name or, where several share a name, with what tells them apart."""
    names = [scorer.name for scorer in scorers]
    if len({*names}) == len(names):
        return names
    from earmark.report.labels import distinct_labels  # noqa: PLC0415 - of few tasks

    return distinct_labels(scorers)


class DerivedMetrics(Struct, frozen=True):
    """Base class: metrics of a scorer over counts that were weighted, pooled or joined."""

    scorer: HasMetrics

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return self.scorer.metrics


def add_over(signature: Signature, kind: str, parts: str) -> Signature:
    """A signature of numbers that were put together."""
    return replace(signature, details=(*signature.details, (kind, parts)))


def join_aggregates(
    scorer: HasMetrics, by_task: Mapping[str, Aggregate], joined: JoinedCounts, *, prefix: bool
) -> Aggregate:
    """Join the states of several tasks, and the counts beside their items: prefixed with their task, or added up."""
    states: dict[State, int] = {state: sum(part.states[state] for part in by_task.values()) for state in STATES}
    failed, worst, best = (_join_other_counts(by_task, kind, prefix) for kind in ("failed", "worst", "best"))
    return Aggregate(scorer, joined, states, failed, worst, best)


def _join_other_counts(by_task: Mapping[str, Aggregate], kind: str, prefix: bool) -> dict[str, float]:
    sums: dict[str, float] = {}
    for task, aggregate in by_task.items():
        for name, count in getattr(aggregate, kind).items():
            key = f"{task}{TASK_SEPARATOR}{name}" if prefix else name
            sums[key] = sums.get(key, 0.0) + count
    return sums


def mean_of_metrics(by_task: Sequence[tuple[str, Metric]], limits: tuple[float, float] | None) -> Metric:
    """Average the metrics of several tasks, each of the counts that are prefixed with its task."""
    parts = tuple((f"{task}{TASK_SEPARATOR}", metric) for task, metric in by_task)

    def mean(counts: Counts) -> Number:
        values = [
            metric.value(
                {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
            )
            for prefix, metric in parts
        ]
        means: Number = np.mean(np.stack([np.asarray(value, np.float64) for value in values]), axis=0)
        return means

    return MeanMetric(mean, parts[0][1].better, limits=limits, parts=parts)
