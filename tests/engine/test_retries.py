"""Retries: so many attempts, only where asking again may help, and no wait longer than anybody has patience for."""

from __future__ import annotations

import asyncio

import pytest

from earmark.engine import retries as module
from earmark.engine.retries import retries
from earmark.errors import Rejected, Transient


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_BACKOFF", 0.0001)
    monkeypatch.setattr(module, "JITTER", 0.0)


def ask(*errors: Exception | None, attempts: int = 3, patience: float = 60.0) -> int:
    """Ask until an answer comes; returns how often it was asked."""
    asked = 0

    async def go() -> None:
        nonlocal asked
        async for attempt in retries(attempts, patience):
            with attempt:
                asked += 1
                if error := errors[min(asked, len(errors)) - 1]:
                    raise error

    try:
        asyncio.run(go())
    except Exception as error:
        error.add_note(str(asked))
        raise
    return asked


@pytest.mark.parametrize("failures", [0, 1, 2])
def test_what_may_pass_is_asked_again_until_it_answers(failures: int) -> None:
    assert ask(*[Transient("busy")] * failures, None) == failures + 1


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_no_more_requests_than_attempts_and_the_last_failure_is_told(attempts: int) -> None:
    with pytest.raises(Transient, match="busy") as told:
        ask(Transient("busy"), attempts=attempts)
    assert told.value.__notes__ == [str(attempts)]


@pytest.mark.parametrize("error", [Rejected("too long"), ValueError("a bug")])
def test_what_asking_again_does_not_help_is_asked_once(error: Exception) -> None:
    with pytest.raises(type(error)) as told:
        ask(error)
    assert told.value is error
    assert told.value.__notes__ == ["1"]


def test_a_wait_that_the_server_asks_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    assert ask(Transient("busy", 7.5, busy=True), Transient("HTTP 503"), None) == 3
    assert waits[0] == 7.5
    assert waits[1] < 1, "where the server says nothing, waits begin short"


def test_a_wait_beyond_the_limit_for_one_answer_is_not_waited_for() -> None:
    with pytest.raises(
        Transient, match=r"^HTTP 429; it asks to wait 7,200 s, longer than retry_timeout=60 allows"
    ) as told:
        ask(Transient("HTTP 429", 7200.0, busy=True))
    assert (told.value.wait, told.value.busy, told.value.__notes__) == (7200.0, True, ["1"])
