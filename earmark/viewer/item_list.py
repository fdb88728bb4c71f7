"""Items of one run or of several beside each other, as the terminal lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from earmark.data.prompt_words import WORDS_FILE, PromptWords, find_words
from earmark.errors import BadData
from earmark.journal import Record, ScoreLine
from earmark.report.rows import Metrics
from earmark.runs.signature import load_signature
from earmark.types import ImportedVerdict, replace
from earmark.viewer.compare_page import Key, copy_column, load_marks, split
from earmark.viewer.filters import EVERYTHING, Filters, Order, order_by
from earmark.viewer.item_page import record_page
from earmark.viewer.results import metrics_of, open_table, to_plain
from earmark.viewer.table import RunTable

MAX_RUNS: Final = 4
Row = dict[str, Any]  # an item as a list shows it


class RunItem(NamedTuple):
    """The record of an item with all that is known about it."""

    run: Path
    record: Record
    scores: list[ScoreLine]
    verdicts: list[ImportedVerdict]  # of other harnesses
    words: PromptWords | None
    metrics: Metrics | None


class ItemList(NamedTuple):
    """Items that pass the filters: each with its row in every run, None where a run does not have it."""

    runs: list[Path]
    names: list[str]  # of the models
    tables: list[RunTable]
    total: int
    rows: list[list[Row | None]]

    def records(self) -> Iterator[RunItem]:
        """Read the records of the listed items, run by run for each."""
        metrics = [_metrics(run) for run in self.runs]
        for row in self.rows:
            for number, cell in enumerate(row):
                if cell is not None:
                    yield self._record(number, cell, metrics[number])

    def _record(self, number: int, row: Row, metrics: Metrics | None) -> RunItem:
        table, run = self.tables[number], self.runs[number]
        line = table.find_line(row["task"], row["id"], row["condition"], row["repeat"])
        record = table.record(line or 0)
        words = find_words(run / WORDS_FILE, record.words)
        return RunItem(run, record, *table.judgements(record), words, metrics)

    def to_json(self, *, whole: bool) -> dict[str, Any]:
        """Return the list as plain values; `whole`: with all that is known about each item."""
        result: dict[str, Any] = {"runs": [str(run) for run in self.runs], "total": self.total}
        if not whole:
            return result | {"rows": [row[0] if len(self.runs) == 1 else row for row in self.rows]}
        return result | {"items": [describe_item(item) for item in self.records()]}


def describe_item(item: RunItem) -> dict[str, Any]:
    """Describe a record as the page of an item does, with the words that were sent and the verdicts of others."""
    page = record_page(item.record, item.scores, item.verdicts, item.metrics)
    return page | {"run": str(item.run), "words": to_plain(item.words.turns) if item.words else None}


def _metrics(run: Path) -> Metrics | None:
    try:
        return metrics_of(run)
    except BadData:
        return None


def list_items(runs: Sequence[Path], filters: Filters, order: Order, only: str = "") -> ItemList:
    """List the items of runs. The filters are those of the first; `only`: who got them right, of the first two."""
    names = [str(load_signature(run).model["name"]) for run in runs]
    tables = [open_table(run) for run in runs]
    if len(runs) == 1:
        rows: list[list[Row | None]] = [[row] for row in tables[0].page(filters, order)]
        return ItemList(list(runs), names, tables, tables[0].count(filters), rows)
    keys = _shared_keys(tables, filters, order, only)
    shown = keys[order.offset : order.offset + order.limit]
    return ItemList(list(runs), names, tables, len(keys), [[_find(table, key) for table in tables] for key in shown])


def _shared_keys(tables: Sequence[RunTable], filters: Filters, order: Order, only: str) -> list[Key]:
    """Questions of the first run that pass the filters, and that the second has too, in the order of the first."""
    ordered = _load_keys(tables[0], filters, f"order by {order_by(order)}")
    if not only:
        others = _load_keys(tables[1], EVERYTHING)
        return [key for key, is_copy in ordered.items() if key in others and not (is_copy and others[key])]
    parts = split(load_marks(tables[0], filters), load_marks(tables[1], EVERYTHING))
    return [key for key in ordered if parts.get(key) == only]


def _load_keys(table: RunTable, filters: Filters, rest: str = "") -> dict[Key, bool]:
    """Load the questions that pass the filters, and whether another task has a copy of each."""
    select = f"task, id, condition, repeat, {copy_column(filters)}"
    return {(*key,): is_copy for *key, is_copy in table.query(select, replace(filters, copies=True), rest)}


def _find(table: RunTable, key: Key) -> Row | None:
    line = table.find_line(*key)
    return table.rows([line])[0] if line else None
