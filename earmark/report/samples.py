"""Scored records as lines of a table: samples/TASK.csv of a run, and its exports."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, Self, TextIO, TypeVar

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
LINE_END: Final = "\r\n"


def item_value(metric: Metric, counts: Mapping[str, float]) -> float | None:
    """The value of a metric on one item alone; None where it is not defined.

    >>> from earmark.stats.ratio import ratio
    >>> item_value(ratio("right", "n"), {"right": 1.0, "n": 1.0}), item_value(ratio("right", "n"), {})
    (1.0, None)
    """
    if metric.share:
        top, bottom = counts.get(metric.share[0], 0.0), counts.get(metric.share[1], 0.0)
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


def csv_line(record: Record, line: ScoreLine, tags: Iterable[str]) -> str:
    """A scored record as a line of CSV without its end, as `csv.writer` would write it: the columns, then tags.

    Targets and transcripts are joined by |, other lists are JSON, and texts that are formulas are escaped. `csv.writer`
    takes longer for a line than decoding, scoring and encoding its record together.
    """
    item, response, failure = record.item, record.response, record.failure
    right = "" if line.right is None else "01"[line.right]
    value = "" if line.value is None else line.value
    name = _cell(item.id)
    group = name if item.group == item.id else _cell(item.group)
    what = f"{_known_cell(line.task)},{name},{_known_cell(line.condition)},{line.repeat},{group}"
    answer = _known_cell(line.answer or "")
    by = f"{_known_cell(line.scorer)},{line.state},{right},{value},{_known_cell('|'.join(item.targets))},{answer}"
    reply = heard = seconds = ""
    if response:
        reply, heard, seconds = _cell(response.text), _known_cell("|".join(response.transcripts)), f"{response.seconds}"
    reading = f"{_json_cell(line.counts)},{_known_cell(line.rule)},{_cell(item.question)},{reply},{heard}"
    audio = f"{_json_cell(item.choices)},{_json_cell([describe_source(clip) for clip in item.clips])}"
    end = f"{_cell(failure.message) if failure else ''},{seconds},{record.attempts}"
    return ",".join((what, by, reading, audio, end, *map(_known_cell, tags)))


def _cell(text: str) -> str:
    """A text as `csv.writer` writes it, a formula escaped."""
    if text[:1] in FORMULA_STARTS:
        text = escape_formula(text)
    if '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return f'"{text}"' if "," in text or "\n" in text or "\r" in text else text


_known_cell = lru_cache(maxsize=1024)(_cell)  # of texts that mostly come again
_encode: Final = msgspec.json.Encoder().encode


def _json_cell(values: Mapping[str, float] | Sequence[str]) -> str:
    """A list or a mapping as a cell of JSON."""
    text = _encode(values).decode()
    return '"' + text.replace('"', '""') + '"' if values else text


File = TypeVar("File", bound=TextIO)


class SampleBlock(NamedTuple):
    """Lines of a table with the columns that they need, to be put into one that may have others."""

    columns: tuple[str, ...]
    text: str  # CSV without a header


class SampleLines(Generic[File]):
    """Lines of a table as they come; one that was written before a tag's column was added is shorter."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.columns = list(COLUMNS)
        self.is_ragged = False  # lines were written before a column was added
        self._orders: dict[tuple[str, ...], list[str | None]] = {}  # an item's tags -> the tag of each added column

    def add(self, record: Record, line: ScoreLine) -> None:
        """Write the line of a scored record."""
        tags = record.item.tags
        names = tuple(tags)
        if names not in self._orders:
            self._orders[names] = self._order(names)
        texts = ["" if name is None else tags[name] for name in self._orders[names]]
        self.file.write(csv_line(record, line, texts) + LINE_END)

    def _order(self, names: Sequence[str]) -> list[str | None]:
        by_column = {tag_column(name): name for name in names}
        n_columns = len(self.columns)
        self.add_columns(by_column)
        self.is_ragged |= bool(self._orders) and len(self.columns) > n_columns
        return [by_column.get(column) for column in self.columns[len(COLUMNS) :]]

    def add_columns(self, names: Iterable[str]) -> None:
        """Add those columns that are not there yet."""
        self.columns += dict.fromkeys(name for name in names if name not in self.columns)


class SampleTable(SampleLines[TextIO]):
    """A CSV of scored records that is being written. Tags that come late get their columns at the end."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.open("w", encoding="utf-8", newline=""))
        self._path = path
        self._n_written = 0  # columns of the header as it stands in the file

    def add_columns(self, names: Iterable[str]) -> None:
        """Add columns; the header is written with the first line."""
        super().add_columns(names)
        if not self._n_written:
            csv.writer(self.file).writerow(self.columns)
            self._n_written = len(self.columns)

    def add_block(self, block: SampleBlock) -> None:
        """Write lines that were made elsewhere."""
        self.add_columns(block.columns)
        if list(block.columns) == self.columns:
            self.file.write(block.text)
            return
        for cells in csv.reader(io.StringIO(block.text, newline="")):
            by_name = dict(zip(block.columns, cells, strict=True))
            csv.writer(self.file).writerow([by_name.get(name, "") for name in self.columns])

    def close(self) -> None:
        """Close the file; where tags came late, write it anew with all columns."""
        self.file.close()
        if self._n_written < len(self.columns):
            with self._path.open(encoding="utf-8", newline="") as file:
                rows = csv.reader(file)
                next(rows)
                write_csv(self._path, self.columns, _padded(rows, len(self.columns)), exact=True)


def _padded(rows: Iterator[Sequence[str]], width: int) -> Iterator[list[str]]:
    return ([*row, *[""] * (width - len(row))] for row in rows)


class SampleBlocks:
    """Lines of the tables of several tasks, in memory."""

    def __init__(self) -> None:
        self._lines: dict[str, SampleLines[io.StringIO]] = {}

    def add(self, record: Record, line: ScoreLine) -> None:
        """Add the line of a scored record."""
        if line.task not in self._lines:
            self._lines[line.task] = SampleLines(io.StringIO(newline=""))
        self._lines[line.task].add(record, line)

    def blocks(self) -> dict[str, SampleBlock]:
        """The lines of each task, with the columns of its table as far as these lines tell."""
        blocks = {}
        for task, lines in self._lines.items():
            file = lines.file
            if lines.is_ragged:
                rows = csv.reader(io.StringIO(file.getvalue(), newline=""))
                file = io.StringIO(newline="")
                csv.writer(file).writerows(_padded(rows, len(lines.columns)))
            blocks[task] = SampleBlock(tuple(lines.columns), file.getvalue())
        return blocks


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
