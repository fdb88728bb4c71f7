"""Items of runs beside each other as data."""

from __future__ import annotations

from pathlib import Path

import msgspec
from viewed_runs import NAME, record, six, write_run

from earmark.journal import Record
from earmark.types import ImportedVerdict, replace
from earmark.viewer.compare_page import compare_page
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.item_list import describe_item, list_items
from earmark.viewer.results import Results
from earmark.viewer.run_page import filter_choices


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


def judged(number: int, judge: str, value: float, reply: str = "A") -> Record:
    """A record of a set that two judges judged: the second under a task of its own."""
    task = "all" if judge == "one" else f"all.{judge}"
    return replace(record(number, reply, task=task), verdicts=(ImportedVerdict(judge, value),))


def imported(root: Path, records: list[Record], name: str = NAME) -> Path:
    run = write_run(root, records, name)
    settings = msgspec.json.decode((run / "run.json").read_bytes())
    settings["benchmark"]["imported"] = True
    (run / "run.json").write_bytes(msgspec.json.encode(settings))
    return run


def test_an_item_that_two_judges_judged_is_listed_once_with_both_verdicts(tmp_path: Path) -> None:
    pairs = [judged(number, judge, number) for number in range(3) for judge in ("one", "two")]
    run = imported(tmp_path, [*pairs, judged(3, "one", 0), judged(3, "two", 1, "B")])
    items = list_items([run], EVERYTHING, Order())
    assert [(row["id"], row["task"]) for (row,) in items.rows if row] == [
        ("item-0", "all"), ("item-1", "all"), ("item-2", "all"), ("item-3", "all"), ("item-3", "all.two"),
    ]  # fmt: skip
    page = describe_item(next(items.records()))
    assert [verdict["measure"] for verdict in page["verdicts"]] == ["one", "two"]
    assert list_items([run], Filters(task="all.two"), Order()).total == 4
    assert filter_choices(items.tables[0])["copies"] == 3
    assert filter_choices(items.tables[0])["task"] == ["all", "all.two"]


def test_a_run_that_was_made_here_has_no_copies(tmp_path: Path) -> None:
    run = write_run(tmp_path, [record(0, task="all"), record(0, task="all.two")])
    assert list_items([run], EVERYTHING, Order()).total == 2


def test_what_is_a_copy_in_one_run_alone_is_compared(tmp_path: Path) -> None:
    first = imported(tmp_path, [judged(number, judge, 1) for number in range(2) for judge in ("one", "two")])
    replies = {"one": "A", "two": "B"}
    second = imported(
        tmp_path,
        [judged(0, "one", 1), judged(0, "two", 1), *(judged(1, judge, 1, reply) for judge, reply in replies.items())],
        "other/bench/2026-02-01_00-00-00",
    )
    keys = [(row[0]["id"], row[0]["task"]) for row in list_items([first, second], EVERYTHING, Order()).rows if row[0]]
    assert keys == [("item-0", "all"), ("item-1", "all"), ("item-1", "all.two")]
    only = list_items([first, second], EVERYTHING, Order(), "second")
    assert [row[0] and row[0]["task"] for row in only.rows] == ["all.two"]
    counts = compare_page(Results(tmp_path), [NAME, "other/bench/2026-02-01_00-00-00"], EVERYTHING)["counts"]
    assert counts == {"both": 1, "neither": 1, "second": 1}
