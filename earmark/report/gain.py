"""Listening gain: the plain score minus the best control, over the same items.

A control is a condition without the audio that a question is about (silence, the audio of another item, the transcript
alone). Of several controls the best counts, for each row separately; `stats/controls.py` corrects for the selection.
Under a control an unparsed answer or a refusal scores the guess rate: a model that guesses in noise and declines in
silence has not listened (docs/decisions/010).

An item is solved by controls if it is right under every control of the run, in every repeat. Guesses solve some items
too: guesses of the same label under all controls are right together, those of different labels never, so the expected
number is the sum of the guess rates of the items whose answers are all equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from earmark.report.aggregates import FAILED, UNPARSED, Aggregate, HasMetrics, RowKey
from earmark.report.averages import MEAN, labels_of_average, metric_of, pairs_of
from earmark.report.rows import ListeningGain
from earmark.report.table import format_number, format_p, format_signed, format_signed_interval, reasons
from earmark.stats.compare import difference_and_influence
from earmark.stats.controls import Control, gain_over_best
from earmark.stats.count_table import Floats, Names
from earmark.stats.difference import Difference, Pairs, holm
from earmark.stats.estimate import Indices, binary_outcomes
from earmark.types import Average, Metric, replace

PLAIN: Final = "plain"
HEAD: Final = (
    "task", "plain", "best control", "score", "listening gain", "95 % interval", "p, Holm", "n", "by controls",
    "by guessing",
)  # fmt: skip


class GainKey(NamedTuple):
    """Key of a listening gain."""

    task: str
    scorer: str
    slice: str


def listening_gains(
    aggregates: Mapping[RowKey, Aggregate], controls: Sequence[str], averages: Mapping[str, Average], seed: int
) -> list[ListeningGain]:
    """Compute the gain of every task and slice with plain and control scores, and of every average over tasks."""
    plain = {
        GainKey(row_key.task, row_key.scorer, row_key.slice): aggregate
        for row_key, aggregate in aggregates.items()
        if row_key.condition == PLAIN
    }
    control_aggregates = {key: _find_controls(aggregates, key, controls) for key in plain}
    matched = {
        key: by_control
        for key, aggregate in plain.items()
        if (by_control := _pair_controls(control_aggregates[key], aggregate))
    }
    gains = {key: _task_gain(key, plain[key], control_aggregates[key], pairs, seed) for key, pairs in matched.items()}
    tasks = tuple(dict.fromkeys(key.task for key in matched))
    tree = averages if averages or len(tasks) < 2 else {"all tasks": Average(tasks)}
    for name in tree:
        labels = labels_of_average(
            tree, name, lambda task: [k.scorer for k in matched if (k.task, k.slice) == (task, "")]
        )
        for label, by_task in labels.items():
            keys = {task: GainKey(task, scorer, "") for task, scorer in by_task.items()}
            shared = [control for control in controls if all(control in matched[key] for key in keys.values())]
            if shared:
                headlines = {task: _headline(plain[key].scorer) for task, key in keys.items()}
                names = {headline for headline, _ in headlines.values()}
                metrics = {task: metric for task, (_, metric) in headlines.items()}
                metric = metric_of(tree, name, metrics.__getitem__)
                pairs = {}
                for control in shared:
                    by_task_pairs = {task: matched[key][control] for task, key in keys.items()}
                    pairs[control] = pairs_of(tree, name, by_task_pairs.__getitem__)
                key = GainKey(name, label, "")
                gain = _gain(key, names.pop() if len(names) == 1 else MEAN, metric, pairs, seed)
                gains[key] = _sum_solved_items(gain, [gains[each] for each in keys.values()])
    return _adjust_p_values(list(gains.values()))


def _adjust_p_values(gains: Sequence[ListeningGain]) -> list[ListeningGain]:
    """Adjust the p-values by Holm: over tasks and averages, and over the slices of each tag."""
    families: dict[str, list[int]] = {}
    for index, gain in enumerate(gains):
        families.setdefault(gain.slice.partition("=")[0], []).append(index)
    p_holm: dict[int, float | None] = {}
    for indices in families.values():
        p_holm |= zip(indices, holm([gains[index].p for index in indices]), strict=True)
    return [replace(gain, p_holm=p_holm[index]) for index, gain in enumerate(gains)]


def _find_controls(
    aggregates: Mapping[RowKey, Aggregate], key: GainKey, controls: Sequence[str]
) -> dict[str, Aggregate]:
    """Select the aggregates of the controls with at least one answer."""
    by_control = {name: aggregates.get(RowKey(key.task, name, key.scorer, key.slice)) for name in controls}
    return {
        name: aggregate for name, aggregate in by_control.items() if aggregate and _index_answers(aggregate)[0].size
    }


def _pair_controls(controls: Mapping[str, Aggregate], plain: Aggregate) -> dict[str, Pairs]:
    by_control = {name: match_answers(aggregate, plain) for name, aggregate in controls.items()}
    return {name: pairs for name, pairs in by_control.items() if pairs.groups.size}


def _task_gain(
    key: GainKey, plain: Aggregate, controls: Mapping[str, Aggregate], pairs: Mapping[str, Pairs], seed: int
) -> ListeningGain:
    name, metric = _headline(plain.scorer)
    gain = _gain(key, name, metric, pairs, seed)
    unparsed = {
        control: int((np.frombuffer(aggregate.outcome, np.int8) == UNPARSED).sum())
        for control, aggregate in controls.items()
    }
    if "chance" in plain.counts.columns:
        gain = replace(gain, by_chance={control: count for control, count in unparsed.items() if count})
    solved = _find_solved(controls)
    if solved is None:
        return gain
    return replace(gain, solved_by_controls=len(solved), solved_by_guessing=_count_guesses(controls))


def _sum_solved_items(gain: ListeningGain, parts: Sequence[ListeningGain]) -> ListeningGain:
    """Add the solved items of all tasks to the gain of an average."""
    solved, guesses = ([getattr(part, name) for part in parts] for name in ("solved_by_controls", "solved_by_guessing"))
    if None in solved or None in guesses:
        return gain
    return replace(gain, solved_by_controls=sum(solved), solved_by_guessing=sum(guesses))


def match_answers(control: Aggregate, plain: Aggregate) -> Pairs:
    """Pair the items that both answered, by item and repeat; items that failed in either are left out."""
    (control_keys, control_index), (plain_keys, plain_index) = _index_answers(control), _index_answers(plain)
    _, in_control, in_plain = np.intersect1d(control_keys, plain_keys, assume_unique=True, return_indices=True)
    index = plain_index[in_plain]
    return Pairs(
        _with_guess_rates(control, control_index[in_control]),
        _select_columns(plain, index),
        plain.counts.groups[index],
        plain.counts.items[index],
    )


def _index_answers(aggregate: Aggregate) -> tuple[Names, Indices]:
    """Return the keys of the items with a response, and their index in the aggregate."""
    index = np.flatnonzero(np.frombuffer(aggregate.outcome, np.int8) != FAILED)
    odd = np.uint64(0x9E3779B97F4A7C15)  # so that a repeat moves every name far away
    return aggregate.counts.items[index] + aggregate.counts.repeats[index].astype(np.uint64) * odd, index


def _select_columns(aggregate: Aggregate, index: Indices) -> dict[str, Floats]:
    return {name: column[index] for name, column in aggregate.counts.columns.items()}


def _with_guess_rates(aggregate: Aggregate, index: Indices) -> dict[str, Floats]:
    """Select the counts of a control, with the guess rate for unparsed answers and refusals."""
    columns = _select_columns(aggregate, index)
    _, metric = next(iter(aggregate.scorer.metrics.items()))
    if metric.share is None or metric.better != "higher" or "chance" not in columns:
        return columns
    top, bottom = metric.share
    unparsed = np.frombuffer(aggregate.outcome, np.int8)[index] == UNPARSED
    zero = np.zeros(index.size)
    columns[top] = np.where(unparsed, columns["chance"], columns.get(top, zero))
    columns[bottom] = np.where(unparsed, 1.0, columns.get(bottom, zero))
    return columns


def _headline(scorer: HasMetrics) -> tuple[str, Metric]:
    """Return the first metric; a share as the ratio of its two counts, to which guess rates are added."""
    name, metric = next(iter(scorer.metrics.items()))
    if metric.share is None:
        return name, metric
    top, bottom = metric.share
    return name, replace(metric, value=lambda counts: np.true_divide(counts[top], counts[bottom]))


def _gain(key: GainKey, name: str, metric: Metric, controls: Mapping[str, Pairs], seed: int) -> ListeningGain:
    sign = 1 if metric.better == "higher" else -1
    differences = {
        control: difference_and_influence((metric, metric), pairs, seed) for control, pairs in controls.items()
    }
    oriented = {control: _orient(difference, sign) for control, (difference, _) in differences.items()}
    known = [control for control, difference in oriented.items() if difference.value is not None]
    best = min(known or oriented, key=lambda control: oriented[control].value or 0.0)
    scores = {control: difference.baseline for control, difference in oriented.items()}
    gain = ListeningGain(key.task, key.scorer, name, best, oriented[best], slice=key.slice, controls=scores)
    gain = replace(gain, value=oriented[best].value, p=oriented[best].p)
    parts = []
    for control in known:
        difference, (_, influence) = oriented[control], differences[control]
        if difference.low is None or difference.high is None or difference.value is None or influence is None:
            return gain
        groups = np.unique(controls[control].groups)
        change = influence.change if influence.change.size == groups.size else np.zeros(groups.size)
        p = 1.0 if difference.p is None else difference.p
        parts.append(Control(difference.value, difference.low, difference.high, p, groups, sign * change))
    if not parts:
        return gain
    joint = gain_over_best(parts, min(controls[control].groups.size for control in known), seed)
    gain = replace(gain, value=joint.value, low=joint.low, high=joint.high)
    return gain if gain.p is None else replace(gain, p=joint.p)


def _orient(difference: Difference, sign: int) -> Difference:
    """Turn a difference so that it is positive where audio helps."""
    if sign > 0 or difference.value is None:
        return difference
    low, high = (None if bound is None else -bound for bound in (difference.high, difference.low))
    return replace(difference, value=-difference.value, low=low, high=high)


# ---------------------------------------------------------------- items solved by controls


def binary_scores(scorer: HasMetrics, columns: Mapping[str, Floats]) -> Floats | None:
    """Return 1 for right and 0 for wrong answers, by the first binary metric; None if there is none."""
    for metric in scorer.metrics.values():
        outcomes = binary_outcomes(metric, columns)
        if outcomes is not None:
            return outcomes if metric.better == "higher" else 1 - outcomes
    return None


def _find_solved(controls: Mapping[str, Aggregate]) -> set[int] | None:
    """Return the items that are right under every control in every repeat; None without a binary metric."""
    solved: set[int] | None = None
    for aggregate in controls.values():
        right = binary_scores(aggregate.scorer, aggregate.counts.columns)
        if right is None:
            return None
        items = aggregate.counts.items
        wrong = (right < 1) | (np.frombuffer(aggregate.outcome, np.int8) == FAILED)
        always_right = set(items.tolist()) - set(items[wrong].tolist())
        solved = always_right if solved is None else solved & always_right
    return solved


def _count_guesses(controls: Mapping[str, Aggregate]) -> float | None:
    """Expected number of items that guessing solves: the sum of the guess rates of items with equal answers."""
    aggregates = controls.values()
    if any("chance" not in aggregate.counts.columns for aggregate in aggregates):
        return None
    items = np.concatenate([aggregate.counts.items for aggregate in aggregates])
    answers = np.concatenate([np.frombuffer(aggregate.answers, np.uint64) for aggregate in aggregates])
    rates = np.concatenate([aggregate.counts.columns["chance"] for aggregate in aggregates])
    order = np.lexsort((answers, items))
    items, answers, rates = items[order], answers[order], rates[order]
    distinct, first, counts = np.unique(items, return_index=True, return_counts=True)
    equal = (answers[first] == answers[first + counts - 1]) & (answers[first] != 0)
    everywhere = np.all([np.isin(distinct, aggregate.counts.items) for aggregate in aggregates], axis=0)
    return float(rates[first][equal & everywhere].sum())


def find_solved_by_controls(
    aggregates: Mapping[RowKey, Aggregate], controls: Sequence[str]
) -> dict[tuple[str, str], set[int]]:
    """Return the items that are right under every control in every repeat, by task and scorer."""
    keys = dict.fromkeys(
        GainKey(row_key.task, row_key.scorer, "") for row_key in aggregates if row_key.condition in controls
    )
    by_key = {(key.task, key.scorer): _find_solved(_find_controls(aggregates, key, controls)) for key in keys}
    return {key: solved for key, solved in by_key.items() if solved is not None}


# ---------------------------------------------------------------- text


def gain_table(gains: Iterable[ListeningGain]) -> list[tuple[str, ...]]:
    """Format gains as the lines of a table with the columns `HEAD`."""
    return [
        (
            gain.title,
            format_number(gain.difference.candidate),
            gain.control,
            format_number(gain.difference.baseline),
            format_signed(gain.value),
            format_signed_interval(replace(gain.difference, low=gain.low, high=gain.high)),
            format_p(gain.p_holm),
            str(gain.difference.n),
            "-" if gain.solved_by_controls is None else str(gain.solved_by_controls),
            "-" if gain.solved_by_guessing is None else f"{gain.solved_by_guessing:.1f}",
        )
        for gain in gains
    ]


def gain_footnotes(gains: Sequence[ListeningGain]) -> list[str]:
    """Footnotes of the table of gains, a line each."""
    notes = []
    several = next((gain for gain in gains if len(gain.controls) > 1), None)
    if several:
        notes.append(
            f"listening gain over the best of {len(several.controls)} controls: corrected for selecting the best on "
            "the same items"
        )
    for gain in gains:
        notes += [
            f"{gain.title}: {count} unparsed or refused under {control} score the guess rate, in the listening gain "
            "only"
            for control, count in gain.by_chance.items()
        ]
    return notes + reasons((gain.title, "listening gain", gain.difference.why) for gain in gains)
