"""How much of a score needs ears: plain hearing less the best deaf control, over the same items.

A control is a condition in which what is asked about cannot be heard (silence, another item's sound, the words alone).
Of several controls the best is taken, for each row by itself: what any of them can do needs no ears. An item is answered
without ears if it is right under every control that was run, in every repeat; so is now and then one that was guessed,
and how many guessing gets is told beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.report.cells import Average, Cell, HasMetrics, Place, joined_pairs
from earmark.report.rows import Gain
from earmark.report.table import chance, number, signed
from earmark.stats.bags import Floats, Names
from earmark.stats.compare import Pairs, difference
from earmark.stats.estimate import Whole, yes_or_no
from earmark.types import replace

PLAIN: Final = "plain"
HEAD: Final = ("task", "plain", "best control", "score", "listening gain", "95 % interval", "p", "n", "without ears", "by guessing")  # fmt: skip


class Key(NamedTuple):
    """What a gain is about."""

    task: str
    scorer: str
    slice: str


def gains(
    cells: Mapping[Place, Cell], controls: Sequence[str], averages: Mapping[str, tuple[str, ...]], seed: int
) -> list[Gain]:
    """The gain of every task and slice that was heard plainly and under a control, and of every average over tasks."""
    plain = {
        Key(place.task, place.scorer, place.slice): cell for place, cell in cells.items() if place.condition == PLAIN
    }
    matched = {key: found for key, cell in plain.items() if (found := _matched(cells, key, cell, controls))}
    told = {key: _gain(key, plain[key].scorer, found, seed) for key, found in matched.items()}
    tasks = tuple(dict.fromkeys(key.task for key in matched))
    whole = averages if averages or len(tasks) < 2 else {"all tasks": tasks}
    for name, over in whole.items():
        for scorer in dict.fromkeys(key.scorer for key in matched):
            keys = [Key(task, scorer, "") for task in over]
            shared = [name for name in controls if all(name in matched.get(key, {}) for key in keys)]
            if shared:
                together = {name: joined_pairs({key.task: matched[key][name] for key in keys}) for name in shared}
                gain = _gain(Key(name, scorer, ""), Average(plain[keys[0]].scorer, over), together, seed)
                told[Key(name, scorer, "")] = _with_sums(gain, [told[key] for key in keys])
    return list(told.values())


def _matched(cells: Mapping[Place, Cell], key: Key, plain: Cell, controls: Sequence[str]) -> dict[str, Pairs]:
    deaf = {name: cells.get(Place(key.task, name, key.scorer, key.slice)) for name in controls}
    found = {name: pairs(cell, plain) for name, cell in deaf.items() if cell}
    return {name: pair for name, pair in found.items() if pair.groups.size}


def _with_sums(gain: Gain, parts: Sequence[Gain]) -> Gain:
    """An average over tasks with the items of all of them that are answered without ears."""
    without, guessed = ([getattr(part, name) for part in parts] for name in ("without_ears", "guessed"))
    if None in without or None in guessed:
        return gain
    return replace(gain, without_ears=sum(without), guessed=sum(guessed))


def pairs(first: Cell, second: Cell) -> Pairs:
    """The items that both answered, in the same repeat; one that failed in either tells nothing about ears."""
    (mine, left), (theirs, right) = _answered(first), _answered(second)
    _, at, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return Pairs(_chosen(first, left[at]), _chosen(second, right[there]), second.bags.groups[right[there]])


def _answered(cell: Cell) -> tuple[Names, Whole]:
    """What names each answer, and where it is in the cell."""
    at = np.flatnonzero(np.frombuffer(cell.lost, np.int8) == 0)
    odd = np.uint64(0x9E3779B97F4A7C15)  # so that a repeat moves every name far away
    return cell.bags.items[at] + cell.bags.repeats[at].astype(np.uint64) * odd, at


def _chosen(cell: Cell, at: Whole) -> dict[str, Floats]:
    return {name: column[at] for name, column in cell.bags.columns.items()}


def _gain(key: Key, scorer: HasMetrics, controls: Mapping[str, Pairs], seed: int) -> Gain:
    name, metric = next(iter(scorer.metrics.items()))
    found = {control: difference((metric, metric), pair, seed) for control, pair in controls.items()}
    sign = 1 if metric.better == "higher" else -1
    known = {control: told for control, told in found.items() if told.first is not None}
    best = max(known or found, key=lambda control: sign * (found[control].first or 0.0))
    return Gain(
        key.task, key.scorer, name, best, found[best], key.slice,
        {control: told.first for control, told in found.items()}, *_without_ears(scorer, controls),
    )  # fmt: skip


def _without_ears(scorer: HasMetrics, controls: Mapping[str, Pairs]) -> tuple[int | None, float | None]:
    """How many items every control gets right, and how many guessing would; only where all controls have the same items."""
    found = [marks(scorer, pair.first) for pair in controls.values()]
    if any(mark is None for mark in found) or len({pair.groups.size for pair in controls.values()}) > 1:
        return None, None
    right = np.prod(np.stack([mark for mark in found if mark is not None]), axis=0)
    guess = next(iter(controls.values())).first.get("chance")
    return int(right.sum()), None if guess is None else float((guess ** len(found)).sum())


def marks(scorer: HasMetrics, columns: Mapping[str, Floats]) -> Floats | None:
    """1 for every item that is right and 0 for every other, by the first metric that tells; None where none does."""
    told = (yes_or_no(metric, columns) for metric in scorer.metrics.values())
    return next((mark for mark in told if mark is not None), None)


def answered_without_ears(cells: Mapping[Place, Cell], controls: Sequence[str]) -> dict[tuple[str, str], set[int]]:
    """The names of the items that every control gets right in every repeat, by task and scorer.

    A control that answered nothing at all is none, as in the table.
    """
    found: dict[tuple[str, str], set[int]] = {}
    for place, cell in cells.items():
        if place.condition in controls and not place.slice:
            right = marks(cell.scorer, cell.bags.columns)
            if right is None or not _answered(cell)[0].size:
                continue
            items = cell.bags.items
            always = set(items.tolist()) - set(items[right < 1].tolist())
            key = (place.task, place.scorer)
            found[key] = found[key] & always if key in found else always
    return found


def table(found: Iterable[Gain]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [
        (
            gain.title,
            number(gain.difference.second),
            gain.control,
            number(gain.difference.first),
            signed(gain.difference.value),
            f"{signed(gain.difference.low)} to {signed(gain.difference.high)}",
            chance(gain.difference.p),
            str(gain.difference.n),
            "-" if gain.without_ears is None else str(gain.without_ears),
            "-" if gain.guessed is None else f"{gain.guessed:.1f}",
        )
        for gain in found
    ]


def footnotes(found: Iterable[Gain]) -> list[str]:
    """What is to be known about an interval, in a line each."""
    return [f"{gain.title}: listening gain, {gain.difference.why}" for gain in found if gain.difference.why]
