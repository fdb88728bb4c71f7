"""Items of one run or of several beside each other, as the terminal lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from earmark.data.prompt_words import WORDS_FILE, PromptWords, find_words
from earmark.errors import BadData
from earmark.journal import Record, ScoreLine
from earmark.report.rows import Metrics
from earmark.runs.rundir import AUDIOGRAM_NAME
from earmark.runs.signature import load_signature
from earmark.viewer.compare_page import Key, load_marks, split
from earmark.viewer.filters import EVERYTHING, Filters, Order, order_by
from earmark.viewer.item_page import record_page
from earmark.viewer.results import metrics_of, scorer_labels, to_plain
from earmark.viewer.table import RunTable

MAX_RUNS: Final = 4
Row = dict[str, Any]  # an item as a list shows it


class RunItem(NamedTuple):
    """The record of an item with all that is known about it."""

    run: Path
    record: Record
    scores: list[ScoreLine]
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
        return RunItem(run, record, table.scores(record), find_words(run / WORDS_FILE, record.words), metrics)

    def to_json(self, *, whole: bool) -> dict[str, Any]:
        """Return the list as plain values; `whole`: with all that is known about each item."""
        result: dict[str, Any] = {"runs": [str(run) for run in self.runs], "total": self.total}
        if not whole:
            return result | {"rows": [row[0] if len(self.runs) == 1 else row for row in self.rows]}
        return result | {"items": [describe_item(item) for item in self.records()]}


def describe_item(item: RunItem) -> dict[str, Any]:
    """Describe a record as the page of an item does, with the words that were sent and the verdicts of others."""
    page = record_page(item.record, item.scores, item.metrics)
    words = to_plain(item.words.turns) if item.words else None
    return page | {"run": str(item.run), "words": words, "verdicts": to_plain(item.record.all_verdicts)}


def _metrics(run: Path) -> Metrics | None:
    try:
        return metrics_of(run)
    except BadData:
        return None


def list_items(runs: Sequence[Path], filters: Filters, order: Order, only: str = "") -> ItemList:
    """List the items of runs. The filters are those of the first; `only`: who got them right, of the first two."""
    names = [str(load_signature(run).model["name"]) for run in runs]
    tables = [RunTable(run, [] if _is_audiogram(run) else scorer_labels(run)) for run in runs]
    if len(runs) == 1:
        rows: list[list[Row | None]] = [[row] for row in tables[0].page(filters, order)]
        return ItemList(list(runs), names, tables, tables[0].count(filters), rows)
    keys = _shared_keys(tables, filters, order, only)
    shown = keys[order.offset : order.offset + order.limit]
    return ItemList(list(runs), names, tables, len(keys), [[_find(table, key) for table in tables] for key in shown])


def _is_audiogram(run: Path) -> bool:
    return bool(load_signature(run).benchmark["name"] == AUDIOGRAM_NAME)


def _shared_keys(tables: Sequence[RunTable], filters: Filters, order: Order, only: str) -> list[Key]:
    """Questions of the first run that pass the filters, and that the second has too, in the order of the first."""
    key = "task, id, condition, repeat"
    ordered: list[Key] = [(*row,) for row in tables[0].query(key, filters, f"order by {order_by(order)}")]
    if not only:
        others: set[Key] = {(*row,) for row in tables[1].query(key)}
        return [each for each in ordered if each in others]
    parts = split(load_marks(tables[0], filters), load_marks(tables[1], EVERYTHING))
    return [each for each in ordered if parts.get(each) == only]


def _find(table: RunTable, key: Key) -> Row | None:
    line = table.find_line(*key)
    return table.rows([line])[0] if line else None
