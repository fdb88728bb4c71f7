"""Listening gain: the plain score minus the best control, over the same items.

A control is a condition in which what is asked about cannot be heard (silence, another item's sound, the words alone).
Of several controls the best is taken, for each row by itself: what any of them can do needs no ears; how the luck of
the best is allowed for is in `stats/controls.py`. An answer of a control that cannot be read, or refuses, earns what
guessing gets: a model that guesses in noise and declines in silence has not listened (docs/decisions/010).

An item is answered without ears if it is right under every control that was run, in every repeat. So is now and then
one that was guessed. Guesses of the same label under all controls are right together, those of different labels never,
so guessing gets the chance of each item whose answers are all alike, and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.report.aggregates import FAILED, UNREAD, Aggregate, HasMetrics, RowKey, join_pairs, mean_over_tasks
from earmark.report.rows import ListeningGain
from earmark.report.table import format_number, format_p, format_signed, mark
from earmark.stats.compare import Difference, Pairs, difference_and_influence, holm
from earmark.stats.controls import Control, gain_over_best
from earmark.stats.count_table import Floats, Names
from earmark.stats.estimate import Indices, binary_outcomes
from earmark.types import Metric, replace

PLAIN: Final = "plain"
HEAD: Final = ("task", "plain", "best control", "score", "listening gain", "95 % interval", "p, Holm", "n", ("without "
    "ears"), "by guessing")  # fmt: skip


class GainKey(NamedTuple):
    """Key of a listening gain."""

    task: str
    scorer: str
    slice: str


def listening_gains(
    aggregates: Mapping[RowKey, Aggregate], controls: Sequence[str], averages: Mapping[str, tuple[str, ...]], seed: int
) -> list[ListeningGain]:
    """The gain of every task and slice that was heard plainly and under a control, and of every average over tasks."""
    plain = {
        GainKey(row_key.task, row_key.scorer, row_key.slice): aggregate
        for row_key, aggregate in aggregates.items()
        if row_key.condition == PLAIN
    }
    deaf = {key: _deaf(aggregates, key, controls) for key in plain}
    matched = {
        key: pairs_of_controls
        for key, aggregate in plain.items()
        if (pairs_of_controls := _matched_pairs(deaf[key], aggregate))
    }
    computed = {key: _of_task(key, plain[key], deaf[key], pairs, seed) for key, pairs in matched.items()}
    tasks = tuple(dict.fromkeys(key.task for key in matched))
    whole = averages if averages or len(tasks) < 2 else {"all tasks": tasks}
    for name, over in whole.items():
        for scorer in dict.fromkeys(key.scorer for key in matched):
            keys = [GainKey(task, scorer, "") for task in over]
            shared = [name for name in controls if all(name in matched.get(key, {}) for key in keys)]
            if shared:
                together = {name: join_pairs({key.task: matched[key][name] for key in keys}) for name in shared}
                label, metric = _headline(plain[keys[0]].scorer)
                gain = _gain(GainKey(name, scorer, ""), label, mean_over_tasks(metric, over), together, seed)
                computed[GainKey(name, scorer, "")] = _with_item_sums(gain, [computed[key] for key in keys])
    return _adjusted(list(computed.values()))


def _adjusted(found: Sequence[ListeningGain]) -> list[ListeningGain]:
    """Gains with p-values that may all be held against 0.05 at once: those of tasks and averages, and of each tag."""
    families: dict[str, list[int]] = {}
    for at, gain in enumerate(found):
        families.setdefault(gain.slice.partition("=")[0], []).append(at)
    adjusted = list(found)
    for places in families.values():
        for at, p in zip(places, holm([found[at].p for at in places]), strict=True):
            adjusted[at] = replace(found[at], p_holm=p)
    return adjusted


def _deaf(aggregates: Mapping[RowKey, Aggregate], key: GainKey, controls: Sequence[str]) -> dict[str, Aggregate]:
    """The controls that answered anything at all."""
    found = {name: aggregates.get(RowKey(key.task, name, key.scorer, key.slice)) for name in controls}
    return {name: cell for name, cell in found.items() if cell and _answered_items(cell)[0].size}


def _matched_pairs(deaf: Mapping[str, Aggregate], plain: Aggregate) -> dict[str, Pairs]:
    pairs_of_controls = {name: matched_answers(aggregate, plain) for name, aggregate in deaf.items()}
    return {name: pair for name, pair in pairs_of_controls.items() if pair.groups.size}


def _of_task(
    key: GainKey, plain: Aggregate, deaf: Mapping[str, Aggregate], controls: Mapping[str, Pairs], seed: int
) -> ListeningGain:
    name, metric = _headline(plain.scorer)
    gain = _gain(key, name, metric, controls, seed)
    unread = {
        control: int((np.frombuffer(aggregate.outcome, np.int8) == UNREAD).sum()) for control, aggregate in deaf.items()
    }
    told = {control: many for control, many in unread.items() if many and "chance" in plain.counts.columns}
    right = _right_every_time(deaf)
    if right is None:
        return replace(gain, by_chance=told)
    return replace(gain, by_chance=told, solved_by_controls=len(right), solved_by_guessing=_guessed(deaf))


def _with_item_sums(gain: ListeningGain, parts: Sequence[ListeningGain]) -> ListeningGain:
    """An average over tasks with the items of all of them that are answered without ears."""
    without, guessed = (
        [getattr(part, name) for part in parts] for name in ("solved_by_controls", "solved_by_guessing")
    )
    if None in without or None in guessed:
        return gain
    return replace(gain, solved_by_controls=sum(without), solved_by_guessing=sum(guessed))


def matched_answers(first: Aggregate, second: Aggregate) -> Pairs:
    """The items that both answered, in the same repeat; one that failed in either tells nothing about ears."""
    (first_names, first_index), (second_names, second_index) = _answered_items(first), _answered_items(second)
    _, in_first, in_second = np.intersect1d(first_names, second_names, assume_unique=True, return_indices=True)
    bags = second.counts
    return Pairs(
        _by_chance(first, first_index[in_first]),
        _select_columns(second, second_index[in_second]),
        bags.groups[second_index[in_second]],
        bags.items[second_index[in_second]],
    )


def _answered_items(aggregate: Aggregate) -> tuple[Names, Indices]:
    """Names of the answered items, and their index in the aggregate."""
    index = np.flatnonzero(np.frombuffer(aggregate.outcome, np.int8) != FAILED)
    odd = np.uint64(0x9E3779B97F4A7C15)  # so that a repeat moves every name far away
    return aggregate.counts.items[index] + aggregate.counts.repeats[index].astype(np.uint64) * odd, index


def _select_columns(aggregate: Aggregate, index: Indices) -> dict[str, Floats]:
    return {name: column[index] for name, column in aggregate.counts.columns.items()}


def _by_chance(aggregate: Aggregate, at: Indices) -> dict[str, Floats]:
    """The counts of a control, with what guessing gets for answers that cannot be read or refuse."""
    columns = _select_columns(aggregate, at)
    _, metric = next(iter(aggregate.scorer.metrics.items()))
    if metric.share is None or metric.better != "higher" or "chance" not in columns:
        return columns
    top, bottom = metric.share
    unread = np.frombuffer(aggregate.outcome, np.int8)[at] == UNREAD
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


def _gain(key: GainKey, name: str, metric: Metric, controls: Mapping[str, Pairs], seed: int) -> ListeningGain:
    sign = 1 if metric.better == "higher" else -1
    differences = {
        control: difference_and_influence((metric, metric), pair, seed) for control, pair in controls.items()
    }
    turned = {control: _turned(computed, sign) for control, (computed, _) in differences.items()}
    known = [control for control, computed in turned.items() if computed.value is not None]
    best = min(known or turned, key=lambda control: turned[control].value or 0.0)
    gain = ListeningGain(key.task, key.scorer, name, best, turned[best], turned[best].value, slice=key.slice, p=turned[best].p,
                controls={control: computed.baseline for control, computed in turned.items()})  # fmt: skip
    parts = []
    for control in known:
        computed, (_, influence) = turned[control], differences[control]
        if computed.low is None or computed.high is None or computed.value is None or influence is None:
            return gain
        groups = np.unique(controls[control].groups)
        change = influence.change if influence.change.size == groups.size else np.zeros(groups.size)
        p = 1.0 if computed.p is None else computed.p
        parts.append(Control(computed.value, computed.low, computed.high, p, groups, sign * change))
    if not parts:
        return gain
    joint = gain_over_best(parts, min(controls[control].groups.size for control in known), seed)
    return replace(
        gain, value=joint.value, low=joint.low, high=joint.high, p=joint.p if turned[best].p is not None else None
    )


def _turned(difference: Difference, sign: int) -> Difference:
    """A difference that is positive where hearing helps."""
    if sign > 0 or difference.value is None:
        return difference
    low, high = (None if bound is None else -bound for bound in (difference.high, difference.low))
    return replace(difference, value=-difference.value, low=low, high=high)


# ---------------------------------------------------------------- without ears


def right_or_wrong(scorer: HasMetrics, columns: Mapping[str, Floats]) -> Floats | None:
    """1 for every answer that is right and 0 for every other, by the first metric that tells; None where none does."""
    for metric in scorer.metrics.values():
        marks = binary_outcomes(metric, columns)
        if marks is not None:
            return marks if metric.better == "higher" else 1 - marks
    return None


def _right_every_time(deaf: Mapping[str, Aggregate]) -> set[int] | None:
    """The names of the items that every control gets right in every repeat; None where answers are not right or wrong."""
    always: set[int] | None = None
    for aggregate in deaf.values():
        right = right_or_wrong(aggregate.scorer, aggregate.counts.columns)
        if right is None:
            return None
        wrong = (right < 1) | (np.frombuffer(aggregate.outcome, np.int8) == FAILED)
        own = set(aggregate.counts.items.tolist()) - set(aggregate.counts.items[wrong].tolist())
        always = own if always is None else always & own
    return always


def _guessed(deaf: Mapping[str, Aggregate]) -> float | None:
    """Number of items guessing gets right every time: the chances of those whose answers are all alike."""
    if any("chance" not in aggregate.counts.columns for aggregate in deaf.values()):
        return None
    items, answers, chances = (
        np.concatenate([part(aggregate) for aggregate in deaf.values()])
        for part in (
            lambda aggregate: aggregate.bags.items,
            lambda aggregate: np.frombuffer(aggregate.answers, np.uint64),
            lambda aggregate: aggregate.bags.columns["chance"],
        )
    )
    order = np.lexsort((answers, items))
    items, answers, chances = items[order], answers[order], chances[order]
    distinct, first, times = np.unique(items, return_index=True, return_counts=True)
    alike = (answers[first] == answers[first + times - 1]) & (answers[first] != 0)
    everywhere = np.all([np.isin(distinct, aggregate.counts.items) for aggregate in deaf.values()], axis=0)
    return float(chances[first][alike & everywhere].sum())


def solved_by_controls(
    aggregates: Mapping[RowKey, Aggregate], controls: Sequence[str]
) -> dict[tuple[str, str], set[int]]:
    """The names of the items that every control gets right in every repeat, by task and scorer, as the table counts
    them.
    """
    keys = dict.fromkeys(
        GainKey(row_key.task, row_key.scorer, "") for row_key in aggregates if row_key.condition in controls
    )
    solved = {(key.task, key.scorer): _right_every_time(_deaf(aggregates, key, controls)) for key in keys}
    return {key: right for key, right in solved.items() if right is not None}


# ---------------------------------------------------------------- as words


def gain_table(gains: Iterable[ListeningGain]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [
        (
            gain.title,
            format_number(gain.difference.candidate),
            gain.control,
            format_number(gain.difference.baseline),
            format_signed(gain.value),
            "-"
            if gain.low is None
            else f"{format_signed(gain.low)} to {format_signed(gain.high)}{mark(gain.difference)}",
            format_p(gain.p_holm),
            str(gain.difference.n),
            "-" if gain.solved_by_controls is None else str(gain.solved_by_controls),
            "-" if gain.solved_by_guessing is None else f"{gain.solved_by_guessing:.1f}",
        )
        for gain in gains
    ]


def gain_footnotes(found: Sequence[ListeningGain]) -> list[str]:
    """What is to be known about the gains, in a line each."""
    told = []
    several = next((gain for gain in found if len(gain.controls) > 1), None)
    if several:
        told.append(
            f"listening gain over the best of {len(several.controls)} controls: corrected for picking the best by the "
            "same items"
        )
    for gain in found:
        told += [
            f"{gain.title}: {many} unread or refused under {control} earn what guessing gets, in the listening gain "
            "only"
            for control, many in gain.by_chance.items()
        ]
    return told + [f"{gain.title}: listening gain, {gain.difference.why}" for gain in found if gain.difference.why]
