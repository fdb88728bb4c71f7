"""A model asked no faster than it can answer."""

from __future__ import annotations

import asyncio
import math
import random
import selectors
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from mine import bench
from servers import said, serving, threaded

from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.config.settings import Prices
from earmark.engine.open import open_model
from earmark.engine.prices import PricedModel
from earmark.engine.runner import ask as ask_once
from earmark.engine.throttle import START_HOSTED, START_OWN, RateLimiter, Throttle, make_throttle, unwrap
from earmark.errors import Transient
from earmark.evaluate import Callbacks, evaluate
from earmark.terminal.progress import progress_line
from earmark.types import Capabilities, Failure, Prompt, Response, Usage

PROMPT = Prompt(())


class Server:
    """Answers after a turn of the loop, and is busy while more than `room` are under way."""

    name = "server"
    capabilities = Capabilities()

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
        monkeypatch.setattr("earmark.engine.throttle.asyncio.sleep", self.sleep)

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
    assert timed(make_throttle(Taking(1, 1, 1), parse_model(settings | {"cache": True})), clock, 3) == [0, 0, 0]
    model = make_throttle(Taking(1, 1), parse_model(settings))
    assert model.max_concurrency == 3
    monkeypatch.setattr(model, "_requests", RateLimiter(60, clock))
    assert timed(model, clock, 2) == [0, 1]


def test_the_innermost_model_is_found() -> None:
    server = Server(1)
    assert unwrap(Throttle(PricedModel(server, Prices()), 1)) is server
    server.model = object()  # type: ignore[attr-defined] # what it runs on
    assert unwrap(server) is server


def test_it_is_told_that_the_server_asks_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour of waiting must not look like a run that stands still."""
    monkeypatch.chdir(tmp_path)
    lines: list[str] = []

    def busy(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "3"}) if number == 1 else said("A")

    with serving(busy) as server:
        settings = compose_config([f"model={server.url}", "model.name=m", "preflight=false"])
        watch = Callbacks(lambda _: None, lambda tally: lines.append(progress_line(tally)))
        asyncio.run(evaluate(bench.make(items=1), settings, watch))
    assert any("1 of 13 in flight  rate limited for " in line for line in lines)
    assert "rate limited" not in lines[-1]


# ---------------------------------------------------------------- how many at once, by a clock of its own


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose time passes only while everybody waits, and then at once."""

    class _Selector(selectors.SelectSelector):
        loop: VirtualLoop

        def select(self, timeout: float | None = None) -> Any:
            self.loop.now += timeout or 0.0
            return super().select(0)

    def __init__(self) -> None:
        self.now = 0.0
        selector = self._Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


class Places:
    """A server that takes so many at once, and says 429 to the rest."""

    name = "server"
    capabilities = Capabilities()

    def __init__(self, places: int, latency: float) -> None:
        self.places, self.latency = places, latency
        self.under_way = self.turned_away = 0

    async def generate(self, prompt: Prompt) -> Response:
        if self.under_way == self.places:
            self.turned_away += 1
            await asyncio.sleep(0.005)
            raise Transient("busy", busy=True)
        self.under_way += 1
        await asyncio.sleep(self.latency)
        self.under_way -= 1
        return Response("A")


def seconds_for(server: Places, questions: int, ceiling: int, start: int) -> tuple[float, int]:
    """How long a run takes, by the server's own clock, with the retries of a run; and how many questions failed."""

    async def go(loop: VirtualLoop) -> int:
        model = Throttle(server, ceiling, loop.time, start=start)
        left, failed = iter(range(questions)), 0

        async def work() -> None:
            nonlocal failed
            for _ in left:
                outcome, _requests = await ask_once(model, PROMPT, 5, 900.0)
                failed += isinstance(outcome, Failure)

        await asyncio.gather(*(work() for _ in range(ceiling)))
        return failed

    random.seed(1)  # of the retries' jitter
    loop = VirtualLoop()
    try:
        failed = loop.run_until_complete(go(loop))
    finally:
        loop.close()
    return loop.now, failed


@pytest.mark.parametrize(("questions", "limit", "rounds"), [(1000, 512, 3), (400, 64, 0), (10, 512, 0)])
def test_a_server_of_ones_own_is_soon_asked_as_much_as_it_may_be(questions: int, limit: int, rounds: int) -> None:
    latency = 2.0
    took, failed = seconds_for(Places(10**6, latency), questions, limit, START_OWN)
    ideal = math.ceil(questions / limit) * latency
    assert not failed
    assert took <= ideal + rounds * latency + 0.01


@pytest.mark.parametrize("start", [START_HOSTED, START_OWN])
@pytest.mark.parametrize(("places", "latency"), [(24, 2.0), (24, 0.2), (8, 2.0)])
def test_a_server_that_turns_questions_away_is_kept_busy(places: int, latency: float, start: int) -> None:
    server = Places(places, latency)
    questions = 8000
    took, failed = seconds_for(server, questions, 256, start)
    assert not failed
    assert questions * latency / places / took >= 0.92
    if places == 24:
        assert server.turned_away <= questions / 50


def test_one_overload_shrinks_once_and_takes_away_what_was_not_taken() -> None:
    class Burst(Places):
        """Turns all but 40 of the first hundred away, together."""

        async def generate(self, prompt: Prompt) -> Response:
            self.under_way += 1
            await asyncio.sleep(self.latency if self.under_way <= self.places else 1.0)
            if self.under_way > self.places:
                self.under_way -= 1
                raise Transient("busy", busy=True)
            return Response("A")

    loop = VirtualLoop()

    async def go() -> list[int]:
        model = Throttle(Burst(40, 10.0), 100, loop.time, start=100)
        tasks = [asyncio.create_task(model.generate(PROMPT)) for _ in range(100)]
        await asyncio.sleep(0.5)
        limits = [model.limit]
        await asyncio.sleep(1.0)
        limits.append(model.limit)
        await asyncio.gather(*tasks, return_exceptions=True)
        return limits

    try:
        assert loop.run_until_complete(go()) == [100, 50], "never below half in one round"
    finally:
        loop.close()


def opened(settings: dict[str, Any], models: list[dict[str, Any]] | None = None) -> Throttle:
    """A throttle as a run makes it, of a server that lists these models."""

    async def go(url: str) -> Throttle:
        async with open_model(
            settings if {"base_url", "endpoints"} & settings.keys() else settings | {"base_url": url}
        ) as model:
            return make_throttle(model, parse_model(settings))

    async def listed(_: web.Request) -> web.Response:
        return web.json_response({"data": models})

    app = web.Application()
    app.router.add_get("/v1/models", listed)
    with threaded(app) as port:
        return asyncio.run(go(f"http://127.0.0.1:{port}/v1"))


@pytest.mark.parametrize(
    ("address", "first"),
    [
        ("http://127.0.0.1:8000/v1", 64),
        ("http://[::1]:8000/v1", 64),
        ("http://10.20.30.40:8000/v1", 64),
        ("http://192.168.1.7/v1", 64),
        ("http://gpu7:8000/v1", 64),
        ("http://vllm.cluster.internal/v1", 64),
        ("http://8.8.8.8/v1", 16),
        ("https://models.example.org/v1", 16),
    ],
)
@pytest.mark.parametrize("backend", ["openai", "transcriptions", "gemini"])
def test_hosted_services_begin_low_and_servers_of_ones_own_do_not(address: str, first: int, backend: str) -> None:
    settings = {"backend": backend, "name": "m", "base_url": address, "concurrency": 256}
    assert opened(settings).limit == first
    assert opened(settings | {"concurrency": 3}).limit == 3
    each = settings | {"base_url": "http://127.0.0.1:8000/v1"}
    assert opened({"backend": "spread", "endpoints": [each, settings], "concurrency": 256}).limit == first


@pytest.mark.parametrize(
    ("owner", "given", "ceiling"),
    [("vllm", {}, 256), ("sglang", {}, 256), ("llamacpp", {}, 16), ("openai", {}, 16), ("vllm", {"concurrency": 8}, 8)],
)
def test_an_engine_that_says_what_it_is_is_asked_as_one(owner: str, given: dict[str, Any], ceiling: int) -> None:
    model = opened({"backend": "openai", **given}, [{"id": "m", "owned_by": owner}])
    assert (model.max_concurrency, model.name) == (ceiling, "m")
    assert model.limit == min(64, ceiling)
