"""From the runs of a suite to its table: rows from their reports, means and differences from their scores.

results/suites/SUITE/MODEL/suite.json      which runs belong to it
                           table.json, table.csv      derived
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from earmark.config.folders import yaml_names
from earmark.data.cache import atomic_write
from earmark.data.names import safe_name
from earmark.errors import BadData, alternatives
from earmark.report.aggregates import Aggregate, RowKey
from earmark.report.averages import average_rows, metric_of, pairs_of, tasks_of
from earmark.report.comparison import headline_difference, task_pairs
from earmark.report.files import read_metrics, write_csv
from earmark.report.gain import PLAIN, listening_gains
from earmark.report.published import load_published
from earmark.report.rows import Metrics, Row
from earmark.report.run_scores import RunScores, ScoreKey
from earmark.report.suites import (
    CSV_HEAD,
    KINDS,
    LineRecord,
    PublishedRow,
    SuiteMean,
    SuiteRecord,
    SuiteRow,
    SuiteTable,
    choose_rows,
    csv_lines,
    ears_of,
    encode_table,
    official_metric,
    unit_metric,
)
from earmark.runs.run_scores import load_run_scores
from earmark.runs.scoring import load_controls
from earmark.stats.compare import difference
from earmark.stats.difference import Difference, Pairs
from earmark.stats.estimate import Estimate
from earmark.types import Average, Metric, Signature, TaskFacts

FOLDER: Final = "suites"  # below the results
RECORD: Final = "suite.json"
UNIT: Final = "score"


def suite_dir(results: str | Path, suite: str, model: str) -> Path:
    """Folder of a suite's table."""
    return Path(results).expanduser() / FOLDER / safe_name(suite) / safe_name(model)


def write_suite(results: str | Path, record: SuiteRecord, *, published: bool = False) -> SuiteTable:
    """Write down which runs belong to a suite, and its table as JSON and CSV."""
    folder = suite_dir(results, record.name, record.model)
    atomic_write(folder / RECORD, msgspec.json.format(msgspec.json.encode(record)))
    table = build_suite_table(record, published=published)
    atomic_write(folder / "table.json", encode_table(table))
    write_csv(folder / "table.csv", CSV_HEAD, csv_lines(table))
    return table


def find_suites(results: Path, suite: str) -> list[SuiteRecord]:
    """What was run of a suite below a folder of results. Raises BadData where there is nothing."""
    paths = sorted((results / FOLDER / safe_name(suite)).glob(f"*/{RECORD}"))
    if not paths:
        known = sorted(path.name for path in (results / FOLDER).glob("*"))
        raise BadData(
            f"{results}: the suite '{suite}' was not run there{alternatives(suite, known)}; type "
            f"earmark run suite:{suite} model=NAME results={results}"
        )
    records = []
    for path in paths:
        try:
            records.append(msgspec.json.decode(path.read_bytes(), type=SuiteRecord))
        except msgspec.DecodeError as error:
            raise BadData(
                f"{path}: cannot be read ({error}); the command that ran the suite writes it again"
            ) from error
    return records


class LineScores(NamedTuple):
    """A line of a suite that was run, with its scores as far as they are there."""

    line: LineRecord
    metrics: Metrics
    rows: list[Row]  # that stand in the table
    tasks: tuple[str, ...]  # that count in the means: those below the rows that the suite names, else all
    scores: RunScores | None
    beside: RunScores | None


def build_suite_table(record: SuiteRecord, *, published: bool = False) -> SuiteTable:
    """The table of a suite that was run."""
    scores = {line.name: _load_line(line) for line in record.lines if line.run}
    rows: list[SuiteRow] = []
    for line in record.lines:
        found = scores.get(line.name)
        rows += _line_rows(found) if found else [SuiteRow(line.name, problem=line.problem, run=line.run)]
    means, unscaled = _means(record, [found for found in scores.values() if found])
    partly = [
        f"{line.name}:{task}" for line in record.lines for task, facts in line.facts.items()
        if facts.needs_ears == "partly"
    ]  # fmt: skip
    notes = _grouped_notes(record)
    reported = [one for line in record.lines for one in published_rows(line)] if published else []
    return SuiteTable(
        record.name, record.title, record.model, record.beside, rows, means, partly, unscaled, notes, reported
    )


def _grouped_notes(record: SuiteRecord) -> list[str]:
    """Notes of lines, of several with the same note as one."""
    names: dict[str, list[str]] = {}
    for line in record.lines:
        for note in line.notes:
            names.setdefault(note, []).append(line.name)
    return [f"{', '.join(lines)}: {note}" for note, lines in names.items()]


def _load_line(line: LineRecord) -> LineScores | None:
    run = Path(line.run)
    try:
        metrics = read_metrics(run)
    except BadData:  # it was stopped before it was scored, which its problem tells
        return None
    tree = metrics.average_tree
    rows = choose_rows(line, metrics.rows, {name: tasks_of(tree, name) for name in tree})
    tasks = tuple(dict.fromkeys(row.task for row in metrics.rows if row.task not in tree))
    if line.rows:
        tasks = tuple(dict.fromkeys(task for row in rows for task in tasks_of(tree, row.task)))
    has_other = line.beside and (Path(line.beside) / "metrics.json").exists()
    return LineScores(
        line, metrics, rows, tasks, load_run_scores(run), load_run_scores(Path(line.beside)) if has_other else None
    )


def _line_rows(found: LineScores) -> Iterator[SuiteRow]:
    line, metrics, rows, _, scores, beside = found
    tree = metrics.average_tree
    for row in rows:
        tasks = tasks_of(tree, row.task)
        place = (row.task, PLAIN, row.scorer)
        apart = headline_difference(beside, scores, place) if beside and scores else None
        gain = next(
            (one for one in metrics.gains if (one.task, one.scorer, one.slice) == (row.task, row.scorer, "")), None
        )
        yield SuiteRow(
            line.name.partition(":")[0],
            "" if len(rows) == 1 and row.task in tree else row.task,
            ears_of(line.facts, tasks if {*tasks} <= line.facts.keys() else line.facts),
            official_metric(line.facts, tasks if {*tasks} <= line.facts.keys() else line.facts, row.headline[0]),
            row,
            _other_estimate(line, row),
            apart,
            gain,
            line.problem,
            line.run,
        )


def _other_estimate(line: LineRecord, row: Row) -> Estimate | None:
    if not line.beside or not (Path(line.beside) / "metrics.json").exists():
        return None
    others = read_metrics(Path(line.beside)).rows
    key = (row.task, row.condition, row.scorer, row.slice)
    return next((one.headline[1] for one in others if (one.task, one.condition, one.scorer, one.slice) == key), None)


# ---------------------------------------------------------------- means over benchmarks


class UnitScorer(NamedTuple):
    """A scorer's headline from 0 to 1, as the only metric."""

    name: str
    signature: Signature | str
    metric: Metric

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {UNIT: self.metric}


class UnitTask(NamedTuple):
    """A task that counts in a mean."""

    name: str  # of its benchmark and of itself
    line: str
    place: ScoreKey  # under plain
    scorer: UnitScorer
    found: LineScores


def _means(record: SuiteRecord, lines_run: Sequence[LineScores]) -> tuple[list[SuiteMean], list[str]]:
    """The mean of each kind, and the tasks that have no scale."""
    unscaled: list[str] = []
    means = []
    for kind in KINDS:
        tasks = [task for found in lines_run for task in _unit_tasks(found, kind, unscaled)]
        lines = list(dict.fromkeys(task.line for task in tasks))
        if not lines:
            continue
        tree = {line: Average(tuple(task.name for task in tasks if task.line == line)) for line in lines}
        tree[kind] = Average(tuple(lines))
        expected = [
            line.name for line in record.lines if any(facts.needs_ears == kind for facts in line.facts.values())
        ]
        missing = tuple(name for name in expected if name not in lines)
        means.append(_mean(kind, tree, tasks, missing))
    return means, unscaled


def _unit_tasks(found: LineScores, kind: str, unscaled: list[str]) -> Iterator[UnitTask]:
    if found.scores is None:
        return
    for task in found.tasks:
        row = next(
            (row for row in found.metrics.rows if (row.task, row.condition, row.slice) == (task, PLAIN, "")), None
        )
        place = (task, PLAIN, row.scorer if row else "")
        if (
            found.line.facts.get(task, TaskFacts()).needs_ears != kind
            or row is None
            or place not in found.scores.scores
        ):
            continue
        rules = found.scores.rules(task, row.scorer)
        metric = unit_metric(next(iter(rules.metrics.values())))
        name = f"{found.line.name}:{task}"
        if metric is None or row.headline[1].value is None:
            unscaled.append(name)
            continue
        yield UnitTask(name, found.line.name, place, UnitScorer(row.scorer, rules.signature, metric), found)


def _mean(kind: str, tree: Mapping[str, Average], tasks: Sequence[UnitTask], missing: tuple[str, ...]) -> SuiteMean:
    cells: dict[RowKey, Aggregate] = {}
    for task in tasks:
        scores = task.found.scores
        for place, condition, label in scores.scores if scores else ():
            if (place, label) == (task.place[0], task.place[2]) and scores:
                cells[RowKey(task.name, condition, "")] = scores.aggregate((place, condition, label), task.scorer)
    row = next(row for row in average_rows(tree, cells) if (row.task, row.condition) == (kind, PLAIN))
    by_name = {task.name: task for task in tasks}
    beside = _difference_of_means(tree, kind, by_name)
    controls = list(load_controls(dict.fromkeys(key.condition for key in cells)))
    gains = listening_gains(cells, controls, tree, 0) if controls else []
    gain = next((one for one in gains if one.task == kind), None)
    lines = tuple(tree[kind].over)
    return SuiteMean(kind, row, lines, missing, beside.baseline if beside else None, beside, gain)


def _difference_of_means(tree: Mapping[str, Average], kind: str, tasks: Mapping[str, UnitTask]) -> Difference | None:
    """The difference of a mean from that of the other model; None where that lacks one of its tasks."""

    pairs: dict[str, Pairs] = {}
    for name, task in tasks.items():
        scores, beside = task.found.scores, task.found.beside
        if scores is None or beside is None or task.place not in beside.scores:
            return None
        pairs[name] = task_pairs(beside, scores, task.place)
    metric = metric_of(tree, kind, lambda name: tasks[name].scorer.metric)
    return difference((metric, metric), pairs_of(tree, kind, pairs.__getitem__))


# ---------------------------------------------------------------- numbers of others


def published_rows(line: LineRecord) -> Iterator[PublishedRow]:
    """What others reported of a benchmark, as the packaged and the user's own YAML have it."""
    name = line.name.partition(":")[0]
    path = yaml_names("published").get(name)
    if path is None:
        return
    for table in load_published(path).every:
        report = (table.metric, table.source, table.date, table.data, table.unit)
        for model, numbers in table.models.items():
            for task, values in numbers.items():
                yield PublishedRow(name, task, model, values[0], *report)
