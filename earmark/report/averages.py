"""Averages over tasks and over other averages, pooled or with each part counting alike, some parts scaled.

An average some of whose parts are not there has no number; its row says how many are, and which are missing. Scorers of
its parts are those of one label where every part has that one, else the first of each part; metrics of one name are
averaged by name, else the headlines are. The tables of a run, its comparisons, listening gains and leaderboards all
take averages from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.report.aggregates import (
    Aggregate,
    DerivedMetrics,
    HasMetrics,
    JoinedCounts,
    RowKey,
    add_over,
    aggregate_row,
    join_aggregates,
    join_counts,
    mean_of_metrics,
    prefix_columns,
    scorer_signature,
)
from earmark.report.rows import Row
from earmark.stats.count_table import Floats, hash64
from earmark.stats.difference import Pairs
from earmark.stats.estimate import Estimate
from earmark.types import STATES, Average, Metric, Signature

SEVERAL: Final = "several"  # label of an average whose parts are scored in different ways
SHOWN: Final = 12  # names of tasks in a note, at most
MEAN: Final = "mean of headlines"
Cells = Mapping[RowKey, Aggregate]


def average_rows(tree: Mapping[str, Average], cells: Cells, until: float | None = None) -> list[Row]:
    """The rows of a tree of averages, in its order; `cells` are whole tasks."""
    rows: list[Row] = []
    found = dict(cells)  # and every average that has a number
    for name, average in tree.items():
        for condition in dict.fromkeys(key.condition for key in cells):
            for label in _labels(average, found, condition):
                parts = {part: _part(found, part, condition, label) for part in average.over}
                known = {part: cell for part, cell in parts.items() if cell is not None}
                key = RowKey(name, condition, label)
                if len(known) < len(parts):
                    rows.append(_incomplete_row(key, average, known))
                    continue
                found[key] = combine(average, known)
                rows.append(aggregate_row(key, found[key], until))
    return rows


def _labels(average: Average, found: Cells, condition: str) -> list[str]:
    """Labels under which an average has a row: those that all its parts have that are there, else one for all."""
    by_part = [
        labels
        for part in average.over
        if (labels := [key.scorer for key in found if (key.task, key.condition) == (part, condition)])
    ]
    if not by_part:
        return []
    shared = [label for label in by_part[0] if all(label in labels for labels in by_part)]
    return shared or [SEVERAL]


def _part(found: Cells, part: str, condition: str, label: str) -> Aggregate | None:
    own = [key for key in found if (key.task, key.condition) == (part, condition)]
    if label == SEVERAL:
        return found[own[0]] if own else None
    return found.get(RowKey(part, condition, label))


def _incomplete_row(key: RowKey, average: Average, known: Mapping[str, Aggregate]) -> Row:
    missing = [part for part in average.over if part not in known]
    first = next(iter(known.values()))
    listed = ", ".join(missing[:SHOWN]) + (f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else "")
    why = f"{len(known)} of {len(average.over)} tasks: without {listed} there is no number"
    name, metric = next(iter(first.scorer.metrics.items()))
    return Row(
        task=key.task,
        condition=key.condition,
        scorer=key.scorer,
        signature=scorer_signature(first.scorer),
        n=sum(int(cell.counts.groups.size) for cell in known.values()),
        states={state: sum(cell.states[state] for cell in known.values()) for state in STATES},
        metrics={name: Estimate(None, why=why)},
        better=metric.better,
    )


# ---------------------------------------------------------------- of two runs, or of a score and its controls


def tasks_of(tree: Mapping[str, Average], name: str) -> tuple[str, ...]:
    """The tasks below an average; of a task itself.

    >>> tasks_of({"inner": Average(("a", "b")), "all": Average(("inner", "c"))}, "all")
    ('a', 'b', 'c')
    """
    if name not in tree:
        return (name,)
    return tuple(dict.fromkeys(task for part in tree[name].over for task in tasks_of(tree, part)))


def labels_of_average(
    tree: Mapping[str, Average], name: str, labels: Callable[[str], Sequence[str]]
) -> dict[str, dict[str, str]]:
    """The scorer of each task below an average, by the label of the average; nothing where a task has none."""
    by_task = {task: labels(task) for task in tasks_of(tree, name)}
    if not all(by_task.values()):
        return {}
    first = next(iter(by_task.values()))
    shared = [label for label in first if all(label in known for known in by_task.values())]
    if shared:
        return {label: dict.fromkeys(by_task, label) for label in shared}
    return {SEVERAL: {task: known[0] for task, known in by_task.items()}}


def metric_of(tree: Mapping[str, Average], name: str, metric: Callable[[str], Metric]) -> Metric:
    """The metric of an average, from those of its tasks."""
    if name not in tree:
        return metric(name)
    average = tree[name]
    if average.weigh == "items":
        return metric_of(tree, average.over[0], metric)
    parts = [(part, metric_of(tree, part, metric), average.scale.get(part, 1.0)) for part in average.over]
    return mean_metric(parts, average.decimals)


def pairs_of(tree: Mapping[str, Average], name: str, pairs: Callable[[str], Pairs]) -> Pairs:
    """The pairs of an average, from those of its tasks, for `metric_of`."""
    if name not in tree:
        return pairs(name)
    parts = {part: pairs_of(tree, part, pairs) for part in tree[name].over}
    return _pool_pairs(parts) if tree[name].weigh == "items" else _join_pairs(parts)


def _pool_pairs(parts: Mapping[str, Pairs]) -> Pairs:
    def columns(side: str) -> dict[str, Floats]:
        by_part = [getattr(each, side) for each in parts.values()]
        names = dict.fromkeys(name for counts in by_part for name in counts)
        sizes = [each.groups.size for each in parts.values()]
        return {
            name: np.concatenate([
                counts.get(name, np.zeros(size)) for counts, size in zip(by_part, sizes, strict=True)
            ])
            for name in names
        }  # fmt: skip

    items = [
        (each.groups if each.items is None else each.items) ^ np.uint64(hash64(part)) for part, each in parts.items()
    ]
    groups = np.concatenate([each.groups for each in parts.values()])
    return Pairs(columns("baseline"), columns("candidate"), groups, np.concatenate(items))


def _join_pairs(parts: Mapping[str, Pairs]) -> Pairs:
    """Counts are prefixed with their part, and 0 in the items of others."""
    sizes = [pairs.groups.size for pairs in parts.values()]
    items = [pairs.items for pairs in parts.values() if pairs.items is not None]
    return Pairs(
        prefix_columns({part: pairs.baseline for part, pairs in parts.items()}, sizes),
        prefix_columns({part: pairs.candidate for part, pairs in parts.items()}, sizes),
        np.concatenate([pairs.groups for pairs in parts.values()]),
        np.concatenate(items) if len(items) == len(parts) else None,
    )


# ---------------------------------------------------------------- of one run


def combine(average: Average, parts: Mapping[str, Aggregate]) -> Aggregate:
    """The cell of an average whose parts are all there."""
    return _pool(parts) if average.weigh == "items" else _mean(average, parts)


def _pool(parts: Mapping[str, Aggregate]) -> Aggregate:
    """All items as those of one task. An item is named by its part too: ids are unique within a task."""
    names = dict.fromkeys(name for cell in parts.values() for name in cell.counts.columns)
    counts = [cell.counts for cell in parts.values()]
    columns = {
        name: np.concatenate([each.columns.get(name, np.zeros(each.groups.size)) for each in counts]) for name in names
    }
    items = [each.items ^ np.uint64(hash64(part)) for part, each in zip(parts, counts, strict=True)]
    joined = JoinedCounts(
        columns,
        np.concatenate([each.groups for each in counts]),
        np.concatenate(items),
        np.concatenate([each.repeats for each in counts]),
    )
    first = next(iter(parts.values()))
    return join_aggregates(PooledMetrics(first.scorer, tuple(parts)), parts, joined, prefix=False)


def _mean(average: Average, parts: Mapping[str, Aggregate]) -> Aggregate:
    """Each part counting alike. Counts carry the name of their part."""
    joined = join_counts({part: cell.counts for part, cell in parts.items()})
    scorers = tuple((part, cell.scorer, average.scale.get(part, 1.0)) for part, cell in parts.items())
    return join_aggregates(TreeMetrics(scorers, average.decimals), parts, joined, prefix=True)


class PooledMetrics(DerivedMetrics, frozen=True):
    """A scorer's metrics over the items of several tasks."""

    tasks: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        return add_over(scorer_signature(self.scorer), "items", "+".join(self.tasks))


class TreeMetrics(NamedTuple):
    """Means over parts, each with its scorer and its factor, for counts that carry the name of their part."""

    parts: tuple[tuple[str, HasMetrics, float], ...]
    decimals: int | None = None  # of each part

    @property
    def name(self) -> str:
        return self.parts[0][1].name

    @property
    def signature(self) -> Signature:
        scaled = [f"{part}*{factor:g}" if factor != 1 else part for part, _, factor in self.parts]
        signature = add_over(scorer_signature(self.parts[0][1]), "mean", "+".join(scaled))
        return signature if self.decimals is None else add_over(signature, "decimals", str(self.decimals))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        by_part = [(part, scorer.metrics, factor) for part, scorer, factor in self.parts]
        shared = [name for name in by_part[0][1] if all(name in metrics for _, metrics, _ in by_part)]
        headlines = {next(iter(metrics)) for _, metrics, _ in by_part}
        if len(headlines) == 1:
            return {
                name: mean_metric([(part, metrics[name], factor) for part, metrics, factor in by_part], self.decimals)
                for name in shared
            }
        parts = [(part, next(iter(metrics.values())), factor) for part, metrics, factor in by_part]
        return {MEAN: mean_metric(parts, self.decimals)}


def mean_metric(parts: list[tuple[str, Metric, float]], decimals: int | None = None) -> Metric:
    """The mean of several metrics, each of the counts that carry its part's name, times its factor, and rounded."""
    scaled = [(part, round_metric(scale_metric(metric, factor), decimals)) for part, metric, factor in parts]
    limits = {metric.limits or ((0.0, 1.0) if metric.share else None) for _, metric in scaled}
    return mean_of_metrics(scaled, next(iter(limits)) if len(limits) == 1 else None)


def scale_metric(metric: Metric, factor: float) -> Metric:
    """A metric times a factor, such as 20 for points from 1 to 5 that stand beside percentages."""
    if factor == 1:
        return metric
    limits = metric.limits or ((0.0, 1.0) if metric.share else None)
    return Metric(
        lambda counts: metric.value(counts) * factor,
        metric.better,
        limits=(limits[0] * factor, limits[1] * factor) if limits else None,
    )


def round_metric(metric: Metric, decimals: int | None) -> Metric:
    """A metric rounded to some decimals, as a leaderboard that averages printed numbers has it."""
    if decimals is None:
        return metric
    limits = metric.limits or ((0.0, 1.0) if metric.share else None)
    return Metric(lambda counts: np.round(metric.value(counts), decimals), metric.better, limits=limits)
