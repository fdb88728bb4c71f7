"""The barrier: a bug costs one item, and what is no bug of one item passes."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from earmark.engine.barrier import FILE, MESSAGE_LENGTH, Barrier, Tracebacks
from earmark.errors import BadData, EarmarkError, RunStopped, Transient


def caught(error: Exception) -> Barrier:
    barrier = Barrier()
    with barrier:
        raise error
    return barrier


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), OSError(errno.ENOENT, "gone"), RecursionError()])
def test_a_bug_is_held_back_and_kept(error: Exception) -> None:
    assert caught(error).error is error


@pytest.mark.parametrize(
    "error",
    [
        BadData("x"),
        Transient("x", 1.0),
        RunStopped("x"),
        ExceptionGroup("many", [ValueError("x"), BadData("y")]),
        OSError(errno.ENOSPC, "full"),
        KeyboardInterrupt(),
        SystemExit(3),
    ],
    ids=repr,
)
def test_errors_of_ours_a_full_disk_and_interrupts_pass(error: BaseException) -> None:
    barrier = Barrier()
    with pytest.raises(type(error)) as raised, barrier:
        raise error
    assert raised.value is error
    assert barrier.error is None


def test_what_raises_nothing_holds_nothing() -> None:
    with Barrier() as barrier:
        pass
    assert barrier.error is None
    with pytest.raises(AssertionError, match="holds nothing back"):
        Tracebacks().add(barrier, "item 1")


def test_a_failure_says_what_was_raised_and_where_its_traceback_is(tmp_path: Path) -> None:
    failure = Tracebacks(tmp_path).failure(caught(ValueError("no\n  such   thing")), "t, item 1", attempts=3)
    assert failure.message == f"ValueError: no such thing; a bug, its traceback is in {FILE}"
    assert (failure.state, failure.attempts) == ("request-failed", 3)
    written = (tmp_path / FILE).read_text(encoding="utf-8")
    assert written.startswith("t, item 1\nTraceback (most recent call last)")
    assert "raise error" in written
    assert Tracebacks().failure(caught(ValueError("x")), "t").message == "ValueError: x; a bug"


def test_one_place_is_written_once_and_another_anew(tmp_path: Path) -> None:
    tracebacks = Tracebacks(tmp_path)
    for at in range(3):
        tracebacks.add(caught(ValueError(str(at))), f"item {at}")
    tracebacks.add(caught(KeyError("x")), "item 9")
    titles = [line for line in (tmp_path / FILE).read_text().splitlines() if line.startswith("item ")]
    assert titles == ["item 0", "item 9"]


def test_a_long_message_is_cut_and_letters_that_cannot_be_written_are_replaced(tmp_path: Path) -> None:
    said = Tracebacks(tmp_path).add(caught(EOFError("\ud800" + "x" * 10_000)), "item \udcff")
    assert said.startswith("EOFError: \ufffdxxx")
    assert said.partition(";")[0].count("x") == MESSAGE_LENGTH - 1
    assert (tmp_path / FILE).read_bytes().startswith(b"item \\udcff\n")


def test_a_bug_is_no_error_of_ours() -> None:
    assert not isinstance(caught(ValueError()).error, EarmarkError)
