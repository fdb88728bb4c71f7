"""How much of a score needs ears: plain hearing less the best deaf control, over the same items.

A control is a condition in which what is asked about cannot be heard (silence, another item's sound, the words alone).
Of several controls the best is taken, for each row by itself: what any of them can do needs no ears; how the luck of the best
is allowed for is in `stats/controls.py`. An answer of a control that cannot be read, or refuses, earns what guessing gets:
a model that guesses in noise and declines in silence has not listened (docs/decisions/010).

An item is answered without ears if it is right under every control that was run, in every repeat. So is now and then one that
was guessed. Guesses of the same label under all controls are right together, those of different labels never, so guessing gets
the chance of each item whose answers are all alike, and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.report.cells import FAILED, UNREAD, Cell, HasMetrics, Place, joined_pairs, mean_over_tasks
from earmark.report.rows import Gain
from earmark.report.table import chance, mark, number, signed
from earmark.stats.bags import Floats, Names
from earmark.stats.compare import Difference, Pairs, holm, weighed
from earmark.stats.controls import Control, over_the_best
from earmark.stats.estimate import Whole, yes_or_no
from earmark.types import Metric, replace

PLAIN: Final = "plain"
HEAD: Final = ("task", "plain", "best control", "score", "listening gain", "95 % interval", "p, Holm", "n", "without ears", "by guessing")  # fmt: skip


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
    deaf = {key: _deaf(cells, key, controls) for key in plain}
    matched = {key: found for key, cell in plain.items() if (found := _matched(deaf[key], cell))}
    told = {key: _of_task(key, plain[key], deaf[key], pairs, seed) for key, pairs in matched.items()}
    tasks = tuple(dict.fromkeys(key.task for key in matched))
    whole = averages if averages or len(tasks) < 2 else {"all tasks": tasks}
    for name, over in whole.items():
        for scorer in dict.fromkeys(key.scorer for key in matched):
            keys = [Key(task, scorer, "") for task in over]
            shared = [name for name in controls if all(name in matched.get(key, {}) for key in keys)]
            if shared:
                together = {name: joined_pairs({key.task: matched[key][name] for key in keys}) for name in shared}
                label, metric = _headline(plain[keys[0]].scorer)
                gain = _gain(Key(name, scorer, ""), label, mean_over_tasks(metric, over), together, seed)
                told[Key(name, scorer, "")] = _with_sums(gain, [told[key] for key in keys])
    return _adjusted(list(told.values()))


def _adjusted(found: Sequence[Gain]) -> list[Gain]:
    """Gains with p-values that may all be held against 0.05 at once: those of tasks and averages, and of each tag."""
    families: dict[str, list[int]] = {}
    for at, gain in enumerate(found):
        families.setdefault(gain.slice.partition("=")[0], []).append(at)
    adjusted = list(found)
    for places in families.values():
        for at, p in zip(places, holm([found[at].p for at in places]), strict=True):
            adjusted[at] = replace(found[at], p_holm=p)
    return adjusted


def _deaf(cells: Mapping[Place, Cell], key: Key, controls: Sequence[str]) -> dict[str, Cell]:
    """The controls that answered anything at all."""
    found = {name: cells.get(Place(key.task, name, key.scorer, key.slice)) for name in controls}
    return {name: cell for name, cell in found.items() if cell and _answered(cell)[0].size}


def _matched(deaf: Mapping[str, Cell], plain: Cell) -> dict[str, Pairs]:
    found = {name: pairs(cell, plain) for name, cell in deaf.items()}
    return {name: pair for name, pair in found.items() if pair.groups.size}


def _of_task(key: Key, plain: Cell, deaf: Mapping[str, Cell], controls: Mapping[str, Pairs], seed: int) -> Gain:
    name, metric = _headline(plain.scorer)
    gain = _gain(key, name, metric, controls, seed)
    unread = {control: int((np.frombuffer(cell.lost, np.int8) == UNREAD).sum()) for control, cell in deaf.items()}
    told = {control: many for control, many in unread.items() if many and "chance" in plain.bags.columns}
    right = _right_every_time(deaf)
    if right is None:
        return replace(gain, by_chance=told)
    return replace(gain, by_chance=told, without_ears=len(right), guessed=_guessed(deaf))


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
    bags = second.bags
    return Pairs(
        _by_chance(first, left[at]), _chosen(second, right[there]), bags.groups[right[there]], bags.items[right[there]]
    )


def _answered(cell: Cell) -> tuple[Names, Whole]:
    """What names each answer, and where it is in the cell."""
    at = np.flatnonzero(np.frombuffer(cell.lost, np.int8) != FAILED)
    odd = np.uint64(0x9E3779B97F4A7C15)  # so that a repeat moves every name far away
    return cell.bags.items[at] + cell.bags.repeats[at].astype(np.uint64) * odd, at


def _chosen(cell: Cell, at: Whole) -> dict[str, Floats]:
    return {name: column[at] for name, column in cell.bags.columns.items()}


def _by_chance(cell: Cell, at: Whole) -> dict[str, Floats]:
    """The counts of a control, with what guessing gets for answers that cannot be read or refuse."""
    columns = _chosen(cell, at)
    _, metric = next(iter(cell.scorer.metrics.items()))
    if metric.share is None or metric.better != "higher" or "chance" not in columns:
        return columns
    top, bottom = metric.share
    unread = np.frombuffer(cell.lost, np.int8)[at] == UNREAD
    zero = np.zeros(at.size)
    columns[top] = np.where(unread, columns["chance"], columns.get(top, zero))
    columns[bottom] = np.where(unread, 1.0, columns.get(bottom, zero))
    return columns


def _headline(scorer: HasMetrics) -> tuple[str, Metric]:
    """The first metric, a share read from its own two counts, which are those that chance enters."""
    name, metric = next(iter(scorer.metrics.items()))
    if metric.share is None:
        return name, metric
    top, bottom = metric.share
    return name, replace(metric, value=lambda counts: np.true_divide(counts[top], counts[bottom]))


def _gain(key: Key, name: str, metric: Metric, controls: Mapping[str, Pairs], seed: int) -> Gain:
    sign = 1 if metric.better == "higher" else -1
    found = {control: weighed((metric, metric), pair, seed) for control, pair in controls.items()}
    turned = {control: _turned(told, sign) for control, (told, _) in found.items()}
    known = [control for control, told in turned.items() if told.value is not None]
    best = min(known or turned, key=lambda control: turned[control].value or 0.0)
    gain = Gain(key.task, key.scorer, name, best, turned[best], turned[best].value, slice=key.slice, p=turned[best].p,
                deaf={control: told.first for control, told in turned.items()})  # fmt: skip
    parts = []
    for control in known:
        told, (_, influence) = turned[control], found[control]
        if told.low is None or told.high is None or told.value is None or influence is None:
            return gain
        groups = np.unique(controls[control].groups)
        change = influence.change if influence.change.size == groups.size else np.zeros(groups.size)
        p = 1.0 if told.p is None else told.p
        parts.append(Control(told.value, told.low, told.high, p, groups, sign * change))
    if not parts:
        return gain
    joint = over_the_best(parts, min(controls[control].groups.size for control in known), seed)
    return replace(
        gain, value=joint.value, low=joint.low, high=joint.high, p=joint.p if turned[best].p is not None else None
    )


def _turned(told: Difference, sign: int) -> Difference:
    """A difference that is positive where hearing helps."""
    if sign > 0 or told.value is None:
        return told
    low, high = (None if bound is None else -bound for bound in (told.high, told.low))
    return replace(told, value=-told.value, low=low, high=high)


# ---------------------------------------------------------------- without ears


def right_or_wrong(scorer: HasMetrics, columns: Mapping[str, Floats]) -> Floats | None:
    """1 for every answer that is right and 0 for every other, by the first metric that tells; None where none does."""
    for metric in scorer.metrics.values():
        marks = yes_or_no(metric, columns)
        if marks is not None:
            return marks if metric.better == "higher" else 1 - marks
    return None


def _right_every_time(deaf: Mapping[str, Cell]) -> set[int] | None:
    """The names of the items that every control gets right in every repeat; None where answers are not right or wrong."""
    always: set[int] | None = None
    for cell in deaf.values():
        right = right_or_wrong(cell.scorer, cell.bags.columns)
        if right is None:
            return None
        wrong = (right < 1) | (np.frombuffer(cell.lost, np.int8) == FAILED)
        own = set(cell.bags.items.tolist()) - set(cell.bags.items[wrong].tolist())
        always = own if always is None else always & own
    return always


def _guessed(deaf: Mapping[str, Cell]) -> float | None:
    """How many items guessing gets right every time: the chances of those whose answers are all alike."""
    if any("chance" not in cell.bags.columns for cell in deaf.values()):
        return None
    items, answers, chances = (
        np.concatenate([part(cell) for cell in deaf.values()])
        for part in (
            lambda cell: cell.bags.items,
            lambda cell: np.frombuffer(cell.answers, np.uint64),
            lambda cell: cell.bags.columns["chance"],
        )
    )
    order = np.lexsort((answers, items))
    items, answers, chances = items[order], answers[order], chances[order]
    distinct, first, times = np.unique(items, return_index=True, return_counts=True)
    alike = (answers[first] == answers[first + times - 1]) & (answers[first] != 0)
    everywhere = np.all([np.isin(distinct, cell.bags.items) for cell in deaf.values()], axis=0)
    return float(chances[first][alike & everywhere].sum())


def answered_without_ears(cells: Mapping[Place, Cell], controls: Sequence[str]) -> dict[tuple[str, str], set[int]]:
    """The names of the items that every control gets right in every repeat, by task and scorer, as the table counts them."""
    keys = dict.fromkeys(Key(place.task, place.scorer, "") for place in cells if place.condition in controls)
    found = {(key.task, key.scorer): _right_every_time(_deaf(cells, key, controls)) for key in keys}
    return {key: right for key, right in found.items() if right is not None}


# ---------------------------------------------------------------- as words


def table(found: Iterable[Gain]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [
        (
            gain.title,
            number(gain.difference.second),
            gain.control,
            number(gain.difference.first),
            signed(gain.value),
            "-" if gain.low is None else f"{signed(gain.low)} to {signed(gain.high)}{mark(gain.difference)}",
            chance(gain.p_holm),
            str(gain.difference.n),
            "-" if gain.without_ears is None else str(gain.without_ears),
            "-" if gain.guessed is None else f"{gain.guessed:.1f}",
        )
        for gain in found
    ]


def footnotes(found: Sequence[Gain]) -> list[str]:
    """What is to be known about the gains, in a line each."""
    told = []
    several = next((gain for gain in found if len(gain.deaf) > 1), None)
    if several:
        told.append(
            f"listening gain over the best of {len(several.deaf)} controls: corrected for picking the best by the same items"
        )
    for gain in found:
        told += [
            f"{gain.title}: {many} unread or refused under {control} earn what guessing gets, in the listening gain only"
            for control, many in gain.by_chance.items()
        ]
    return told + [f"{gain.title}: listening gain, {gain.difference.why}" for gain in found if gain.difference.why]
