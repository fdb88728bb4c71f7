"""Ctrl-C: the program stops within five seconds whatever it waits for, keeps what was answered, and blames nobody."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import PATIENCE, earmark, started
from servers import Stream, queueing, said, serving

from earmark.journal import Record, read_journal

ITEMS = 12
AT_ONCE = 4
BENCH = ("run", "mine.bench", f"items={ITEMS}", f"model.concurrency={AT_ONCE}")
PIECE = b'data: {"choices": [{"delta": {"content": "A"}}]}\n\n'
WHOLE = PIECE + b"data: [DONE]\n\n"
LONG = 60.0  # seconds: longer than anybody waits here


def interrupted(begun: Callable[[], bool], *words: str) -> str:
    """Start a command, interrupt it once it has begun; what it said."""
    process = started(*words)
    until = time.monotonic() + PATIENCE
    while not begun():
        assert time.monotonic() < until, "it did not begin"
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    resuming = "" if words[0] == "doctor" else "; rerun the command to resume"
    assert err.endswith(f"earmark: interrupted{resuming}\n")
    assert "Traceback" not in err
    return err


def records() -> list[Record]:
    return [record for path in Path("results").rglob("responses.jsonl") for record in read_journal(path)]


async def _never() -> web.Response:
    await asyncio.sleep(LONG)
    return said("A")


HOLDS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "an answer that does not come": (_never, ()),
    "a stream that does not end": (
        lambda: Stream([PIECE] * 600, pause=0.1),
        ("model.stream=true",),
    ),
    "a server that asks to wait": (lambda: web.Response(status=429, headers={"Retry-After": "600"}), ()),
    "a server that is away": (lambda: web.Response(status=502), ("max_attempts=100",)),
}


@pytest.mark.parametrize("name", HOLDS)
def test_what_was_answered_is_kept_and_what_was_under_way_is_no_failure(name: str) -> None:
    hold, words = HOLDS[name]
    going = True

    def reply(body: dict[str, Any], number: int) -> Any:
        if going and number > 5:
            return hold()
        return Stream([WHOLE]) if body.get("stream") else said("A")

    with serving(reply) as server:
        command = (*BENCH, f"model={server.url}", *words)
        interrupted(lambda: len(server.asked) > 5 and len(records()) == 5, *command)
        assert len(records()) == 5
        assert all(record.response and not record.failure for record in records())
        going = False
        assert earmark(*command).returncode == 0
    assert len(records()) == ITEMS


def test_in_the_preflight_nothing_is_written() -> None:
    with serving(lambda *_: _never(), preflight=True) as server:
        interrupted(lambda: len(server.asked) > 0, *BENCH, f"model={server.url}")
    assert not records()
    with serving(lambda *_: _never(), preflight=True) as server:
        interrupted(lambda: len(server.asked) > 0, "doctor", f"model={server.url}")


def test_a_batch_that_is_waited_for_is_fetched_by_the_same_command() -> None:
    with queueing(lambda _: (200, {"choices": [{"message": {"content": "A"}}]}), looks=10**6) as queue:
        command = (*BENCH, f"model={queue.url}", "model.name=m", "batch=true", "preflight=false")
        interrupted(lambda: queue.calls.count("look") > 1, *command)
        assert not records()
        queue.looks = 1
        assert earmark(*command).returncode == 0
        assert queue.calls.count("create") == 1
    assert len(records()) == ITEMS


def test_questions_that_wait_their_turn_are_left() -> None:
    with serving(lambda *_: said("A")) as server:
        command = (*BENCH, f"model={server.url}", "preflight=false", "model.requests_per_minute=10")
        interrupted(lambda: len(records()) == 1, *command)
    assert len(records()) == 1


@pytest.mark.parametrize(
    "words", [("mine.slow", "model=fake"), ("mine.bench", "model=fake", "model.backend=mine.slow_model")]
)
def test_data_that_are_fetched_and_weights_that_load_hold_nobody_up(words: tuple[str, ...]) -> None:
    interrupted(Path("begun").exists, "run", *words)
    assert not records()
