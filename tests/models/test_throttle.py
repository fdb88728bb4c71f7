"""A model asked no faster than it can answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from mine import bench
from servers import said, serving

from earmark.again import retry
from earmark.cli._progress import told
from earmark.config import compose
from earmark.errors import Transient
from earmark.evaluate import Watch, evaluate
from earmark.models._throttle import Pace, Throttle, innermost, throttled
from earmark.prices import Priced, Prices
from earmark.types import Hears, Prompt, Response, Usage

PROMPT = Prompt(())


class Server:
    """Answers after a turn of the loop, and is busy while more than `room` are under way."""

    name = "server"
    hears = Hears()

    def __init__(self, room: int) -> None:
        self.room = room
        self.under_way = self.most = self.busy = 0

    async def generate(self, prompt: Prompt) -> Response:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(0.001)
            if self.under_way > self.room:
                self.busy += 1
                raise Transient("busy", busy=True)
            return Response("A")
        finally:
            self.under_way -= 1


async def ask(model: Throttle, questions: int, workers: int) -> int:
    left = iter(range(questions))
    answered = 0

    async def work() -> None:
        nonlocal answered
        for _ in left:
            try:
                await model.generate(PROMPT)
                answered += 1
            except Transient:
                await asyncio.sleep(0.001)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    return answered


def test_it_grows_to_its_ceiling_while_answers_come() -> None:
    server = Server(room=1000)
    model = Throttle(server, 24)
    assert asyncio.run(ask(model, 400, 64)) == 400
    assert model.limit == server.most == 24


def test_it_shrinks_when_the_server_is_busy_and_settles_near_its_room() -> None:
    server, now = Server(room=10), [0.0]

    def clock() -> float:
        now[0] += 0.1  # a second passes every ten looks at the clock
        return now[0]

    model = Throttle(server, 64, clock)
    answered = asyncio.run(ask(model, 3000, 64))
    assert answered > 2500
    assert 3 <= model.limit <= 30


def test_nothing_is_sent_while_the_server_asks_to_wait() -> None:
    class Waiting(Server):
        async def generate(self, prompt: Prompt) -> Response:
            moments.append(asyncio.get_running_loop().time())
            if len(moments) == 1:
                raise Transient("wait", 0.2, busy=True)
            return await super().generate(prompt)

    moments: list[float] = []

    async def go() -> None:
        model = Throttle(Waiting(100), 4, asyncio.get_running_loop().time)
        await ask(model, 1, 1)
        await ask(model, 5, 2)

    asyncio.run(go())
    assert len(moments) == 6
    assert moments[1] - moments[0] >= 0.19


def test_a_server_that_asks_for_longer_than_anybody_waits_is_asked_on() -> None:
    class Closed(Server):
        async def generate(self, prompt: Prompt) -> Response:
            self.busy += 1
            raise Transient("come tomorrow", 86400.0, busy=True)

    async def go() -> int:
        server = Closed(100)
        await asyncio.wait_for(ask(Throttle(server, 4, longest_wait=60.0), 5, 2), 50)
        return server.busy

    assert asyncio.run(go()) == 5


def test_a_cancelled_question_gives_its_slot_back() -> None:
    async def go() -> None:
        model = Throttle(Server(100), 1)
        first = asyncio.create_task(model.generate(PROMPT))
        await asyncio.sleep(0)
        first.cancel()
        assert (await asyncio.wait_for(model.generate(PROMPT), 60)).text == "A"

    asyncio.run(go())


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("earmark.models._throttle.asyncio.sleep", self.sleep)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def timed(model: Throttle, clock: Clock, questions: int) -> list[float]:
    """When each question of a row was answered."""

    async def go() -> list[float]:
        moments = []
        for _ in range(questions):
            await model.generate(PROMPT)
            moments.append(round(clock.now, 6))
        return moments

    return asyncio.run(go())


class Taking(Server):
    """Answers at once, each answer taking so many tokens."""

    def __init__(self, *tokens: int) -> None:
        super().__init__(1000)
        self.tokens = iter(tokens)

    async def generate(self, prompt: Prompt) -> Response:
        return Response("A", usage=Usage(next(self.tokens), 0))


def test_requests_are_spaced_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    model = Throttle(Taking(*[1] * 5), 8, clock, requests_per_minute=30)
    assert timed(model, clock, 5) == [0, 2, 4, 6, 8]


def test_tokens_are_booked_by_what_answers_took_and_settled_after(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    model = Throttle(Taking(100, 100, 300, 100), 8, clock, tokens_per_minute=6000)
    # 100 tokens a second: the first is unknown; the third takes 200 more than was booked for it
    assert timed(model, clock, 4) == [0, 1, 2, 5]


def test_without_limits_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert timed(Throttle(Taking(*[10**6] * 3), 8, clock), clock, 3) == [0, 0, 0]


def test_the_settings_of_a_model_set_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    settings = {"backend": "fake", "concurrency": 3, "requests_per_minute": 60}
    assert timed(throttled(Taking(1, 1, 1), settings | {"remember": True}), clock, 3) == [0, 0, 0]
    model = throttled(Taking(1, 1), settings)
    assert model.ceiling == 3
    monkeypatch.setattr(model, "_requests", Pace(60, clock))
    assert timed(model, clock, 2) == [0, 1]


def test_the_innermost_model_is_found() -> None:
    server = Server(1)
    assert innermost(Throttle(Priced(server, Prices()), 1)) is server
    server.model = object()  # type: ignore[attr-defined] # what it runs on
    assert innermost(server) is server


def test_it_is_told_that_the_server_asks_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour of waiting must not look like a run that stands still."""
    monkeypatch.chdir(tmp_path)
    lines: list[str] = []

    def busy(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "3"}) if number == 1 else said("A")

    with serving(busy) as server:
        settings = compose([f"model={server.url}", "model.name=m", "preflight=false"])
        watch = Watch(lambda _: None, lambda tally: lines.append(told(tally)))
        asyncio.run(evaluate(bench.load(bench.Settings(items=1)), settings, watch))
    assert any("1 of 2 under way  the server asks to wait" in line for line in lines)
    assert "wait" not in lines[-1]


@pytest.mark.parametrize("remember", [False, True])
def test_a_retry_asks_again_at_the_rate_of_the_run(
    remember: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    booked: list[float] = []

    def book(_: Pace, amount: float) -> float:
        booked.append(amount)
        return 0.0

    monkeypatch.setattr(Pace, "book", book)
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))
    with serving(lambda *_: said("Hm.")) as server:
        words = [f"model={server.url}", "preflight=false", "model.requests_per_minute=600"]
        settings = compose([*words, f"model.remember={str(remember).lower()}"])
        watch = Watch(lambda _: None, lambda _: None)
        run = asyncio.run(evaluate(bench.load(bench.Settings(items=3)), settings, watch)).folder
        assert len(server.asked) == len(booked) == 3
        asyncio.run(retry(run, {"unparsed"}, 1, watch.say, watch.tally))
        assert len(server.asked) == len(booked) == 6
