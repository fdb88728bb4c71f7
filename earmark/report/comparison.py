"""Comparison of two runs: a row for each task, condition and scorer of both, over the questions that both answered.

Questions are paired by task, id, condition and repeat. Differences that make two runs hard to compare (settings of the
benchmark, prompts or recordings of the same id, scoring rules, failures, stale scores) are printed as notes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.data.differences import differences
from earmark.report.averages import MEAN, labels_of_average, metric_of, pairs_of
from earmark.report.label_bias import label_bias_notice
from earmark.report.rows import title_of
from earmark.report.run_scores import MatchedQuestions, RunInfo, RunScores, ScoreColumns, ScoreKey, match_questions
from earmark.stats.compare import difference
from earmark.stats.count_table import Floats, Names
from earmark.stats.difference import Difference, Pairs, holm
from earmark.stats.estimate import evaluate_metric, finite_or_none
from earmark.types import Metric, replace

MAX_LISTED: Final = 5  # differing settings that are listed


class ComparisonRow(Struct, frozen=True):
    """One task under one condition by one scorer, in both runs."""

    task: str
    condition: str
    scorer: str
    metric: str
    better: Literal["higher", "lower"]
    difference: Difference
    p_holm: float | None  # adjusted over all rows of the comparison
    not_in_candidate: int  # questions of the baseline alone
    not_in_baseline: int  # questions of the candidate alone
    failed_baseline: int = 0  # pairs
    failed_candidate: int = 0  # pairs
    without_failed: float | None = None  # the difference over the pairs that failed in neither
    right_only_baseline: int | None = None  # pairs that the baseline alone got right; None: nothing is right or wrong
    right_only_candidate: int | None = None

    @property
    def title(self) -> str:
        """Name of the row."""
        return title_of(self.task, "", self.scorer)


class Comparison(Struct, frozen=True):
    """Result of a comparison."""

    baseline: str
    candidate: str
    rows: list[ComparisonRow]
    notes: list[str]
    signatures: list[str] = []  # of the scorers of both


def compare_runs(
    baseline: RunScores, candidate: RunScores, *, metric: str = "", everything: bool = False, seed: int = 0
) -> Comparison:
    """Compare two runs by the headline of each scorer, by one metric, or by every metric."""
    candidate = candidate.with_labels_of(baseline)
    places = [place for place in baseline.scores if place in candidate.scores]
    places.sort(key=lambda place: baseline.info.row_order(*place[:2]))
    matches = {place: match_questions(baseline.scores[place], candidate.scores[place]) for place in places}
    rows = []
    for place, matched in matches.items():
        metrics = _select_metrics(baseline, candidate, place, metric, everything)
        rows += _compare_scores(baseline, candidate, place, matched, metrics, seed)
    rows += _average_rows(baseline, candidate, matches, rows, seed)
    adjusted = holm([row.difference.p for row in rows])
    rows = [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    signatures = [
        f"{place[2]}: {run_scores.rules(place[0], place[2]).signature}"
        for place in matches
        for run_scores in (baseline, candidate)
    ]
    notes = _notes(baseline, candidate, matches)
    return Comparison(baseline.info.name, candidate.info.name, rows, notes, list(dict.fromkeys(signatures)))


def headline_difference(baseline: RunScores, candidate: RunScores, place: ScoreKey, seed: int = 0) -> Difference | None:
    """Compute the difference of a task or average by its headline; None if a run lacks a part of it."""
    name, condition, scorer = place
    tree = baseline.info.averages
    shared = [key for key in baseline.scores if key in candidate.scores]
    labels = labels_of_average(tree, name, functools.partial(_scorers_of, shared, condition))
    if scorer not in labels:
        return None
    places = {task: (task, condition, label) for task, label in labels[scorer].items()}
    names = {task: _select_metrics(baseline, candidate, key, "", everything=False) for task, key in places.items()}
    if not all(names.values()):
        return None
    return difference(
        _average_metrics(baseline, candidate, name, {task: (places[task], names[task][0]) for task in places}),
        pairs_of(tree, name, lambda task: task_pairs(baseline, candidate, places[task])),
        seed,
    )


def _average_metrics(
    baseline: RunScores, candidate: RunScores, name: str, by_task: Mapping[str, tuple[ScoreKey, str]]
) -> tuple[Metric, Metric]:
    """The metrics of an average in both runs, from the place and the name of those of its tasks."""
    tree = baseline.info.averages
    pairs = {task: _metric_pair(baseline, candidate, *named) for task, named in by_task.items()}
    return metric_of(tree, name, lambda task: pairs[task][0]), metric_of(tree, name, lambda task: pairs[task][1])


def task_pairs(baseline: RunScores, candidate: RunScores, place: ScoreKey) -> Pairs:
    """The counts of a task in both runs, over the questions that both have."""
    matched = match_questions(baseline.scores[place], candidate.scores[place])
    return _pairs(baseline, candidate, place, matched)


def _metric_pair(baseline: RunScores, candidate: RunScores, place: ScoreKey, name: str) -> tuple[Metric, Metric]:
    task, _, scorer = place
    return baseline.rules(task, scorer).metrics[name], candidate.rules(task, scorer).metrics[name]


def metric_names(run_scores: RunScores) -> list[str]:
    """Return the names of all metrics of a run."""
    by_place = (run_scores.rules(task, scorer).metrics for task, _, scorer in run_scores.scores)
    return list(dict.fromkeys(name for metrics in by_place for name in metrics))


def _select_metrics(
    baseline: RunScores, candidate: RunScores, place: ScoreKey, metric: str, everything: bool
) -> list[str]:
    task, _, scorer = place
    known = candidate.rules(task, scorer).metrics
    shared = [name for name in baseline.rules(task, scorer).metrics if name in known]
    if metric:
        return [metric] if metric in shared else []
    return shared if everything else shared[:1]


def _compare_scores(
    baseline: RunScores,
    candidate: RunScores,
    place: ScoreKey,
    matched: MatchedQuestions,
    names: Sequence[str],
    seed: int,
) -> list[ComparisonRow]:
    task, condition, scorer = place
    baseline_scores, candidate_scores = baseline.scores[place], candidate.scores[place]
    pairs = _pairs(baseline, candidate, place, matched)
    failed = [
        np.frombuffer(scores.failed, np.bool_)[index]
        for scores, index in ((baseline_scores, matched.baseline), (candidate_scores, matched.candidate))
    ]
    rows = []
    for name in names:
        metrics = _metric_pair(baseline, candidate, place, name)
        rows.append(
            ComparisonRow(
                task,
                condition,
                scorer,
                name,
                metrics[0].better,
                difference(metrics, pairs, seed),
                None,
                len(baseline_scores.bags) - matched.keys.size,
                len(candidate_scores.bags) - matched.keys.size,
                int(failed[0].sum()),
                int(failed[1].sum()),
                _without_failed(metrics, pairs, failed[0] | failed[1]),
                *_right_alone(metrics, pairs),
            )
        )
    return rows


def _pairs(baseline: RunScores, candidate: RunScores, place: ScoreKey, matched: MatchedQuestions) -> Pairs:
    baseline_scores, candidate_scores = baseline.scores[place], candidate.scores[place]
    return Pairs(
        {name: column[matched.baseline] for name, column in baseline_scores.bags.columns.items()},
        {name: column[matched.candidate] for name, column in candidate_scores.bags.columns.items()},
        _groups(baseline, baseline_scores, matched),
        baseline_scores.bags.items[matched.baseline],
    )


def _average_rows(
    baseline: RunScores,
    candidate: RunScores,
    matches: Mapping[ScoreKey, MatchedQuestions],
    rows: Sequence[ComparisonRow],
    seed: int,
) -> Iterator[ComparisonRow]:
    """Compare the averages of both runs, by each metric that their tasks share, else by their headlines."""
    tree = baseline.info.averages
    for name in tree:
        for condition in dict.fromkeys(place[1] for place in matches):
            scorers_of = functools.partial(_scorers_of, matches, condition)
            labels = labels_of_average(tree, name, scorers_of)
            for label, scorers in labels.items():
                parts = {
                    task: [row for row in rows if (row.task, row.condition, row.scorer) == (task, condition, scorer)]
                    for task, scorer in scorers.items()
                }
                for metric, chosen in _shared_metrics(parts).items():
                    key = (name, condition, label)
                    yield _average_row((baseline, candidate), matches, (key, metric), chosen, seed)


def _scorers_of(places: Iterable[ScoreKey], condition: str, task: str) -> list[str]:
    return [place[2] for place in places if place[:2] == (task, condition)]


def _shared_metrics(parts: Mapping[str, Sequence[ComparisonRow]]) -> dict[str, dict[str, ComparisonRow]]:
    """The rows of an average's tasks by each metric that all of them have; by their headlines where there is none."""
    if not all(parts.values()):
        return {}
    by_name = {task: {row.metric: row for row in rows} for task, rows in parts.items()}
    first = next(iter(by_name.values()))
    shared = [metric for metric in first if all(metric in rows for rows in by_name.values())]
    if shared:
        return {metric: {task: rows[metric] for task, rows in by_name.items()} for metric in shared}
    return {MEAN: {task: rows[0] for task, rows in parts.items()}}


def _average_row(
    runs: tuple[RunScores, RunScores],
    matches: Mapping[ScoreKey, MatchedQuestions],
    key: tuple[ScoreKey, str],
    rows: Mapping[str, ComparisonRow],
    seed: int,
) -> ComparisonRow:
    (place, metric), (baseline, candidate) = key, runs
    places = {task: (task, row.condition, row.scorer) for task, row in rows.items()}
    means = _average_metrics(
        baseline, candidate, place[0], {task: (places[task], row.metric) for task, row in rows.items()}
    )
    pairs = pairs_of(
        baseline.info.averages, place[0], lambda task: _pairs(baseline, candidate, places[task], matches[places[task]])
    )
    return ComparisonRow(  # failures are counted in the rows of the tasks
        *place,
        metric,
        means[0].better,
        difference(means, pairs, seed),
        None,
        sum(row.not_in_candidate for row in rows.values()),
        sum(row.not_in_baseline for row in rows.values()),
    )


def _right_alone(metrics: tuple[Metric, Metric], pairs: Pairs) -> tuple[int | None, int | None]:
    """Number of pairs that only the baseline, and only the candidate, got right; None for grades."""
    baseline, candidate = right_mask(metrics[0], pairs.baseline), right_mask(metrics[1], pairs.candidate)
    if baseline is None or candidate is None:
        return None, None
    return int((baseline & ~candidate).sum()), int((candidate & ~baseline).sum())


def right_mask(metric: Metric, columns: Mapping[str, Floats]) -> npt.NDArray[np.bool_] | None:
    """For each item whether it is right, as `samples.is_right` says; None where a metric grades."""
    n = next((column.size for column in columns.values()), 0)
    if metric.share or (metric.better == "lower" and metric.limits and metric.limits[0] == 0):
        return np.equal(evaluate_metric(metric.value, columns, n), 1.0 if metric.better == "higher" else 0.0)
    return columns["right"] == 1.0 if "right" in columns else None


def _sum_known(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _groups(run_scores: RunScores, scores: ScoreColumns, matched: MatchedQuestions) -> Names:
    """Return the group of each pair by the journal; an item that it lacks is a group of its own."""
    present, index = run_scores.find(matched.keys)
    own = scores.bags.groups[matched.baseline]
    return np.where(present, run_scores.questions.groups[index], own) if present.any() else own


def _without_failed(metrics: tuple[Metric, Metric], pairs: Pairs, failed: npt.NDArray[np.bool_]) -> float | None:
    if not failed.any():
        return None

    def value(metric: Metric, columns: Mapping[str, Floats]) -> float:
        counts = {name: column[~failed].sum() for name, column in columns.items()}
        return float(evaluate_metric(metric.value, counts)[0])

    return finite_or_none(value(metrics[1], pairs.candidate) - value(metrics[0], pairs.baseline))


# ---------------------------------------------------------------- notes


def _notes(baseline: RunScores, candidate: RunScores, matches: Mapping[ScoreKey, MatchedQuestions]) -> list[str]:
    notes = [
        *_settings_notes(baseline.info, candidate.info),
        *_question_notes(baseline, candidate, matches),
        *_rule_notes(baseline, candidate, matches),
        *_task_notes(baseline, candidate),
    ]
    for name, run_scores in (("baseline", baseline), ("candidate", candidate)):
        if stale := run_scores.count_stale():
            notes.append(f"{stale} answers of the {name} have no score or a stale one")
        notes += [f"{name}: {notice}" for notice in label_bias_notice(run_scores.info.label_bias)]
    return list(dict.fromkeys(notes))


def _settings_notes(baseline: RunInfo, candidate: RunInfo) -> list[str]:
    """Describe differences between the benchmarks of two runs, except in their tasks."""
    before, after = (
        {name: value for name, value in about.benchmark.items() if name != "tasks"} for about in (baseline, candidate)
    )
    lines = differences(before, after)
    lines += [f"data {line.partition(' was ')[0]} differs" for line in differences(baseline.data, candidate.data)]
    return [f"not the same questions, from baseline to candidate: {_join_some(lines)}"] if lines else []


def _task_notes(baseline: RunScores, candidate: RunScores) -> list[str]:
    """Name the tasks and conditions of only one run."""
    notes = []
    for name, run_scores, other in (("baseline", baseline, candidate), ("candidate", candidate, baseline)):
        known = {place[:2] for place in other.scores}
        only = dict.fromkeys(" ".join(place[:2]) for place in run_scores.scores if place[:2] not in known)
        if only:
            notes.append(f"only in the {name}: {_join_some(list(only))}")
    return notes


def _join_some(names: Sequence[str]) -> str:
    """
    >>> _join_some(["a", "b", "c", "d", "e", "f", "g"])
    'a; b; c; d; e and 2 more'
    """
    return "; ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")


def _rule_notes(baseline: RunScores, candidate: RunScores, places: Iterable[ScoreKey]) -> list[str]:
    """Name the tasks that were scored by different rules."""
    notes = []
    for task, _, scorer in places:
        before, after = (run_scores.rules(task, scorer).signature for run_scores in (baseline, candidate))
        if str(before) != str(after):  # of older versions it is a text
            notes.append(f"{task}: scored by {before} in the baseline and by {after} in the candidate")
    return notes


def _question_notes(
    baseline: RunScores, candidate: RunScores, matches: Mapping[ScoreKey, MatchedQuestions]
) -> list[str]:
    """Count the pairs with different prompts or recordings."""
    changed: dict[str, dict[str, int]] = {"different prompts": {}, "different recordings": {}}
    for (task, condition, _), matched in matches.items():
        in_baseline, baseline_index = baseline.find(matched.keys)
        in_candidate, candidate_index = candidate.find(matched.keys)
        both = in_baseline & in_candidate
        for counts, kind in zip(changed.values(), ("prompt_digests", "audio_digests"), strict=True):
            before = getattr(baseline.questions, kind)[baseline_index[both]]
            after = getattr(candidate.questions, kind)[candidate_index[both]]
            counts[f"{task} {condition}"] = int(((before != after) & (before != 0) & (after != 0)).sum())
    return [
        f"{note}: {sum(counts.values())} pairs, of {_join_some([f'{place} {n}' for place, n in counts.items() if n])}"
        for note, counts in changed.items()
        if any(counts.values())
    ]
