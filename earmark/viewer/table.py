"""The items of a run as a table in memory, for queries: made once, behind a lock, from the journal and the scores.

A line that a writer has not finished yet is left out; any other line that is no record is told by its number. The last
line about a question counts. The whole record of an item is read from the journal at the place of its line. The table
of a run in progress takes in the lines that were added since, and scores of its own making.
"""

from __future__ import annotations

import mmap
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec
import numpy as np
import numpy.typing as npt

from earmark.data.plain import encode_line
from earmark.errors import BadData
from earmark.journal import JOURNAL_FILE, SCORES_FILE, Record, ScoreLine
from earmark.types import ImportedVerdict, replace
from earmark.viewer import _sql as sql
from earmark.viewer.filters import EVERYTHING, Filters, Order, order_by, where

MIN_OBJECT: Final = 1 << 20  # bytes of a line that DuckDB makes room for, at least


class Lines:
    """Places of the whole lines of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ends: npt.NDArray[np.int64] = _line_ends(path)

    def __len__(self) -> int:
        return int(self.ends.size)

    @property
    def longest(self) -> int:
        """Bytes of the longest line."""
        return int(np.diff(self.ends, prepend=0).max()) if self.ends.size else 0

    def read(self, number: int) -> bytes:
        """Read a line by its number, from 1."""
        return self.read_range(number - 1, number)

    def read_range(self, first: int, last: int) -> bytes:
        """Read the lines after number `first`, up to number `last`."""
        start = int(self.ends[first - 1]) if first else 0
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(int(self.ends[last - 1]) - start)


def _room(lines: Lines) -> int:
    """Return the bytes that DuckDB makes room for, for the longest line."""
    return max(MIN_OBJECT, lines.longest + 1024)


def _line_ends(path: Path) -> npt.NDArray[np.int64]:
    if not path.exists() or not path.stat().st_size:
        return np.zeros(0, np.int64)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        blocks = []
        for start in range(0, len(data), 1 << 24):
            block = np.frombuffer(data[start : start + (1 << 24)], np.uint8)
            blocks.append(np.flatnonzero(block == ord("\n")) + start + 1)
        return np.concatenate(blocks)


class RunTable:
    """The table of one run. Its queries may be made from any thread."""

    def __init__(self, run: Path, scorers: Sequence[str] = (), *, imported: bool = False) -> None:
        """`scorers` are the labels of the run's scorers, the one that counts first. In an imported run several tasks
        may have the same replies.
        """
        self.run = run
        self._scorers = list(scorers)
        self._lock = threading.Lock()
        self._database = duckdb.connect(":memory:", config={"threads": 2})
        self._database.execute(sql.EMPTY)
        self.lines = Lines(run / JOURNAL_FILE)
        score_lines = Lines(run / SCORES_FILE)
        if len(score_lines):
            self._read_scores(run / SCORES_FILE, score_lines)
        self.n_written_scores = len(score_lines)
        if len(self.lines):
            self._read_items(run / JOURNAL_FILE, self.lines)
        self._database.execute(sql.USE_SCORES)
        if imported:
            self._database.execute(sql.FIND_COPIES)

    def _read_scores(self, path: Path, lines: Lines) -> None:
        self._database.execute(sql.SCORES, [0, str(path), _room(lines), len(lines)])
        self._check("scores", path)

    def _read_items(self, path: Path, lines: Lines, before: int = 0) -> None:
        """Add the items of lines of the journal, of which `before` were read already."""
        values = [before, str(path), _room(lines), self._scorers, before + len(lines)]
        self._database.execute("begin")
        try:
            self._database.execute(sql.ITEMS, values)
            self._check("items", self.run / JOURNAL_FILE)
            self._database.execute(sql.KEEP_LATEST)
        except BadData:
            self._database.execute("rollback")
            raise
        self._database.execute("commit")

    def _check(self, table: str, path: Path) -> None:
        """Raise BadData for a line that is no record."""
        query = f"select min(line) from {table} where id is null"  # noqa: S608 - the name of one of our tables
        number = self._database.execute(query).fetchall()[0][0]
        if number is not None:
            raise BadData(f"{path}, line {number}: is no record of a run; restore the file from a copy")

    def refresh(self) -> list[int]:
        """Take in the lines that were added to the journal; return their numbers."""
        with self._lock:
            before, lines = len(self.lines), Lines(self.run / JOURNAL_FILE)
            if len(lines) <= before:
                return []
            with tempfile.NamedTemporaryFile(suffix=".jsonl") as added:
                added.write(lines.read_range(before, len(lines)))
                added.flush()
                self._read_items(Path(added.name), Lines(Path(added.name)), before)
            self.lines = lines
            return list(range(before + 1, len(lines) + 1))

    def add_scores(self, scores: Iterable[ScoreLine]) -> None:
        """Add scores that no file holds: of the answers of a run in progress."""
        with self._lock, tempfile.NamedTemporaryFile(suffix=".jsonl") as added:
            added.writelines(encode_line(score) for score in scores)
            added.flush()
            self._read_scores(Path(added.name), Lines(Path(added.name)))
            self._database.execute(sql.SCORE_ITEMS, [self._scorers])
            self._database.execute(sql.USE_SCORES)

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        with self._lock:
            return self._database.execute(statement, values).fetchall()

    def query(
        self, select: str, filters: Filters = EVERYTHING, rest: str = "", *, source: str = "items"
    ) -> list[tuple[Any, ...]]:
        """Select from the items that pass the filters."""
        clause = where(filters)
        return self.fetch(f"select {select} from {source} where {clause.sql} {rest}", clause.values)  # noqa: S608

    def count(self, filters: Filters = EVERYTHING) -> int:
        """Count the items that pass the filters."""
        return int(self.query("count(*)", filters)[0][0])

    def page(self, filters: Filters, order: Order) -> list[dict[str, Any]]:
        """Return a page of the items that pass the filters: first their places alone, then their rows."""
        rest = f"order by {order_by(order)} limit {order.limit} offset {order.offset}"
        return self.rows([place for (place,) in self.query("line", filters, rest)])

    def listing(self, filters: Filters, order: Order) -> tuple[int, list[dict[str, Any]]]:
        """Count the items that pass the filters, and return a page of them; a filter is applied once for both."""
        if not filters:
            return self.count(), self.page(filters, order)
        places = [place for (place,) in self.query("line", filters, f"order by {order_by(order)}")]
        return len(places), self.rows(places[order.offset : order.offset + order.limit])

    def rows(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """Return the items of some lines of the journal, in that order, as a list shows them."""
        if not places:
            return []
        marks = ", ".join("?" * len(places))
        statement = f"select line, {sql.LIST_SQL} from items where line in ({marks})"  # noqa: S608
        rows = {row[0]: dict(zip(sql.LIST_COLUMNS, row[1:], strict=True)) for row in self.fetch(statement, places)}
        return [rows[place] for place in places if place in rows]

    def neighbours(self, filters: Filters, order: Order, line: int) -> tuple[int, list[dict[str, Any] | None]]:
        """Return the place of an item in a list, from 0, or -1 where it is not in it, and the items beside it."""
        if order.sort or order.descending:
            places = [place for (place,) in self.query("line", filters, f"order by {order_by(order)}")]
            index = places.index(line) if line in places else -1
            before = places[index - 1] if index > 0 else None
            after = places[index + 1] if 0 <= index < len(places) - 1 else None
        else:
            select = f"""count(*) filter (line < {line}), max(line) filter (line < {line}),
                         min(line) filter (line > {line}), count(*) filter (line = {line})"""
            index, before, after, is_there = self.query(select, filters)[0]
            index, before, after = (index, before, after) if is_there else (-1, None, None)
        rows = iter(self.rows([place for place in (before, after) if place is not None]))
        return index, [None if place is None else next(rows) for place in (before, after)]

    def find_line(self, task: str, item: str, condition: str, repeat: int) -> int | None:
        """Return the number of the line of a question, or None."""
        statement = "select line from items where task = ? and id = ? and condition = ? and repeat = ?"
        rows = self.fetch(statement, [task, item, condition, repeat])
        return int(rows[0][0]) if rows else None

    def same_item(self, item: str, task: str = "") -> list[dict[str, Any]]:
        """Return an item wherever it was asked: its conditions and repeats, of one task or of all that have it."""
        rows = self.fetch("select line from items where id = ? and ? in ('', task) order by line", [item, task])
        return self.rows([place for (place,) in rows])

    def record(self, line: int) -> Record:
        """Read the whole record in a line of the journal."""
        try:
            return msgspec.json.decode(self.lines.read(line), type=Record)
        except msgspec.DecodeError as error:
            raise BadData(f"{self.run / JOURNAL_FILE}, line {line}: is no record of a run ({error})") from error

    def scores(self, record: Record) -> list[ScoreLine]:
        """Return the scores of a question, by every scorer."""
        statement = """select scorer, state, answer, counts, rule, why, score, right_ from scores
                       where task = ? and id = ? and condition = ? and repeat = ? order by line"""
        key = (record.item.task, record.item.id, record.condition, record.repeat)
        rows = self.fetch(statement, key)
        return [
            ScoreLine(*key, scorer, state, answer, counts or {}, rule or "", why or "", value, right)
            for scorer, state, answer, counts, rule, why, value, right in rows
        ]

    def judgements(self, record: Record) -> tuple[list[ScoreLine], list[ImportedVerdict]]:
        """Return scores and imported verdicts on a reply, also of other tasks that have the same one."""
        line = self.find_line(record.item.task, record.item.id, record.condition, record.repeat)
        statement = """select line from items where line != ? and coalesce(copy_of, line) =
                       (select coalesce(copy_of, line) from items where line = ?) order by line"""
        copies = [self.record(other) for (other,) in self.fetch(statement, [line, line])]
        scores = self.scores(record)
        for score in (score for copy in copies for score in self.scores(copy)):
            if not any(replace(score, task=own.task) == own for own in scores):
                scores.append(score)
        verdicts = [verdict for each in (record, *copies) for verdict in each.all_verdicts]
        return scores, list(dict.fromkeys(verdicts))

    def close(self) -> None:
        """Give the memory back."""
        with self._lock:
            self._database.close()
