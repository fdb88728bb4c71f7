"""The journal: whole lines, a torn last one mended, the last line about a question counting."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from earmark.errors import BadData
from earmark.journal import Journal, Record, latest_mask, load_completed, question_key, read_journal
from earmark.types import Failure, Item, Response


def write(path: Path, *records: Record) -> list[Record]:
    told: list[Record] = []

    async def run() -> None:
        journal = Journal(path, told.append)
        for record in records:
            journal.append(record)
        await journal.close()

    asyncio.run(run())
    return told


def answer(item: str, text: str = "A") -> Record:
    return Record(Item(item, "t"), response=Response(text))


def failure(item: str, *, final: bool) -> Record:
    return Record(Item(item, "t"), failure=Failure("request-failed", "no", final=final))


def test_what_is_told_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    told = write(path, answer("1"), answer("2"))
    assert told == list(read_journal(path)) == [answer("1"), answer("2")]


def test_a_torn_last_line_is_mended_and_its_item_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    write(path, answer("1"), answer("2"), answer("3"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert [r.item.id for r in read_journal(path)] == ["1", "2"]
    write(path, answer("3"), answer("4"))
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["item"]["id"] for line in lines] == ["1", "2", "3", "4"]


def test_a_journal_torn_in_its_first_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"item":{"id":"1"')
    write(path, answer("1"))
    assert list(read_journal(path)) == [answer("1")]


def test_every_cut_leaves_only_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    write(path, answer("1"), answer("2"))
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        before = len(list(read_journal(path)))
        write(path, answer("9"))
        assert [r.item.id for r in read_journal(path)] == [*["1", "2"][:before], "9"]


def test_a_failure_that_may_pass_is_not_settled(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    write(path, answer("1"), failure("2", final=False), failure("3", final=True))
    done = load_completed(path)[0]
    assert [question_key("t", name, "plain", 0) in done for name in "123"] == [True, False, True]
    write(path, answer("2"))
    assert question_key("t", "2", "plain", 0) in load_completed(path)[0]
    assert list(latest_mask(path)) == [True, False, True, True]


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"my notes\nmore\n")
    with pytest.raises(BadData, match="no journal"):
        write(path)
    assert path.read_bytes() == b"my notes\nmore\n"


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    write(path, answer("1"), answer("2"))
    path.write_bytes(path.read_bytes().replace(b'"id":"1"', b'"id":1  '))
    with pytest.raises(BadData, match="line 1"):
        list(read_journal(path))
