"""The table of a run: what counts of a journal, and what is asked of it."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest
from viewed_runs import NAME, failed, record, score, six, write_lines, write_run

from earmark.errors import BadData
from earmark.types import Item, Response
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.results import Results
from earmark.viewer.table import RunTable


def test_right_wrong_and_unread(tmp_path: Path) -> None:
    table = RunTable(six(tmp_path))
    rows = table.page(EVERYTHING, Order())
    assert [row["right"] for row in rows] == [True, True, True, False, False, False]
    assert [row["state"] for row in rows].count("unparsed") == 1
    assert [row["id"] for row in table.page(Filters(mark="wrong"), Order())] == ["item-3", "item-4", "item-5"]


def test_a_failure_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    table = RunTable(write_run(tmp_path, [record(0), failed(1)]))
    assert table.count(Filters(mark="right")) == 1
    assert table.count(Filters(mark="wrong")) == 0
    assert table.count(Filters(state=("request-failed",))) == 1
    assert table.count(Filters(failure="the server is away")) == 1


def test_filters_orders_and_pages(tmp_path: Path) -> None:
    table = RunTable(six(tmp_path))
    assert table.count(Filters(search="CANNOT")) == 1
    assert table.count(Filters(tags=(("level", "hard"),))) == 2
    assert table.count(Filters(answer="(none)")) == 1
    slow = table.page(EVERYTHING, Order("seconds", descending=True, limit=2, offset=2))
    assert [row["id"] for row in slow] == ["item-3", "item-2"]
    assert table.page(EVERYTHING, Order(offset=100)) == []


def test_the_last_line_about_a_question_counts(tmp_path: Path) -> None:
    """A run that was killed and resumed shows each question once."""
    run = write_run(tmp_path, [failed(0), record(1), record(0, "B")], scored=False)
    table = RunTable(run)
    assert table.count() == 2
    line = table.find_line("all", "item-0", "plain", 0)
    assert line == 3
    assert table.record(line).response == record(0, "B").response


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    run = six(tmp_path)
    with (run / "responses.jsonl").open("ab") as file:
        file.write(b'{"item":{"id":"torn","task":"a')
    assert RunTable(run).count() == 6


@pytest.mark.parametrize("line", [b"{", b"[1]", b'{"condition":"plain"}', b"\xff\xfe"])
def test_another_broken_line_is_told_by_its_number(tmp_path: Path, line: bytes) -> None:
    run = six(tmp_path)
    lines = (run / "responses.jsonl").read_bytes().splitlines(keepends=True)
    (run / "responses.jsonl").write_bytes(b"".join([*lines[:3], line + b"\n", *lines[3:]]))
    with pytest.raises(BadData, match="line 4: is no record"):
        RunTable(run)


def test_a_broken_line_of_scores_is_told(tmp_path: Path) -> None:
    run = six(tmp_path)
    with (run / "scores.jsonl").open("ab") as file:
        file.write(b"nonsense\n")
    with pytest.raises(BadData, match=r"scores\.jsonl, line 7"):
        RunTable(run)


def test_a_run_of_nothing(tmp_path: Path) -> None:
    table = RunTable(write_run(tmp_path, [], scored=False))
    assert table.count() == 0
    assert table.page(EVERYTHING, Order()) == []


def test_lines_that_are_added_come_in(tmp_path: Path) -> None:
    run = write_run(tmp_path, [failed(0), record(1)], scored=False)
    table = RunTable(run)
    write_lines(run / "responses.jsonl", [failed(0), record(1), record(0, "B"), record(2)], tail=b'{"item"')
    assert table.refresh() == [3, 4]
    assert table.refresh() == []
    assert table.count() == 3
    table.add_scores([score(record(0), "B"), score(record(2), "A")])
    assert table.count(Filters(mark="wrong")) == 1
    assert table.count(Filters(mark="right")) == 1
    with (run / "responses.jsonl").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(BadData, match="line 5: is no record"):
        table.refresh()


def test_long_and_odd_texts(tmp_path: Path) -> None:
    reply = "\u202eword <script>" + "x" * 1_000_000
    long = msgspec.structs.replace(record(0), item=Item("i" * 500, "all"), response=Response(reply))
    table = RunTable(write_run(tmp_path, [long, record(1)], scored=False))
    row = table.page(EVERYTHING, Order())[0]
    assert row["id"] == "i" * 500
    assert len(row["reply"]) == 160
    assert table.record(1).response == Response(reply)


def test_neighbours_in_a_filtered_list(tmp_path: Path) -> None:
    table = RunTable(six(tmp_path))
    index, (before, after) = table.neighbours(Filters(mark="wrong"), Order(), 5)
    assert index == 1
    assert before is not None
    assert after is not None
    assert (before["id"], after["id"]) == ("item-3", "item-5")
    assert table.neighbours(Filters(mark="right"), Order(), 5) == (-1, [None, None])


def test_ten_requests_open_one_table(tmp_path: Path) -> None:
    six(tmp_path)
    results = Results(tmp_path)
    tables: list[RunTable] = []
    threads = [threading.Thread(target=lambda: tables.append(results.table(NAME))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tables) == 10
    assert len(set(map(id, tables))) == 1


def test_a_run_that_is_scored_again_has_a_new_table(tmp_path: Path) -> None:
    run = six(tmp_path)
    results = Results(tmp_path)
    before = results.table(NAME)
    records = [record(number) for number in range(6)]
    write_lines(run / "scores.jsonl", [*(score(line, line.item.targets[0]) for line in records)])
    after = results.table(NAME)
    assert after is not before
    assert after.count(Filters(mark="right")) == 6
