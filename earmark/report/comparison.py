"""Two runs side by side: a row for each task, condition and scorer that both have, over the questions that both
answered.

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

from earmark.data.differences import differences
from earmark.report.aggregates import join_pairs, mean_over_tasks
from earmark.report.rows import title_of
from earmark.report.run_scores import RunInfo, RunScores, ScoreColumns, ScoreKey
from earmark.report.table import format_number, format_p, format_signed, mark
from earmark.stats.compare import Difference, Pairs, difference, holm
from earmark.stats.count_table import Floats, Names
from earmark.stats.estimate import evaluate_metric, finite_or_none
from earmark.stats.planning import items_to_find
from earmark.types import Metric, replace

HEAD: Final = (
    "task", "condition", "first", "second", "difference", "95 % interval", "p", "p, Holm", "test",
    "n", "only first", "only second",
)  # fmt: skip
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
    only_baseline: int  # questions that the other run has not
    only_candidate: int
    failed_baseline: int = 0  # of the pairs
    failed_candidate: int = 0
    without_failed: float | None = None  # the difference over the pairs that failed in neither

    @property
    def title(self) -> str:
        """Name of the row."""
        return title_of(self.task, "", self.scorer)


class Comparison(Struct, frozen=True):
    """Two runs, compared."""

    baseline: str
    candidate: str
    rows: list[ComparisonRow]
    notes: list[str]


class MatchedQuestions(NamedTuple):
    """The places in two cells of the questions that both have."""

    keys: Names
    baseline: npt.NDArray[np.intp]
    candidate: npt.NDArray[np.intp]


def compare_runs(
    baseline: RunScores, candidate: RunScores, *, metric: str = "", everything: bool = False, seed: int = 0
) -> Comparison:
    """Compare by the headline of each scorer, by the metric that is named, or by everything."""
    candidate = candidate.with_labels_of(baseline)
    places = [place for place in baseline.scores if place in candidate.scores]
    places.sort(key=lambda place: baseline.info.row_order(*place[:2]))
    matches = {place: _match_questions(baseline.scores[place], candidate.scores[place]) for place in places}
    rows = []
    for place, matched in matches.items():
        rows += _rows(
            baseline, candidate, place, matched, _select_metrics(baseline, candidate, place, metric, everything), seed
        )
    rows += _averages(baseline, candidate, matches, rows, seed)
    adjusted = holm([row.difference.p for row in rows])
    rows = [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return Comparison(baseline.info.name, candidate.info.name, rows, _notes(baseline, candidate, matches))


def headline_difference(baseline: RunScores, candidate: RunScores, place: ScoreKey, seed: int = 0) -> Difference | None:
    """The difference of one task or average by its headline; None where a run lacks a part of it."""
    task, condition, scorer = place
    tasks = baseline.info.averages.get(task, (task,))
    parts = {name: (name, condition, scorer) for name in tasks}
    if any(part not in run_scores.scores for part in parts.values() for run_scores in (baseline, candidate)):
        return None
    named = _select_metrics(baseline, candidate, parts[tasks[0]], "", everything=False)
    if not named:
        return None
    both = [run_scores.rules(tasks[0], scorer).metrics[named[0]] for run_scores in (baseline, candidate)]
    pairs = {
        name: _pairs(baseline, candidate, part, _match_questions(baseline.scores[part], candidate.scores[part]))
        for name, part in parts.items()
    }
    if task not in baseline.info.averages:
        return difference((both[0], both[1]), pairs[task], seed)
    return difference((mean_over_tasks(both[0], tasks), mean_over_tasks(both[1], tasks)), join_pairs(pairs), seed)


def metric_names(run_scores: RunScores) -> list[str]:
    """The names of everything that a run can be compared by."""
    named = (run_scores.rules(task, scorer).metrics for task, _, scorer in run_scores.scores)
    return list(dict.fromkeys(name for metrics in named for name in metrics))


def _select_metrics(
    baseline: RunScores, candidate: RunScores, place: ScoreKey, metric: str, everything: bool
) -> list[str]:
    task, _, scorer = place
    theirs = candidate.rules(task, scorer).metrics
    both = [name for name in baseline.rules(task, scorer).metrics if name in theirs]
    if metric:
        return [metric] if metric in both else []
    return both if everything else both[:1]


def _match_questions(baseline: ScoreColumns, candidate: ScoreColumns) -> MatchedQuestions:
    baseline_keys, candidate_keys = np.frombuffer(baseline.keys, np.uint64), np.frombuffer(candidate.keys, np.uint64)
    return MatchedQuestions(*np.intersect1d(baseline_keys, candidate_keys, return_indices=True))


def _rows(
    baseline: RunScores,
    candidate: RunScores,
    place: ScoreKey,
    matched: MatchedQuestions,
    wanted: Sequence[str],
    seed: int,
) -> list[ComparisonRow]:
    task, condition, scorer = place
    baseline_scores, candidate_scores = baseline.scores[place], candidate.scores[place]
    pairs = _pairs(baseline, candidate, place, matched)
    failed = [
        np.frombuffer(cell.failed, np.bool_)[index]
        for cell, index in ((baseline_scores, matched.baseline), (candidate_scores, matched.candidate))
    ]
    rows = []
    for name in wanted:
        metrics = (baseline.rules(task, scorer).metrics[name], candidate.rules(task, scorer).metrics[name])
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


def _averages(
    baseline: RunScores,
    candidate: RunScores,
    matches: Mapping[ScoreKey, MatchedQuestions],
    rows: Sequence[ComparisonRow],
    seed: int,
) -> Iterator[ComparisonRow]:
    """Averages over tasks that both runs have, each task counting alike, by the metrics that its tasks are compared by."""
    for name, tasks in baseline.info.averages.items():
        for condition, scorer in dict.fromkeys(place[1:] for place in matches):
            parts = [row for row in rows if row.task in tasks and (row.condition, row.scorer) == (condition, scorer)]
            for metric in dict.fromkeys(row.metric for row in parts):
                over = {row.task: row for row in parts if row.metric == metric}
                if set(over) != set(tasks):
                    continue
                places = {task: (task, condition, scorer) for task in tasks}
                pairs = join_pairs(
                    {
                        task: _pairs(baseline, candidate, score_key, matches[score_key])
                        for task, score_key in places.items()
                    }
                )
                both = [run_scores.rules(tasks[0], scorer).metrics[metric] for run_scores in (baseline, candidate)]
                means = (mean_over_tasks(both[0], tasks), mean_over_tasks(both[1], tasks))
                only = [
                    sum(getattr(row, count) for row in over.values()) for count in ("only_baseline", "only_candidate")
                ]
                # How many failed is said of the tasks.
                yield ComparisonRow(
                    name, condition, scorer, metric, means[0].better, difference(means, pairs, seed), None, *only
                )


def _groups(run_scores: RunScores, scores: ScoreColumns, matched: MatchedQuestions) -> Names:
    """The group of each pair as the journal has it; an item that it lacks is a group of its own."""
    present, index = run_scores.find(matched.keys)
    own = scores.bags.groups[matched.baseline]
    return np.where(present, run_scores.questions.groups[index], own) if present.any() else own


def _without_failed(metrics: tuple[Metric, Metric], pairs: Pairs, failed: npt.NDArray[np.bool_]) -> float | None:
    if not failed.any():
        return None

    def of(metric: Metric, columns: Mapping[str, Floats]) -> float:
        return float(
            evaluate_metric(metric.value, {name: column[~failed].sum() for name, column in columns.items()})[0]
        )

    return finite_or_none(of(metrics[1], pairs.candidate) - of(metrics[0], pairs.baseline))


# ---------------------------------------------------------------- what must be known


def _notes(baseline: RunScores, candidate: RunScores, matches: Mapping[ScoreKey, MatchedQuestions]) -> list[str]:
    notes = [
        *_settings(baseline.info, candidate.info),
        *_questions(baseline, candidate, matches),
        *_rules(baseline, candidate, matches),
        *_missing(baseline, candidate),
    ]
    for name, run_scores in (("first", baseline), ("second", candidate)):
        if stale := run_scores.count_stale():
            notes.append(f"{stale} answers of the {name} run have no score, or one from before they came")
    return list(dict.fromkeys(notes))


def _settings(baseline: RunInfo, candidate: RunInfo) -> list[str]:
    """Differences between the benchmarks of two runs, tasks aside: rows and notes show those."""
    before, now = (
        {name: value for name, value in about.benchmark.items() if name != "tasks"} for about in (baseline, candidate)
    )
    lines = differences(before, now)
    lines += [f"data {line.partition(' was ')[0]} differs" for line in differences(baseline.data, candidate.data)]
    return [f"not the same questions, from the first run to the second: {_join_some(lines)}"] if lines else []


def _missing(baseline: RunScores, candidate: RunScores) -> list[str]:
    notes = []
    for name, run_scores, other_run in (("first", baseline, candidate), ("second", candidate, baseline)):
        only = dict.fromkeys(
            f"{task} {condition}" for task, condition, _ in run_scores.scores if _lacks(other_run, task, condition)
        )
        if only:
            notes.append(f"only in the {name} run: {_join_some(list(only))}")
    return notes


def _lacks(run_scores: RunScores, task: str, condition: str) -> bool:
    return all(place[:2] != (task, condition) for place in run_scores.scores)


def _join_some(names: Sequence[str]) -> str:
    """
    >>> _join_some(["a", "b", "c", "d", "e", "f", "g"])
    'a; b; c; d; e and 2 more'
    """
    return "; ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")


def _rules(baseline: RunScores, candidate: RunScores, places: Iterable[ScoreKey]) -> list[str]:
    """True if the two runs were scored by the same rules."""
    notes = []
    for task, _, scorer in places:
        baseline_rules, candidate_rules = (
            baseline.rules(task, scorer).signature,
            candidate.rules(task, scorer).signature,
        )
        if baseline_rules != candidate_rules:
            notes.append(f"{task}: scored by {baseline_rules} in the first run and by {candidate_rules} in the second")
    return notes


def _questions(baseline: RunScores, candidate: RunScores, matches: Mapping[ScoreKey, MatchedQuestions]) -> list[str]:
    """True if pairs were asked in the same words about the same recordings."""
    changed: dict[str, dict[str, int]] = {"asked in other words": {}, "about other recordings": {}}
    for (task, condition, _), matched in matches.items():
        (in_baseline, baseline_index), (in_candidate, candidate_index) = (
            baseline.find(matched.keys),
            candidate.find(matched.keys),
        )
        both = in_baseline & in_candidate
        sides = (
            (baseline.questions.prompt_digests, candidate.questions.prompt_digests),
            (baseline.questions.audio_digests, candidate.questions.audio_digests),
        )
        for places, (before, after) in zip(changed.values(), sides, strict=True):
            baseline_digests, candidate_digests = before[baseline_index[both]], after[candidate_index[both]]
            places[f"{task} {condition}"] = int(
                ((baseline_digests != candidate_digests) & (baseline_digests != 0) & (candidate_digests != 0)).sum()
            )
    return [
        f"{note}: {sum(places.values())} pairs, of {_join_some([f'{place} {n}' for place, n in places.items() if n])}"
        for note, places in changed.items()
        if any(places.values())
    ]


# ---------------------------------------------------------------- as words


def comparison_table(rows: Sequence[ComparisonRow]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [_line(row) for row in rows]


def _line(row: ComparisonRow) -> tuple[str, ...]:
    difference = row.difference
    return (
        row.title,
        row.condition,
        format_number(difference.baseline),
        format_number(difference.candidate),
        format_signed(difference.value),
        f"{format_signed(difference.low)} to {format_signed(difference.high)}{mark(difference)}"
        if difference.low is not None
        else "-",
        format_p(difference.p),
        format_p(row.p_holm),
        difference.test or "-",
        str(difference.n),
        str(row.only_baseline),
        str(row.only_candidate),
    )


def required_pairs(rows: Sequence[ComparisonRow], difference: float) -> list[str]:
    """Number of pairs it would take to find a true difference, going by what each row found."""
    return [
        f"{row.title} {row.condition}: {row.metric}, a true difference of {difference:g} takes about {many:,} pairs, "
        "if runs "
        f"disagree as these do; there are {row.difference.n:,}"
        for row in rows
        if (many := items_to_find(row.difference, difference)) is not None
    ]


def footnotes(comparison: Comparison) -> list[str]:
    """Footnotes of the table, a line each."""
    notes = list(comparison.notes)
    for row in comparison.rows:
        where = f"{row.title} {row.condition}"
        if row.failed_baseline or row.failed_candidate:
            notes.append(
                f"{where}: {row.failed_baseline} of the pairs failed in the first run and {row.failed_candidate} in "
                "the second; "
                f"without them the difference is {format_signed(row.without_failed)}"
            )
        if row.difference.why:
            notes.append(f"{where}: {row.metric}, {row.difference.why}")
    return list(dict.fromkeys(notes))
