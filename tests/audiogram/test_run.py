"""Audiograms that stop and go on: killed, out of budget, with failures, without a server."""

from __future__ import annotations

import asyncio
import json
import signal
import time
import zlib
from collections import Counter
from typing import Any

from aiohttp import web
from audiogram_runs import folder
from commands import PATIENCE, earmark, started
from servers import Server, said, serving, sounds

from earmark.journal import read_journal

# ^ where examples/ears.py is right in 75 %: a normal error is smaller than 0.674 of its spread that often


async def guess(body: dict[str, Any], _: int) -> web.Response:
    """An answer that depends on the sound and on nothing else, after a while."""
    await asyncio.sleep(0.02)
    return said("AB"[zlib.crc32(b"".join(data for _, data in sounds(body))) % 2])


def words(server: Server, *more: str) -> tuple[str, ...]:
    return ("audiogram", f"model={server.url}", "dimensions=[pitch,gap]", "trials=12", "model.concurrency=8", *more)


def test_a_killed_audiogram_goes_on_and_finds_what_it_would_have_found() -> None:
    with serving(guess) as server:
        whole = earmark(*words(server, "results=whole", "--json"))
        trials = len(server.asked)
        server.asked.clear()
        for sitting in range(1, 4):
            process = started(*words(server))
            until = time.monotonic() + PATIENCE
            while len(server.asked) < 20 * sitting:
                assert time.monotonic() < until
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=5)
        done = earmark(*words(server, "--json"))
        assert done.returncode == 0, done.stderr
        assert "going on with" in done.stderr
        assert len(server.asked) <= trials + 3 * 8
    assert json.loads(done.stdout)["audiogram"] == json.loads(whole.stdout)["audiogram"]
    assert set(Counter(record.item.id for record in read_journal(folder() / "responses.jsonl")).values()) == {1}


def test_a_budget_stops_it_and_other_settings_begin_another_beside_it() -> None:
    changes = {
        "tracks=3": "benchmark.settings.tracks was 4 and is 3",
        "seed=1": "benchmark.settings.seed was 0 and is 1",
        "dimensions=[pitch,tempo]": "benchmark.settings.dimensions",
        "model.temperature=0.5": "model.temperature",
        "condition=telephone": "condition was ['plain'] and is ['telephone']",
    }
    with serving(guess) as server:
        cut = earmark(*words(server, "budget=200", "model.prices.in=1e6"))
        assert cut.returncode == 6, cut.stderr
        assert "with a larger budget= the same command goes on" in cut.stderr
        first = folder() / "responses.jsonl"
        before = first.read_bytes()
        for change, told in changes.items():
            beside = earmark(*words(server, change))
            assert beside.returncode == 0, beside.stderr
            (said_so,) = [line for line in beside.stderr.splitlines() if "a new run begins beside it" in line]
            assert told in said_so
            assert str(first.parent) in said_so
        assert first.read_bytes() == before
        done = earmark(*words(server))
        assert f"going on with {first.parent}" in done.stderr
        assert first.read_bytes().startswith(before)


def test_trials_that_failed_are_counted_and_their_level_is_asked_again() -> None:
    def flaky(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=503, text="{}") if number % 7 == 0 else said("A")

    with serving(flaky) as server:
        done = earmark(*words(server, "max_attempts=1", "--json"))
        assert done.returncode == 7, done.stderr
        findings = json.loads(done.stdout)["audiogram"]["results"]
        assert sum(one["states"]["request-failed"] for one in findings) == len(server.asked) // 7
        assert sum(one["states"]["answered"] for one in findings) == len(server.asked) - len(server.asked) // 7


def test_a_server_that_goes_away_stops_it_and_the_same_command_goes_on() -> None:
    away = True

    def answer(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=503, text="{}") if away and number > 30 else said("A")

    with serving(answer) as server:
        first = earmark(*words(server, "max_attempts=1", "max_consecutive_failures=5"))
        assert first.returncode == 6, first.stderr
        assert "5 requests in a row failed" in first.stderr
        assert "unfinished: rerun the original command to resume" in earmark("show", str(folder())).stdout
        away = False
        done = earmark(*words(server, "max_attempts=1"))
        assert done.returncode in (0, 7), done.stderr
        assert json.loads((folder() / "metrics.json").read_text())["finished"]
