"""A run that is killed goes on where it stopped, every answer once; what has changed is refused by name."""

from __future__ import annotations

import asyncio
import math
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web
from commands import PATIENCE, earmark, started
from servers import Server, said, serving

from earmark.journal import read_journal

ITEMS, IN_FLIGHT = 120, 8


class Slowly:
    """Answers that take a while, and are held back after so many, until a run has been stopped in its midst."""

    def __init__(self) -> None:
        self.most = math.inf

    async def __call__(self, _: dict[str, Any], number: int) -> web.Response:
        await asyncio.sleep(0.03)
        while number > self.most:  # noqa: ASYNC110 - told by another thread
            await asyncio.sleep(0.01)
        return said("A")


slowly = Slowly()


def words(server: Server, *more: str) -> tuple[str, ...]:
    return ("run", "mine.bench", f"items={ITEMS}", f"model={server.url}", f"model.concurrency={IN_FLIGHT}", *more)


def begin_and_stop(server: Server, how: int, *more: str, after: int = 30) -> None:
    """Start a run and stop it by a signal once the server has been asked so often."""
    slowly.most = after + IN_FLIGHT
    process = started(*words(server, *more))
    until = time.monotonic() + PATIENCE
    while len(server.asked) < after:
        assert time.monotonic() < until, "the run did not begin"
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.005)
    process.send_signal(how)
    out, err = process.communicate(timeout=5)
    slowly.most = math.inf
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), out + err


def journal() -> Path:
    (path,) = Path("results").rglob("responses.jsonl")
    return path


def test_a_killed_run_goes_on_and_asks_nothing_twice_but_what_was_under_way() -> None:
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL)
        done = earmark(*words(server))
        assert done.returncode == 0, done.stderr
        assert "going on with" in done.stderr
        answered = Counter(record.item.id for record in read_journal(journal()))
        assert len(answered) == ITEMS
        assert set(answered.values()) == {1}
        assert ITEMS <= len(server.asked) <= ITEMS + IN_FLIGHT


def test_a_run_killed_again_and_again_comes_to_its_end() -> None:
    with serving(slowly) as server:
        for sitting in range(1, 4):
            begin_and_stop(server, signal.SIGKILL, after=25 * sitting)
        assert earmark(*words(server)).returncode == 0
        assert len({record.item.id for record in read_journal(journal())}) == ITEMS
        assert len(server.asked) <= ITEMS + 3 * IN_FLIGHT


def test_an_interrupt_keeps_the_answers_and_makes_no_failures() -> None:
    """The team's case e22."""
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGINT)
        records = list(read_journal(journal()))
        assert records
        assert all(record.response and not record.failure for record in records)
        assert earmark(*words(server)).returncode == 0
        assert len(server.asked) <= ITEMS + IN_FLIGHT


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("model.temperature=0.7", "model.temperature was not there and is 0.7"),
        ("seed=3", "benchmark.settings.seed was 0 and is 3"),
        ("limit=5", "limit was not there and is 5"),
        ("condition=silence", "condition was ['plain'] and is ['silence']"),
    ],
)
def test_a_run_of_other_settings_begins_beside_an_unfinished_one(change: str, told: str) -> None:
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL, after=5)
        first, before = journal().parent, journal().read_bytes()
        beside = earmark(*words(server, change))
        assert beside.returncode == 0, beside.stderr
        said = [line for line in beside.stderr.splitlines() if "a new run begins beside it" in line]
        assert len(said) == 1
        assert told in said[0]
        assert str(first) in said[0]
        assert (first / "responses.jsonl").read_bytes() == before
        assert earmark(*words(server)).returncode == 0
        assert len({record.item.id for record in read_journal(first / "responses.jsonl")}) == ITEMS


def test_an_unfinished_run_goes_on_though_a_newer_one_of_other_settings_is_unfinished_too() -> None:
    """Finding S3."""
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL, after=12)
        first = journal().parent
        answered = {record.item.id for record in read_journal(first / "responses.jsonl")}
        asked = len(server.asked)
        begin_and_stop(server, signal.SIGKILL, "limit=100", "resume=false", after=asked + 4)
        (second,) = {path.parent for path in Path("results").rglob("run.json")} - {first}
        left, asked = (second / "responses.jsonl").read_bytes(), len(server.asked)
        done = earmark(*words(server))
        assert done.returncode == 0, done.stderr
        assert f"going on with {first}: {len(answered)} of {ITEMS}" in done.stderr
        assert len(server.asked) == asked + ITEMS - len(answered)
        assert (second / "responses.jsonl").read_bytes() == left


def test_a_changed_prompt_is_refused_by_name() -> None:
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL)
        before, asked = journal().read_bytes(), len(server.asked)
        refused = earmark(*words(server, "question=Why?"))
        assert refused.returncode == 5
        assert "item item-0: the prompt has changed" in refused.stderr
        assert refused.stderr.strip().count("\n") == 0
        assert "resume=false" in refused.stderr
        assert len(server.asked) <= asked + IN_FLIGHT
        assert journal().read_bytes() == before


def test_a_changed_clip_is_refused_by_name(tmp_path: Path) -> None:
    for at in range(ITEMS):
        soundfile.write(tmp_path / f"clip-{at}.wav", np.full(160, at, "int16"), 16000)
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL, f"data={tmp_path}")
        soundfile.write(tmp_path / "clip-2.wav", np.full(160, 999, "int16"), 16000)
        refused = earmark(*words(server, f"data={tmp_path}"))
        assert refused.returncode == 5
        assert "item item-2: a clip (clip-2.wav) has changed" in refused.stderr
        soundfile.write(tmp_path / "clip-2.wav", np.full(160, 2, "int16"), 16000)
        assert earmark(*words(server, f"data={tmp_path}")).returncode == 0


def test_how_fast_it_is_asked_may_change() -> None:
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL)
        assert earmark(*words(server)[:-1], "model.concurrency=3", "max_attempts=2").returncode == 0
        assert len(server.asked) <= ITEMS + IN_FLIGHT


def test_a_finished_run_is_left_alone_and_the_same_command_begins_another() -> None:
    """The team's case e21."""
    with serving(lambda *_: said("A")) as server:
        assert earmark(*words(server)).returncode == 0
        first = {path: path.read_bytes() for path in Path("results").rglob("*.json*")}
        assert earmark(*words(server)).returncode == 0
    assert len(list(Path("results").rglob("run.json"))) == 2
    assert all(path.read_bytes() == data for path, data in first.items())


def test_items_that_failed_are_asked_again_by_the_same_command() -> None:
    def flaky(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=503, text="{}") if number <= 3 else said("A")

    with serving(flaky) as server:
        first = earmark(*words(server, "max_attempts=1"))
        assert first.returncode == 7, first.stderr
        assert earmark(*words(server)).returncode == 0
        assert len(server.asked) == ITEMS + 3
    assert len(list(read_journal(journal()))) == ITEMS + 3


def test_a_run_has_one_writer() -> None:
    async def never(_: dict[str, Any], __: int) -> web.Response:
        await asyncio.sleep(PATIENCE)
        return said("A")

    with serving(never) as server:
        process = started(*words(server))
        while not server.asked:
            time.sleep(0.005)
        second = earmark(*words(server))
        process.kill()
        process.communicate()
        assert second.returncode == 5, second.stderr
        assert "another process" in second.stderr
