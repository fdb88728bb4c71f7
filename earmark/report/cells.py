"""Scores gathered into rows: by task, condition and slice, as means over groups, and as averages over tasks.

Only counts are kept, in columns. A mean over groups weighs an item by one over the size of its group, so that each group
counts alike; an average over tasks lets each task count alike. Intervals are those of what they are.
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
from earmark.stats.bags import Bags, Floats, Names, named
from earmark.stats.compare import Pairs
from earmark.stats.estimate import Estimate, MeanMetric, defined, estimates, read
from earmark.stats.guessing import above_guessing
from earmark.stats.repeats import repeated
from earmark.types import STATES, Counts, Metric, Number, Score, Scorer, State, replace

_VERSION: Final = re.compile(r"\.\d+$")  # of a reader or a normaliser
OF: Final = "\x1f"  # between the name of a task and that of a count
FAILED: Final = 1  # of an answer: there was none,
UNREAD: Final = 2  # and it could not be read, or was a refusal


class Columns(Protocol):
    """The counts of many items: `Bags`, or several of them in one."""

    @property
    def columns(self) -> Mapping[str, Floats]: ...
    @property
    def groups(self) -> Names: ...
    @property
    def items(self) -> Names: ...
    @property
    def repeats(self) -> npt.NDArray[np.int64]: ...


class Joined(Struct, frozen=True):
    """The counts of several tasks, each under its task's name."""

    columns: dict[str, Floats]
    groups: Names
    items: Names
    repeats: npt.NDArray[np.int64]


def joined(bags: Mapping[str, Columns]) -> Joined:
    """Several tasks as one: an item has the counts of its own task, and 0 of the others'."""
    columns = side_by_side(
        {task: one.columns for task, one in bags.items()}, [one.groups.size for one in bags.values()]
    )
    named = (np.concatenate([getattr(one, kind) for one in bags.values()]) for kind in ("groups", "items", "repeats"))
    return Joined(columns, *named)


def side_by_side(by_task: Mapping[str, Mapping[str, Floats]], sizes: Sequence[int]) -> dict[str, Floats]:
    """The counts of several tasks over the items of all of them, each under its task's name and 0 in the items of the others.

    Each count is an array of shape (items of its task,), `sizes` has how many items each task has; what comes out has the
    shape (items of all,).
    """
    columns = {}
    before = 0
    for (task, own), size in zip(by_task.items(), sizes, strict=True):
        for name, column in own.items():
            columns[f"{task}{OF}{name}"] = np.pad(column, (before, sum(sizes) - before - size))
        before += size
    return columns


class HasMetrics(Protocol):
    """What numbers are read by: a scorer, or the weights or averages that are laid over one."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]: ...


class Place(Struct, frozen=True):
    """Which row a score belongs to."""

    task: str
    condition: str
    scorer: str  # its label
    slice: str = ""  # such as "user=001"; empty: all


class Cell(Struct):
    """What is gathered for one row while the journal is read."""

    scorer: HasMetrics
    bags: Columns
    states: dict[State, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    failed: dict[str, float] = field(default_factory=dict)  # counts in the bags of items that failed
    worst: dict[str, float] = field(default_factory=dict)  # counts outside them of unjudged items had they been wrong,
    best: dict[str, float] = field(default_factory=dict)  # and of both had they been right
    lost: array[int] = field(default_factory=lambda: array("b"))  # of each item of the bags: 0, FAILED or UNREAD
    answers: array[int] = field(default_factory=lambda: array("Q"))  # and the name of what was read, 0 for nothing

    def add(self, record: Record, scorer: Scorer, earned: Score) -> None:
        """Enter one score."""
        self.states[earned.state] += 1
        failed = record.failure is not None and record.failure.state != "refused"
        if isinstance(self.bags, Bags) and earned.state != "judge-failed":
            self.bags.add(earned.counts, record.item.group or record.item.id, record.repeat, record.item.id)
            self.lost.append(FAILED if failed else UNREAD if earned.state in ("unparsed", "refused") else 0)
            self.answers.append(0 if earned.answer is None else named(earned.answer))
        if failed or earned.state == "judge-failed":
            worst, best = scorer.bounds(record.item)
            for sums, counts in ((self.failed if failed else self.worst, worst), (self.best, best)):
                for name, count in counts.items():
                    sums[name] = sums.get(name, 0.0) + count


class Cells:
    """Scores gathered by task, condition, scorer and slice."""

    def __init__(self, slices: Sequence[str] = ()) -> None:
        self._slices = slices
        self.cells: dict[Place, Cell] = {}

    def add(self, record: Record, scorer: Scorer, earned: Score, label: str = "") -> None:
        """Enter one score, into the row of all and into that of each of its slices.

        `label` tells the scorer from others of its name on the same task.
        """
        item = record.item
        for tag in ("", *self._slices):
            if not tag or tag in item.tags:
                of_tag = f"{tag}={item.tags[tag]}" if tag else ""
                place = Place(item.task, record.condition, label or scorer.name, of_tag)
                cell = self.cells.get(place)
                if cell is None:
                    cell = self.cells[place] = Cell(scorer, Bags())
                cell.add(record, scorer, earned)

    def rows(self, averages: Mapping[str, tuple[str, ...]] = {}, mean_over: str = "") -> list[Row]:
        """The numbers of every cell, of every average over tasks whose cells are all there, and of the mean over groups."""
        rows = [row(place, cell) for place, cell in self.cells.items()]
        whole = {place: cell for place, cell in self.cells.items() if not place.slice}
        if mean_over:
            rows += [
                row(replace(place, slice=f"mean over {mean_over}s"), over_groups(cell)) for place, cell in whole.items()
            ]
        for name, tasks in averages.items():
            for condition, scorer in dict.fromkeys((place.condition, place.scorer) for place in whole):
                cells = {task: cell for task in tasks if (cell := whole.get(Place(task, condition, scorer)))}
                if len(cells) == len(tasks):
                    rows.append(row(Place(name, condition, scorer), averaged(cells)))
        return rows


def row(place: Place, cell: Cell) -> Row:
    """The numbers of a cell."""
    columns, groups = cell.bags.columns, cell.bags.groups
    found = estimates(cell.scorer.metrics, columns, groups, cell.bags.items)
    guess = _chance(columns)
    headline = next(iter(cell.scorer.metrics.values()))
    return Row(
        task=place.task,
        condition=place.condition,
        scorer=place.scorer,
        signature=signature_of(cell.scorer),
        n=int(groups.size),
        states={str(state): count for state, count in cell.states.items()},
        metrics={name: _bounded(cell.scorer.metrics[name], estimate, cell) for name, estimate in found.items()},
        chance=guess,
        p_guess=None if guess is None else above_guessing(headline, columns, groups, cell.bags.items, guess),
        slice=place.slice,
        better=headline.better,
        settings=msgspec.to_builtins(cell.scorer) if isinstance(cell.scorer, Struct) and not place.slice else {},
        repeats=repeated(headline, cell.bags) if isinstance(cell.bags, Bags) and not place.slice else None,
    )


def _bounded(metric: Metric, found: Estimate, cell: Cell) -> Estimate:
    """An estimate with what failed items may hide and what is to be known of it, free of floating dust."""
    if found.value is None:
        return found
    sums = {name: float(column.sum()) for name, column in cell.bags.columns.items()}
    note = metric.caveat(sums) if metric.caveat else ""
    found = replace(found, why="; ".join(filter(None, (note, found.why))))
    if cell.best:

        def bound(less: Mapping[str, float], more: Mapping[str, float]) -> float | None:
            counts = {name: sums.get(name, 0.0) - less.get(name, 0.0) + more.get(name, 0.0) for name in {*sums, *more}}
            return defined(read(metric.value, counts))

        found = replace(found, worst=bound({}, cell.worst), best=bound(cell.failed, cell.best))
    numbers = ((name, getattr(found, name)) for name in ("value", "low", "high", "worst", "best"))
    return replace(found, **{name: without_dust(number) for name, number in numbers if number is not None})


def without_dust(number: float) -> float:
    """A number, or the whole one that only rounding of floats keeps it from.

    >>> without_dust(100.00000000000004), without_dust(-2.7e-17), without_dust(0.999)
    (100.0, 0.0, 0.999)
    """
    whole = float(round(number))
    return whole if math.isclose(number, whole, rel_tol=1e-12, abs_tol=1e-12) else number


def _chance(columns: Mapping[str, Any]) -> float | None:
    many = columns["n"].sum() if "n" in columns else 0.0
    return defined(columns["chance"].sum() / many) if "chance" in columns and many else None


def signature_of(scorer: HasMetrics) -> str:
    """The settings behind a number."""
    if (own := getattr(scorer, "signature", None)) is not None:
        return str(own)
    settings = msgspec.structs.asdict(scorer) if isinstance(scorer, Struct) else {}
    return "|".join([scorer.name, *(f"{name}:{value}" for name, value in settings.items())])


def labels(scorers: Sequence[HasMetrics]) -> list[str]:
    """Short names for the scorers of a task: each its own or, where several share it, with what only its signature says.

    >>> from earmark.scorers.choice import Choice
    >>> labels([Choice("mmau"), Choice()]), labels([Choice("mmau")])
    (['choice mmau', 'choice earmark'], ['choice'])
    """
    names = [scorer.name for scorer in scorers]
    parts = [signature_of(one).split("|") if names.count(one.name) > 1 else [] for one in scorers]
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


def over_groups(cell: Cell) -> Cell:
    """One cell whose metrics are means over groups: an item counts by one over the size of its group."""
    _, of, sizes = np.unique(cell.bags.groups, return_inverse=True, return_counts=True)
    weights = 1 / sizes[of]
    columns = {name: column * weights for name, column in cell.bags.columns.items()}
    bags = Joined(columns, cell.bags.groups, cell.bags.items, cell.bags.repeats)
    return Cell(Weighted(cell.scorer), bags, cell.states)


class Weighted(Struct, frozen=True):
    """A scorer's metrics over weighted counts."""

    scorer: HasMetrics

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def signature(self) -> str:
        return f"{signature_of(self.scorer)}|mean:groups"

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return self.scorer.metrics


def averaged(cells: Mapping[str, Cell]) -> Cell:
    """One cell whose metrics are means over tasks, each task counting alike. Counts carry the name of their task."""
    first = next(iter(cells.values()))
    states = {state: sum(cell.states[state] for cell in cells.values()) for state in STATES}
    whole = Cell(Average(first.scorer, tuple(cells)), joined({task: cell.bags for task, cell in cells.items()}), states)
    for task, cell in cells.items():
        for kind in ("failed", "worst", "best"):
            getattr(whole, kind).update({f"{task}{OF}{name}": count for name, count in getattr(cell, kind).items()})
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


def joined_pairs(by_task: Mapping[str, Pairs]) -> Pairs:
    """The pairs of several tasks as one, counts under their task's name: 0 in the items of other tasks."""
    sizes = [pair.groups.size for pair in by_task.values()]
    return Pairs(
        side_by_side({task: pair.first for task, pair in by_task.items()}, sizes),
        side_by_side({task: pair.second for task, pair in by_task.items()}, sizes),
        np.concatenate([pair.groups for pair in by_task.values()]),
        None
        if any(pair.items is None for pair in by_task.values())
        else np.concatenate([pair.items for pair in by_task.values() if pair.items is not None]),
    )


class Average(Struct, frozen=True):
    """A scorer's metrics as means over tasks, for counts that carry the name of their task."""

    scorer: HasMetrics
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def signature(self) -> str:
        return f"{signature_of(self.scorer)}|mean:{'+'.join(self.tasks)}"

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {name: mean_over_tasks(metric, self.tasks) for name, metric in self.scorer.metrics.items()}
