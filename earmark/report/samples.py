"""Scored records as lines of a table: samples/TASK.csv of a run, and its exports."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TextIO

import msgspec

from earmark.data.names import safe_name
from earmark.journal import Record, ScoreLine
from earmark.report.files import FORMULA_STARTS, escape_formula, write_csv
from earmark.stats.estimate import evaluate_metric, finite_or_none
from earmark.types import Metric, Source, SynthSpec

# Columns of each line and their types in DuckDB; a column for each tag follows.
COLUMNS: Final = {
    "task": "VARCHAR", "id": "VARCHAR", "condition": "VARCHAR", "repeat": "BIGINT", "group": "VARCHAR",
    "scorer": "VARCHAR", "state": "VARCHAR", "right": "BOOLEAN", "value": "DOUBLE", "target": "VARCHAR[]",
    "answer": "VARCHAR", "counts": "MAP(VARCHAR, DOUBLE)", "rule": "VARCHAR", "question": "VARCHAR", "reply": "VARCHAR",
    "heard": "VARCHAR[]", "choices": "VARCHAR[]", "clips": "VARCHAR[]", "failure": "VARCHAR", "seconds": "DOUBLE",
    "attempts": "BIGINT",
}  # fmt: skip
IN_ONE_CELL: Final = ("target", "heard")  # lists of short texts: joined by | in CSV, where others are JSON


def item_value(metric: Metric, counts: Mapping[str, float]) -> float | None:
    """The value of a metric on one item alone; None where it is not defined.

    >>> from earmark.stats.ratio import ratio
    >>> item_value(ratio("right", "n"), {"right": 1.0, "n": 1.0}), item_value(ratio("right", "n"), {})
    (1.0, None)
    """
    if metric.share:
        top, bottom = (counts.get(name, 0.0) for name in metric.share)
        return top / bottom if bottom else None
    return finite_or_none(evaluate_metric(metric.value, counts)) if counts else None


def is_right(metric: Metric, value: float | None, counts: Mapping[str, float]) -> bool | None:
    """True for a right answer, False for a wrong one, None where the scorer grades.

    A share is right at 1, an error rate at 0; of other metrics the count `right` tells, where there is one.

    >>> is_right(Metric(lambda _: 0.0, "lower", limits=(0, float("inf"))), 0.2, {})
    False
    """
    if value is None:
        return None
    if metric.share:
        return value == (1.0 if metric.better == "higher" else 0.0)
    if metric.better == "lower" and metric.limits and metric.limits[0] == 0:
        return value == 0.0
    return counts["right"] == 1.0 if "right" in counts else None


def sample_values(record: Record, line: ScoreLine) -> dict[str, Any]:
    """A scored record as values by column, its tags last."""
    item, response, failure = record.item, record.response, record.failure
    values = (
        *(line.task, line.id, line.condition, line.repeat, item.group, line.scorer, line.state),
        *(line.right, line.value, item.targets, line.answer, line.counts, line.rule, item.question),
        *(response.text if response else None, response.transcripts if response else ()),
        *(item.choices, tuple(map(describe_source, item.clips)), failure.message if failure else None),
        *(response.seconds if response else None, record.attempts),
    )
    return dict(zip(COLUMNS, values, strict=True)) | {tag_column(name): text for name, text in item.tags.items()}


def tag_column(name: str) -> str:
    """Name of the column of a tag.

    >>> tag_column("level"), tag_column("task")
    ('level', 'tag_task')
    """
    return f"tag_{name}" if name in COLUMNS else name


def describe_source(source: Source) -> str:
    """A clip in one line: its file, the member or cell in it, and the stretch of it in seconds.

    >>> from earmark.types import Clip
    >>> describe_source(Clip("a.zip", member="b.wav", start=1.5)), describe_source(SynthSpec("tone", {"level": -20}))
    ('a.zip#b.wav@1.5-', 'tone(level=-20)')
    """
    if isinstance(source, SynthSpec):
        settings = ", ".join(f"{name}={value}" for name, value in source.settings.items())
        return f"{source.generator}({settings})"
    inner = source.member or (f"{source.column}[{source.row}]" if source.row is not None else "")
    end = "" if source.end is None else f"{source.end:g}"
    stretch = f"@{source.start:g}-{end}" if source.start or source.end is not None else ""
    return f"{source.path}{'#' * bool(inner)}{inner}{stretch}"


def csv_cells(values: Mapping[str, Any]) -> list[Any]:
    """Values of a line as cells of CSV: lists as JSON or joined by |, texts that are formulas escaped."""
    cells: list[Any] = []
    for name, value in values.items():
        kind = type(value)
        if kind is str:
            cells.append(escape_formula(value) if value[:1] in FORMULA_STARTS else value)
        elif kind is tuple or kind is dict:
            cells.append(escape_formula("|".join(value) if name in IN_ONE_CELL else _ENCODE(value).decode()))
        else:
            cells.append(int(value) if kind is bool else value)
    return cells


_ENCODE: Final = msgspec.json.Encoder().encode


class SampleTable:
    """A CSV of scored records that is being written. Tags that come late get their columns at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO = path.open("w", encoding="utf-8", newline="")
        self._writer: Any = csv.writer(self._file)
        self._columns: list[str] = []
        self._n_written = 0  # columns of the header as it stands in the file

    def add(self, record: Record, line: ScoreLine) -> None:
        """Write the line of a scored record."""
        values = sample_values(record, line)
        if list(values) != self._columns:
            self._add_columns(values if self._columns else (*COLUMNS, *values))
            values = {name: values.get(name) for name in self._columns}
        self._writer.writerow(csv_cells(values))

    def add_block(self, block: SampleBlock) -> None:
        """Write lines that were made elsewhere."""
        self._add_columns(block.columns)
        if list(block.columns) == self._columns:
            self._file.write(block.text)
            return
        for cells in csv.reader(io.StringIO(block.text, newline="")):
            by_name = dict(zip(block.columns, cells, strict=True))
            self._writer.writerow([by_name.get(name, "") for name in self._columns])

    def _add_columns(self, names: Iterable[str]) -> None:
        self._columns += dict.fromkeys(name for name in names if name not in self._columns)
        if not self._n_written:
            self._writer.writerow(self._columns)
            self._n_written = len(self._columns)

    def close(self) -> None:
        """Close the file; where tags came late, write it anew with all columns."""
        self._file.close()
        if self._n_written < len(self._columns):
            with self._path.open(encoding="utf-8", newline="") as file:
                rows = csv.reader(file)
                next(rows)
                write_csv(self._path, self._columns, _padded(rows, len(self._columns)), exact=True)


def _padded(rows: Iterator[Sequence[str]], width: int) -> Iterator[list[str]]:
    return ([*row, *[""] * (width - len(row))] for row in rows)


class SampleBlock(NamedTuple):
    """Lines of a table with the columns that they need, to be put into one that may have others."""

    columns: tuple[str, ...]
    text: str  # CSV without a header


class SampleBlocks:
    """Lines of the tables of several tasks, in memory."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def add(self, record: Record, line: ScoreLine) -> None:
        """Add the line of a scored record."""
        self._rows.setdefault(line.task, []).append(sample_values(record, line))

    def blocks(self) -> dict[str, SampleBlock]:
        """The lines of each task, with the columns of its table as far as these lines tell."""
        made = {}
        for task, rows in self._rows.items():
            columns = tuple(dict.fromkeys((*COLUMNS, *(name for row in rows for name in row))))
            text = io.StringIO(newline="")
            writer = csv.writer(text)
            aligned = (row if tuple(row) == columns else {name: row.get(name) for name in columns} for row in rows)
            writer.writerows(map(csv_cells, aligned))
            made[task] = SampleBlock(columns, text.getvalue())
        return made


class SampleWriters:
    """Context with a writer of samples/<task>.csv for each task."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "samples"
        self._open: dict[str, SampleTable] = {}

    def __enter__(self) -> Self:
        self._folder.mkdir(exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        for table in self._open.values():
            table.close()

    def add(self, record: Record, line: ScoreLine) -> None:
        """Write the line of a scored record."""
        self._table(line.task).add(record, line)

    def add_blocks(self, blocks: Mapping[str, SampleBlock]) -> None:
        """Write lines that were made elsewhere, by task."""
        for task, block in blocks.items():
            self._table(task).add_block(block)

    def _table(self, task: str) -> SampleTable:
        if task not in self._open:
            self._open[task] = SampleTable(self._folder / f"{safe_name(task)}.csv")
        return self._open[task]
