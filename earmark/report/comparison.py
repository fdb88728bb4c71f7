"""Two runs side by side: a row for each task, condition and scorer that both have, over the questions that both answered.

Pairs are made by task, id, condition and repeat. What makes two runs hard to compare (other settings of the benchmark,
other words or recordings for the same id, other rules of scoring, failures, scores older than their answers) is said in
a line each and never hidden; the numbers are there all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.report.cells import joined_pairs, mean_over_tasks
from earmark.report.gathered import About, Place, Scores, Side
from earmark.report.rows import title_of
from earmark.report.table import chance, mark, number, signed
from earmark.signature import differences
from earmark.stats.bags import Floats, Names
from earmark.stats.compare import Difference, Pairs, difference, holm
from earmark.stats.estimate import defined, read
from earmark.stats.planning import items_to_find
from earmark.types import Metric, replace

HEAD: Final = (
    "task", "condition", "first", "second", "difference", "95 % interval", "p", "p, Holm", "test",
    "n", "only first", "only second",
)  # fmt: skip
TOLD: Final = 5  # differing settings that are listed


class Row(Struct, frozen=True):
    """One task under one condition by one scorer, in both runs."""

    task: str
    condition: str
    scorer: str
    metric: str
    better: Literal["higher", "lower"]
    difference: Difference
    p_holm: float | None  # adjusted over all rows of the comparison
    only_first: int  # questions that the other run has not
    only_second: int
    failed_first: int = 0  # of the pairs
    failed_second: int = 0
    without_failed: float | None = None  # the difference over the pairs that failed in neither

    @property
    def title(self) -> str:
        """Name of the row."""
        return title_of(self.task, "", self.scorer)


class Comparison(Struct, frozen=True):
    """Two runs, compared."""

    first: str
    second: str
    rows: list[Row]
    notes: list[str]


class Matched(NamedTuple):
    """The places in two cells of the questions that both have."""

    keys: Names
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]


def compare(first: Side, second: Side, *, metric: str = "", everything: bool = False, seed: int = 0) -> Comparison:
    """Compare by the headline of each scorer, by the metric that is named, or by everything."""
    second = second.with_labels_of(first)
    places = [place for place in first.scores if place in second.scores]
    places.sort(key=lambda place: first.about.place(*place[:2]))
    matches = {place: _match(first.scores[place], second.scores[place]) for place in places}
    rows = []
    for place, matched in matches.items():
        rows += _rows(first, second, place, matched, _wanted(first, second, place, metric, everything), seed)
    rows += _averages(first, second, matches, rows, seed)
    adjusted = holm([row.difference.p for row in rows])
    rows = [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return Comparison(first.about.name, second.about.name, rows, _notes(first, second, matches))


def headline_difference(first: Side, second: Side, place: Place, seed: int = 0) -> Difference | None:
    """The difference of one task or average by its headline; None where a run lacks a part of it."""
    task, condition, scorer = place
    tasks = first.about.averages.get(task, (task,))
    parts = {name: (name, condition, scorer) for name in tasks}
    if any(part not in side.scores for part in parts.values() for side in (first, second)):
        return None
    named = _wanted(first, second, parts[tasks[0]], "", everything=False)
    if not named:
        return None
    both = [side.rules(tasks[0], scorer).metrics[named[0]] for side in (first, second)]
    pairs = {
        name: _pairs(first, second, part, _match(first.scores[part], second.scores[part]))
        for name, part in parts.items()
    }
    if task not in first.about.averages:
        return difference((both[0], both[1]), pairs[task], seed)
    return difference((mean_over_tasks(both[0], tasks), mean_over_tasks(both[1], tasks)), joined_pairs(pairs), seed)


def metrics_of(side: Side) -> list[str]:
    """The names of everything that a run can be compared by."""
    named = (side.rules(task, scorer).metrics for task, _, scorer in side.scores)
    return list(dict.fromkeys(name for metrics in named for name in metrics))


def _wanted(first: Side, second: Side, place: Place, metric: str, everything: bool) -> list[str]:
    task, _, scorer = place
    theirs = second.rules(task, scorer).metrics
    both = [name for name in first.rules(task, scorer).metrics if name in theirs]
    if metric:
        return [metric] if metric in both else []
    return both if everything else both[:1]


def _match(first: Scores, second: Scores) -> Matched:
    here, there = np.frombuffer(first.keys, np.uint64), np.frombuffer(second.keys, np.uint64)
    return Matched(*np.intersect1d(here, there, return_indices=True))


def _rows(first: Side, second: Side, place: Place, matched: Matched, wanted: Sequence[str], seed: int) -> list[Row]:
    task, condition, scorer = place
    before, after = first.scores[place], second.scores[place]
    pairs = _pairs(first, second, place, matched)
    failed = [
        np.frombuffer(cell.failed, np.bool_)[at] for cell, at in ((before, matched.first), (after, matched.second))
    ]
    rows = []
    for name in wanted:
        metrics = (first.rules(task, scorer).metrics[name], second.rules(task, scorer).metrics[name])
        rows.append(
            Row(
                task,
                condition,
                scorer,
                name,
                metrics[0].better,
                difference(metrics, pairs, seed),
                None,
                len(before.bags) - matched.keys.size,
                len(after.bags) - matched.keys.size,
                int(failed[0].sum()),
                int(failed[1].sum()),
                _without(metrics, pairs, failed[0] | failed[1]),
            )
        )
    return rows


def _pairs(first: Side, second: Side, place: Place, matched: Matched) -> Pairs:
    before, after = first.scores[place], second.scores[place]
    return Pairs(
        {name: column[matched.first] for name, column in before.bags.columns.items()},
        {name: column[matched.second] for name, column in after.bags.columns.items()},
        _groups(first, before, matched),
        before.bags.items[matched.first],
    )


def _averages(
    first: Side, second: Side, matches: Mapping[Place, Matched], rows: Sequence[Row], seed: int
) -> Iterator[Row]:
    """Averages over tasks that both runs have, each task counting alike, by the metrics that its tasks are compared by."""
    for name, tasks in first.about.averages.items():
        for condition, scorer in dict.fromkeys(place[1:] for place in matches):
            parts = [row for row in rows if row.task in tasks and (row.condition, row.scorer) == (condition, scorer)]
            for metric in dict.fromkeys(row.metric for row in parts):
                over = {row.task: row for row in parts if row.metric == metric}
                if set(over) != set(tasks):
                    continue
                places = {task: (task, condition, scorer) for task in tasks}
                pairs = joined_pairs({task: _pairs(first, second, at, matches[at]) for task, at in places.items()})
                both = [side.rules(tasks[0], scorer).metrics[metric] for side in (first, second)]
                means = (mean_over_tasks(both[0], tasks), mean_over_tasks(both[1], tasks))
                only = [sum(getattr(row, count) for row in over.values()) for count in ("only_first", "only_second")]
                # How many failed is said of the tasks.
                yield Row(name, condition, scorer, metric, means[0].better, difference(means, pairs, seed), None, *only)


def _groups(side: Side, scores: Scores, matched: Matched) -> Names:
    """The group of each pair as the journal has it; an item that it lacks is a group of its own."""
    there, at = side.find(matched.keys)
    own = scores.bags.groups[matched.first]
    return np.where(there, side.asked.groups[at], own) if there.any() else own


def _without(metrics: tuple[Metric, Metric], pairs: Pairs, failed: npt.NDArray[np.bool_]) -> float | None:
    if not failed.any():
        return None

    def of(metric: Metric, columns: Mapping[str, Floats]) -> float:
        return float(read(metric.value, {name: column[~failed].sum() for name, column in columns.items()})[0])

    return defined(of(metrics[1], pairs.second) - of(metrics[0], pairs.first))


# ---------------------------------------------------------------- what must be known


def _notes(first: Side, second: Side, matches: Mapping[Place, Matched]) -> list[str]:
    notes = [
        *_settings(first.about, second.about),
        *_questions(first, second, matches),
        *_rules(first, second, matches),
        *_missing(first, second),
    ]
    for name, side in (("first", first), ("second", second)):
        if stale := side.stale():
            notes.append(f"{stale} answers of the {name} run have no score, or one from before they came")
    return list(dict.fromkeys(notes))


def _settings(first: About, second: About) -> list[str]:
    """How the benchmarks of the two runs differ, but for their tasks, which rows and notes show."""
    before, now = (
        {name: value for name, value in about.benchmark.items() if name != "tasks"} for about in (first, second)
    )
    told = differences(before, now)
    told += [f"data {line.partition(' was ')[0]} differs" for line in differences(first.data, second.data)]
    return [f"not the same questions, from the first run to the second: {_listed(told)}"] if told else []


def _missing(first: Side, second: Side) -> list[str]:
    notes = []
    for name, here, there in (("first", first, second), ("second", second, first)):
        only = dict.fromkeys(
            f"{task} {condition}" for task, condition, _ in here.scores if _not_in(there, task, condition)
        )
        if only:
            notes.append(f"only in the {name} run: {_listed(list(only))}")
    return notes


def _not_in(side: Side, task: str, condition: str) -> bool:
    return all(place[:2] != (task, condition) for place in side.scores)


def _listed(told: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c", "d", "e", "f", "g"])
    'a; b; c; d; e and 2 more'
    """
    return "; ".join(told[:TOLD]) + (f" and {len(told) - TOLD} more" if len(told) > TOLD else "")


def _rules(first: Side, second: Side, places: Iterable[Place]) -> list[str]:
    """Whether the two runs were scored by the same rules."""
    notes = []
    for task, _, scorer in places:
        here, there = first.rules(task, scorer).signature, second.rules(task, scorer).signature
        if here != there:
            notes.append(f"{task}: scored by {here} in the first run and by {there} in the second")
    return notes


def _questions(first: Side, second: Side, matches: Mapping[Place, Matched]) -> list[str]:
    """Whether pairs were asked in the same words about the same recordings."""
    changed: dict[str, dict[str, int]] = {"asked in other words": {}, "about other recordings": {}}
    for (task, condition, _), matched in matches.items():
        (there, at), (also, by) = first.find(matched.keys), second.find(matched.keys)
        both = there & also
        sides = ((first.asked.words, second.asked.words), (first.asked.sounds, second.asked.sounds))
        for places, (before, after) in zip(changed.values(), sides, strict=True):
            one, other = before[at[both]], after[by[both]]
            places[f"{task} {condition}"] = int(((one != other) & (one != 0) & (other != 0)).sum())
    return [
        f"{told}: {sum(places.values())} pairs, of {_listed([f'{place} {n}' for place, n in places.items() if n])}"
        for told, places in changed.items()
        if any(places.values())
    ]


# ---------------------------------------------------------------- as words


def table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [_line(row) for row in rows]


def _line(row: Row) -> tuple[str, ...]:
    found = row.difference
    return (
        row.title,
        row.condition,
        number(found.first),
        number(found.second),
        signed(found.value),
        f"{signed(found.low)} to {signed(found.high)}{mark(found)}" if found.low is not None else "-",
        chance(found.p),
        chance(row.p_holm),
        found.test or "-",
        str(found.n),
        str(row.only_first),
        str(row.only_second),
    )


def wanted(rows: Sequence[Row], difference: float) -> list[str]:
    """How many pairs it would take to find a true difference, going by what each row found."""
    return [
        f"{row.title} {row.condition}: {row.metric}, a true difference of {difference:g} takes about {many:,} pairs, if runs "
        f"disagree as these do; there are {row.difference.n:,}"
        for row in rows
        if (many := items_to_find(row.difference, difference)) is not None
    ]


def footnotes(comparison: Comparison) -> list[str]:
    """What must be known beside the table, in a line each."""
    told = list(comparison.notes)
    for row in comparison.rows:
        where = f"{row.title} {row.condition}"
        if row.failed_first or row.failed_second:
            told.append(
                f"{where}: {row.failed_first} of the pairs failed in the first run and {row.failed_second} in the second; "
                f"without them the difference is {signed(row.without_failed)}"
            )
        if row.difference.why:
            told.append(f"{where}: {row.metric}, {row.difference.why}")
    return list(dict.fromkeys(told))
