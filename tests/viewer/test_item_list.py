"""Items of runs beside each other as data."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import record, six, write_run

from earmark.types import ImportedVerdict, replace
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.item_list import describe_item, list_items


def test_the_items_are_those_that_the_second_run_has_too(tmp_path: Path) -> None:
    first = six(tmp_path)
    second = write_run(tmp_path, [record(number) for number in (1, 5, 9)], "other/bench/2026-02-01_00-00-00")
    items = list_items([first, second], EVERYTHING, Order())
    assert [[cell and cell["id"] for cell in row] for row in items.rows] == [["item-1"] * 2, ["item-5"] * 2]
    three = list_items([first, first, second], EVERYTHING, Order(limit=2))
    assert [[cell and cell["id"] for cell in row] for row in three.rows] == [
        ["item-0", "item-0", None], ["item-1"] * 3,
    ]  # fmt: skip
    assert (three.total, three.names) == (6, ["model", "model", "other"])


def test_an_item_is_described_with_the_verdicts_of_others(tmp_path: Path) -> None:
    judged = replace(record(0), verdicts=(ImportedVerdict("judge", 1.0, explanation="good"),))
    run = write_run(tmp_path, [judged, record(1)])
    (item,) = list_items([run], Filters(id="item-0"), Order()).records()
    page = describe_item(item)
    assert [*page["verdicts"]] == [{"measure": "judge", "value": 1.0, "explanation": "good"}]
    assert (page["words"], page["run"]) == (None, str(run))
