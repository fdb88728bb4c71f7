"""The table of a suite: a row for each benchmark, and the means over what needs ears and what words carry.

The two means let each benchmark count alike, and within a benchmark each task. Every headline stands in them from 0 to
1, higher being better: a share as it is, a rating or a percentage by its scale, an error rate as 1 - rate, at least 0.
A headline without a scale is in neither, nor is a task that needs ears partly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Struct

from earmark.report.rows import ListeningGain, Row
from earmark.report.table import format_interval, format_number, format_signed, format_signed_interval
from earmark.report.table_formats import DataTable
from earmark.stats.difference import Difference
from earmark.stats.estimate import Estimate
from earmark.types import Counts, Metric, Number, TaskFacts, replace

KINDS: Final = {"yes": "needs ears", "no": "words carry"}
MAX_TASKS: Final = 12  # of a benchmark without an average, that have a row each
COUNTS: Final = ("n", "failed", "refused", "unread", "no verdict")
HEAD: Final = ("benchmark", "metric", "score", "95 % interval", *COUNTS)
BESIDE: Final = ("beside", "difference", "95 % of it")
CONTROL: Final = ("control", "its score", "gain", "95 % of gain")
PUBLISHED_HEAD: Final = ("published", "task", "by", "number", "reported", "source")
CSV_HEAD: Final = (
    "kind", "benchmark", "row", "ears", "metric", "scorer", "value", "low", "high", "n", "failed", "refused",
    "unparsed", "judge_failed", "beside", "difference", "difference_low", "difference_high", "difference_p",
    "control", "control_value", "gain", "gain_low", "gain_high", "parts", "problem", "run",
)  # fmt: skip


class LineRecord(Struct, frozen=True, omit_defaults=True):
    """One line of a suite that was run: where its runs lie, or why there is none."""

    name: str
    rows: tuple[str, ...] = ()  # that stand in the table, where the suite says so
    run: str = ""  # its folder
    beside: str = ""  # that of the other model
    problem: str = ""
    notes: tuple[str, ...] = ()
    facts: dict[str, TaskFacts] = {}  # by task


class SuiteRecord(Struct, frozen=True, omit_defaults=True):
    """A suite that was run on a model."""

    name: str
    title: str
    model: str
    lines: tuple[LineRecord, ...]
    beside: str = ""  # the other model


class SuiteRow(Struct, frozen=True, omit_defaults=True):
    """One row of a suite's table."""

    benchmark: str
    task: str = ""  # or average
    ears: str = ""  # yes, no, partly, or mixed
    metric: str = ""  # its official name, or ours
    row: Row | None = None
    beside: Estimate | None = None  # of the other model
    difference: Difference | None = None  # from the other model, question by question
    gain: ListeningGain | None = None
    problem: str = ""  # why there is no number
    run: str = ""

    @property
    def title(self) -> str:
        """Name of the row."""
        return f"{self.benchmark} {self.task}".strip()


class SuiteMean(Struct, frozen=True, omit_defaults=True):
    """The mean over the benchmarks of one kind."""

    kind: str  # one of KINDS
    row: Row
    benchmarks: tuple[str, ...]  # behind it
    missing: tuple[str, ...] = ()
    beside: float | None = None
    difference: Difference | None = None
    gain: ListeningGain | None = None

    @property
    def title(self) -> str:
        """Name of the mean, with how many benchmarks are behind it."""
        n = len(self.benchmarks)
        return f"{KINDS[self.kind]} ({n} of {n + len(self.missing)})"


class PublishedRow(Struct, frozen=True, omit_defaults=True):
    """A number that somebody else reported."""

    benchmark: str
    task: str
    model: str
    number: float  # as it was printed
    metric: str
    source: str
    date: str = ""
    data: str = ""  # the state of the data
    unit: Literal["%", "points"] = "%"


class SuiteTable(Struct, frozen=True):
    """The table of a suite."""

    name: str
    title: str
    model: str
    beside: str
    rows: list[SuiteRow]
    means: list[SuiteMean]
    partly: list[str] = []  # tasks that need ears partly, and stand in no mean
    unscaled: list[str] = []  # tasks whose headline has no number or no scale
    notes: list[str] = []
    published: list[PublishedRow] = []


def unit_metric(metric: Metric) -> Metric | None:
    """A metric from 0 to 1, higher being better; None for one without a scale.

    >>> rate = Metric(lambda counts: counts["errors"] / counts["length"], "lower", limits=(0.0, float("inf")))
    >>> unit = unit_metric(rate)
    >>> [float(unit.value({"errors": errors, "length": 4.0})) for errors in (1.0, 9.0)]
    [0.75, 0.0]
    """
    if metric.better == "higher" and metric.share is not None:
        return metric
    low, high = metric.limits or ((0.0, 1.0) if metric.share else (0.0, 0.0))
    if metric.better == "lower" and not np.isfinite(high):
        high = low + 1.0
    if not np.isfinite(high) or not high > low:
        return None

    def value(counts: Counts) -> Number:
        scaled: Number = np.clip((np.asarray(metric.value(counts), np.float64) - low) / (high - low), 0.0, 1.0)
        return scaled if metric.better == "higher" else 1.0 - scaled

    return replace(metric, value=value, better="higher", share=None, limits=(0.0, 1.0), caveat=None)


def choose_rows(line: LineRecord, rows: Sequence[Row], averages: Mapping[str, Sequence[str]]) -> list[Row]:
    """The rows of a line that stand in the table. `averages` has the tasks of each.

    They are those that the suite names, else the last average of all that was run; without one each task, below an
    average that lacks some; of many tasks the averages that are in no other one, else one row without a number.
    """
    plain: dict[str, Row] = {}
    for row in rows:
        if row.condition == "plain" and not row.slice:
            plain.setdefault(row.task, row)  # the first scorer's, which is that of the policy
    if line.rows:
        return [plain[name] for name in line.rows if name in plain]
    tasks = [name for name in plain if name not in averages]
    covering = [name for name in averages if name in plain and {*tasks} <= {*averages[name]}]
    numbers = [name for name in averages if name in plain and plain[name].headline[1].value is not None]
    if whole := [name for name in covering if name in numbers]:
        return [plain[whole[-1]]]
    is_chosen = ":" in line.name  # tasks were, so that an average is not asked for
    above = [] if is_chosen else covering[-1:]
    if len(tasks) > MAX_TASKS:
        tops = [name for name in numbers if not any({*averages[name]} < {*averages[other]} for other in numbers)]
        return [plain[name] for name in (*above, *tops)] or [_summary([plain[name] for name in tasks], line.run)]
    return [plain[name] for name in (*above, *tasks)]


def _summary(rows: Sequence[Row], run: str) -> Row:
    """One row for many tasks without an average."""
    name, _ = rows[0].headline
    why = f"{len(rows)} tasks and no average of all; type earmark show {run}"
    states = {state: sum(row.states.get(state, 0) for row in rows) for state in rows[0].states}
    return replace(
        rows[0], task=f"{len(rows)} tasks", n=sum(row.n for row in rows), states=states,
        metrics={name: Estimate(None, why=why)}, guess_rate=None, p_guess=None, repeats=None,
    )  # fmt: skip


def ears_of(facts: Mapping[str, TaskFacts], tasks: Iterable[str]) -> str:
    """If tasks need ears: yes, no or partly, or mixed where they differ.

    >>> ears_of({"a": TaskFacts(needs_ears="no")}, ["a", "b"])
    'mixed'
    """
    kinds: set[str] = {facts[task].needs_ears if task in facts else "yes" for task in tasks}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def official_metric(facts: Mapping[str, TaskFacts], tasks: Iterable[str], metric: str) -> str:
    """The official name of a number, where its tasks have one; else ours."""
    names = {facts[task].metric if task in facts else "" for task in tasks}
    return (names.pop() if len(names) == 1 else "") or metric


# ---------------------------------------------------------------- text


def table_head(table: SuiteTable) -> tuple[str, ...]:
    """The columns of a suite's table: those of another model and of a control only where there are some."""
    lines: list[SuiteRow | SuiteMean] = [*table.rows, *table.means]
    beside = BESIDE if table.beside else ()
    return (*HEAD, *beside, *(CONTROL if any(line.gain for line in lines) else ()))


def table_lines(table: SuiteTable) -> list[tuple[str, ...]]:
    """The lines of a suite's table with the columns of `table_head`."""
    width = len(table_head(table))
    has_control = width > len(HEAD) + len(BESIDE) * bool(table.beside)
    lines = []
    for row in table.rows:
        if row.row is None:
            lines.append((row.title, "no number", *["-"] * (width - 2)))
            continue
        estimate = row.row.headline[1]
        beside = row.beside.value if row.beside else None
        lines.append((row.title, _metric(row), *_cells(row.row, estimate), *_further(row, beside, table, has_control)))
    for mean in table.means:
        cells = _cells(mean.row, mean.row.headline[1])
        lines.append((mean.title, "0 to 1", *cells, *_further(mean, mean.beside, table, has_control)))
    return lines


def _metric(row: SuiteRow) -> str:
    lower = row.row is not None and row.row.better == "lower"
    return f"{row.metric}, lower" if lower else row.metric


def _cells(row: Row, estimate: Estimate) -> tuple[str, ...]:
    counts = (row.n, row.failed, *(row.states.get(state, 0) for state in ("refused", "unparsed", "judge-failed")))
    return (format_number(estimate.value), format_interval(estimate), *map(str, counts))


def _further(row: SuiteRow | SuiteMean, beside: float | None, table: SuiteTable, has_control: bool) -> tuple[str, ...]:
    cells: tuple[str, ...] = ()
    if table.beside:
        difference = row.difference or Difference(None, None)
        cells = (format_number(beside), format_signed(difference.value), format_signed_interval(difference))
    if has_control:
        gain = row.gain
        if gain is None:
            return (*cells, "-", "-", "-", "-")
        interval = replace(gain.difference, low=gain.low, high=gain.high)
        score = format_number(gain.difference.baseline)
        cells = (*cells, gain.control, score, format_signed(gain.value), format_signed_interval(interval))
    return cells


def table_notes(table: SuiteTable) -> list[str]:
    """Footnotes of a suite's table, a line each."""
    notes = [f"{row.title}: {row.problem}" for row in table.rows if row.problem]
    notes += [
        f"{row.title}: {row.row.headline[1].why}"
        for row in table.rows
        if row.row is not None and row.row.headline[1].value is None and row.row.headline[1].why
    ]
    notes += [f"{mean.title}: without {', '.join(mean.missing)}" for mean in table.means if mean.missing]
    if table.means:
        notes.append("means: each benchmark counts alike, from 0 to 1, higher is better (an error rate: 1 - rate)")
    if table.partly:
        notes.append(f"needs ears partly, and in no mean: {', '.join(table.partly)}")
    if table.unscaled:
        notes.append(
            f"without a number, or without a scale from worst to best, and in no mean: {', '.join(table.unscaled)}"
        )
    if table.beside:
        notes.append(f"beside: {table.beside}; difference: {table.model} minus {table.beside}, question by question")
    return [*notes, *table.notes]


def table_parts(table: SuiteTable) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """The same in parts for a narrow terminal: the scores, then the other model, then the control."""
    head, lines = table_head(table), table_lines(table)
    ends = [len(HEAD), *([len(HEAD) + len(BESIDE)] if table.beside else []), len(head)]
    starts = [2, *ends[:-1]]
    return [
        ((*head[:2], *head[start:end]), [(*line[:2], *line[start:end]) for line in lines])
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]


def published_lines(table: SuiteTable) -> list[tuple[str, ...]]:
    """The published rows with the columns of `PUBLISHED_HEAD`."""
    return [
        (row.benchmark, row.task, row.model, f"{row.number:g}{' %' * (row.unit == '%')}", row.date or "date not stated",
         f"{row.source}; {f'data: {row.data}' if row.data else 'state of the data not stated'}")
        for row in table.published
    ]  # fmt: skip


def csv_lines(table: SuiteTable) -> list[tuple[Any, ...]]:
    """The lines of a suite's table with the columns of `CSV_HEAD`."""
    lines: list[tuple[Any, ...]] = []
    for row in table.rows:
        beside = row.beside.value if row.beside else None
        head = ("row", row.benchmark, row.task, row.ears, row.metric)
        lines.append((*head, *_numbers(row.row, beside, row.difference, row.gain), "", row.problem, row.run))
    for mean in table.means:
        head = ("mean", KINDS[mean.kind], "", mean.kind, "0 to 1")
        parts = f"{len(mean.benchmarks)} of {len(mean.benchmarks) + len(mean.missing)}"
        lines.append((*head, *_numbers(mean.row, mean.beside, mean.difference, mean.gain), parts, "", ""))
    for one in table.published:
        blank = [None] * (len(CSV_HEAD) - 10)
        source = f"{one.source}; {one.date or 'date not stated'}; {one.data or 'state of the data not stated'}"
        lines.append(
            (
                "published",
                one.benchmark,
                one.task,
                "",
                one.metric,
                one.model,
                one.number / (100 if one.unit == "%" else 1),
                *blank,
                "",
                source,
                "",
            )
        )
    return lines


def _numbers(
    row: Row | None, beside: float | None, difference: Difference | None, gain: ListeningGain | None
) -> tuple[Any, ...]:
    if row is None:
        return (None,) * 19
    estimate, apart = row.headline[1], difference or Difference(None, None)
    states = (row.failed, *(row.states.get(state, 0) for state in ("refused", "unparsed", "judge-failed")))
    own = (row.scorer, estimate.value, estimate.low, estimate.high, row.n, *states)
    other = (beside, apart.value, apart.low, apart.high, apart.p)
    heard = (gain.control, gain.difference.baseline, gain.value, gain.low, gain.high) if gain else (None,) * 5
    return (*own, *other, *heard)


def suite_data_table(table: SuiteTable) -> DataTable:
    """A suite's table for programs and papers."""
    title = f"{table.title}: {table.model}"
    return DataTable(
        title, CSV_HEAD, csv_lines(table), table_head(table), table_lines(table), 2, (title, *table_notes(table))
    )


def encode_table(table: SuiteTable) -> bytes:
    """A suite's table as JSON."""
    return msgspec.json.format(msgspec.json.encode(table))
