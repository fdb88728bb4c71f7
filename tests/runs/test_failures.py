"""The commonest reasons of failures."""

from __future__ import annotations

from pathlib import Path

from earmark.data.plain import encode_line
from earmark.journal import JOURNAL_FILE, Record
from earmark.runs.failures import failure_reasons, reason_lines
from earmark.types import Clip, Failure, Item, Response


def item(name: str) -> Item:
    return Item(name, "t", clips=(Clip("x.wav", name=f"{name}.wav"),))


def test_reasons_that_differ_in_names_and_numbers_are_one(tmp_path: Path) -> None:
    records = [
        Record(item("a1"), failure=Failure("sound-failed", "a1.wav: lasts 45.00 s, the model hears 30 s")),
        Record(item("b"), failure=Failure("request-failed", "HTTP 500: broke")),
        Record(item("c2"), failure=Failure("sound-failed", "c2.wav: lasts 31.50 s, the model hears 30 s")),
        Record(item("d"), response=Response("yes")),
        Record(item("e"), failure=Failure("request-failed", "no answer")),
        Record(Item("f", "t", state="error", reason="no words"), failure=Failure("request-failed", "no words")),
    ]
    (tmp_path / JOURNAL_FILE).write_bytes(b"".join(map(encode_line, records)))
    assert [tuple(reason) for reason in failure_reasons(tmp_path)] == [
        (2, "a1.wav: lasts 45.00 s, the model hears 30 s"),
        (1, "HTTP 500: broke"),
        (1, "no answer"),
    ]
    assert reason_lines(tmp_path) == [
        "failed 2 of 4: a1.wav: lasts 45.00 s, the model hears 30 s",
        "failed 1 of 4: HTTP 500: broke",
        f"failed 1 of 4: for 1 other reasons; earmark export {tmp_path} --to csv",
        f"ask them again with: earmark retry {tmp_path}",
    ]


def test_a_run_without_failures_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_bytes(encode_line(Record(item("a"), response=Response("yes"))))
    assert reason_lines(tmp_path) == []
