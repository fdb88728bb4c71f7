"""Several endpoints of one model: in proportion to their speed, a dead one left out."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from selectors import BaseSelector, SelectorKey
from typing import Any

import pytest
from aiohttp import web
from servers import Server, said, serving

from earmark.config.parse import parse_model
from earmark.config.signature import model_signature
from earmark.engine.open import open_model
from earmark.errors import BadSetup, EarmarkError, Rejected, Transient, UsageError
from earmark.models import _url_list
from earmark.models.spread import FAILURES_BEFORE_COOLDOWN, Endpoint, LoadBalancer
from earmark.types import Capabilities, Prompt, Response, Turn

PROMPT = Prompt((Turn("user", ("Which?",)),))


class Queue:
    """A server that answers one question after the other, each in so many seconds."""

    capabilities = Capabilities()

    def __init__(self, seconds: float, name: str = "m") -> None:
        self.name, self.seconds = name, seconds
        self.error: Exception | None = None
        self.asked = 0
        self._turn = asyncio.Lock()

    async def generate(self, prompt: Prompt) -> Response:
        self.asked += 1
        if self.error:
            raise self.error
        async with self._turn:
            await asyncio.sleep(self.seconds)
        return Response("A")


def spread(*queues: Queue, rest: float = 30.0, now: list[float] | None = None) -> LoadBalancer:
    endpoints = [Endpoint(queue, f"{at}") for at, queue in enumerate(queues)]
    return LoadBalancer(endpoints, "m", rest, (lambda: now[0]) if now else asyncio.get_running_loop().time)


class Jumping(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to what is due next, so that sleeping is exact on any machine and takes no time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        selector: BaseSelector = self._selector  # type: ignore[attr-defined]
        look = selector.select

        def select(timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
            self.now += timeout or 0.0
            return look(0)

        selector.select = select  # type: ignore[method-assign]

    def time(self) -> float:
        return self.now


async def ask(model: LoadBalancer, questions: int, workers: int) -> int:
    left = iter(range(questions))
    failed = 0

    async def work() -> None:
        nonlocal failed
        for _ in left:
            try:
                await model.generate(PROMPT)
            except Transient:
                failed += 1

    await asyncio.gather(*(work() for _ in range(workers)))
    return failed


def test_faster_endpoints_are_asked_more() -> None:
    async def go() -> list[int]:
        slow, quick = Queue(0.012), Queue(0.003)
        model = spread(slow, quick)
        await ask(model, 400, 16)
        return [slow.asked, quick.asked]

    with asyncio.Runner(loop_factory=Jumping) as runner:
        slow, quick = runner.run(go())
    assert 3 < quick / slow < 5  # four times as fast


def test_equal_endpoints_are_asked_equally() -> None:
    async def go() -> list[int]:
        queues = [Queue(0.002) for _ in range(3)]
        await ask(spread(*queues), 300, 12)
        return [queue.asked for queue in queues]

    with asyncio.Runner(loop_factory=Jumping) as runner:
        assert all(95 <= count <= 105 for count in runner.run(go()))


def test_an_endpoint_that_fails_again_and_again_is_left_out_and_comes_back() -> None:
    now = [0.0]

    async def go() -> None:
        bad, good = Queue(0.0), Queue(0.0)
        bad.error = Transient("HTTP 502")
        model = spread(bad, good, now=now)
        failed = await ask(model, 50, 4)
        assert FAILURES_BEFORE_COOLDOWN <= failed == bad.asked <= FAILURES_BEFORE_COOLDOWN + 4
        now[0] += 29.0
        await ask(model, 10, 1)
        assert bad.asked == failed
        bad.error = None
        now[0] += 2.0
        await ask(model, 20, 2)
        assert bad.asked > failed

    asyncio.run(go())


def test_a_busy_endpoint_rests_as_long_as_it_asks_and_its_question_goes_to_another() -> None:
    now = [0.0]

    async def go() -> None:
        busy, other = Queue(0.0), Queue(0.0)
        busy.error = Transient("HTTP 429", 5.0, busy=True)
        model = spread(busy, other, now=now)
        assert await ask(model, 20, 1) == 0
        assert (busy.asked, other.asked) == (1, 20)
        assert model.endpoints[0].failures == 0
        now[0] += 5.0
        await ask(model, 4, 2)
        assert busy.asked == 2

    asyncio.run(go())


def test_where_all_are_busy_the_server_is() -> None:
    async def go() -> None:
        queues = Queue(0.0), Queue(0.0)
        for queue in queues:
            queue.error = Transient("HTTP 429", 5.0, busy=True)
        with pytest.raises(Transient) as told:
            await spread(*queues).generate(PROMPT)
        assert told.value.busy  # so that the throttle holds
        assert [queue.asked for queue in queues] == [1, 1]

    asyncio.run(go())


def test_when_all_are_left_out_the_first_to_come_back_is_tried() -> None:
    async def go() -> int:
        queues = Queue(0.0), Queue(0.0)
        for queue in queues:
            queue.error = Transient("HTTP 502")
        return await ask(spread(*queues), 20, 1)

    assert asyncio.run(go()) == 20


def test_what_a_model_will_not_take_is_no_failure_of_its_endpoint() -> None:
    async def go() -> None:
        one, other = Queue(0.0), Queue(0.0)
        one.error = other.error = Rejected("bad audio")
        model = spread(one, other)
        for _ in range(5):
            with pytest.raises(Rejected):
                await model.generate(PROMPT)
        assert [endpoint.failures for endpoint in model.endpoints] == [0, 0]

    asyncio.run(go())


@contextlib.contextmanager
def nobody() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def answers(settings: dict[str, Any], count: int = 20) -> list[str]:
    async def go() -> list[str]:
        async with open_model({"backend": "spread"} | settings) as model:
            return [(await model.generate(PROMPT)).text for _ in range(count)]

    return asyncio.run(go())


def named(name: str) -> Any:
    async def reply(_: dict[str, Any], __: int) -> web.Response:
        await asyncio.sleep(0.001)
        return said(name)

    return reply


def test_urls_become_endpoints_of_one_model() -> None:
    with serving(named("one")) as one, serving(named("two")) as two:
        told = answers({"urls": [one.url, f"{two.url}/"], "endpoint": {"backend": "openai", "max_tokens": 3}})
    assert set(told) == {"one", "two"}
    assert one.asked[0]["max_tokens"] == two.asked[0]["max_tokens"] == 3


def test_questions_of_an_endpoint_where_nobody_is_go_to_another_at_once() -> None:
    with serving(named("one")) as one, nobody() as dead:
        assert answers({"urls": [dead, one.url]}) == ["one"] * 20
        assert len(one.asked) == 20
    with nobody() as dead, nobody() as other, pytest.raises(BadSetup, match="nothing answers"):
        answers({"urls": [dead, other]})


def test_endpoints_must_be_one_model() -> None:
    def different(one: Server, two: Server, **more: Any) -> list[str]:
        return answers({"endpoints": [{"backend": "openai", "base_url": server.url} for server in (one, two)]} | more)

    with serving(named("one"), models=("a",)) as one, serving(named("two"), models=("b",)) as two:
        with pytest.raises(BadSetup, match="serve different models, a and b"):
            different(one, two)
        assert set(different(one, two, name="ab")) == {"one", "two"}


@pytest.mark.parametrize("settings", [{}, {"urls": ["http://x/v1"], "endpoints": [{"backend": "fake"}]}])
def test_it_takes_urls_or_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"either 'model\.urls="):
        answers(settings)


def test_where_the_endpoints_are_does_not_sign() -> None:
    here, there = ({"backend": "spread", "urls": [f"http://{host}/v1"]} for host in ("here", "there"))
    assert model_signature(parse_model(here), "m") == model_signature(parse_model(there), "m")
    each = [{"backend": "openai", "base_url": "http://here", "concurrency": 3, "max_tokens": 8}]
    assert model_signature(parse_model({"backend": "spread", "endpoints": each}), "m")["endpoints"] == [
        {"backend": "openai", "max_tokens": 8}
    ]


class Listed:
    """A model whose servers a file lists, asked until something is so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_url_list, "CHECK_INTERVAL", 0.01)
        monkeypatch.setattr(_url_list, "RETRY_INTERVAL", 0.05)
        self.file = Path("servers.txt")

    def write(self, *urls: str) -> None:
        self.file.write_text("# servers\n\n" + "".join(f"{url}/\n" for url in urls))

    def ask(self, *steps: Callable[[set[str]], bool]) -> None:
        """Ask until each step in turn is content with the last few answers."""

        async def go() -> None:
            async with open_model({"backend": "spread", "urls": [f"@{self.file}"]}) as model:
                for step in steps:
                    async with asyncio.timeout(60):
                        while not step({(await model.generate(PROMPT)).text for _ in range(10)}):  # noqa: ASYNC110
                            await asyncio.sleep(0.01)

        asyncio.run(go())


def test_a_file_of_servers_is_read_again_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = Listed(monkeypatch)

    def then(*urls: str) -> bool:
        listed.write(*urls)
        return True

    with serving(named("one")) as one, serving(named("two")) as two:
        listed.write(one.url)
        listed.ask(
            lambda told: told == {"one"} and then(one.url, two.url),
            lambda told: told == {"one", "two"} and then(two.url),
            lambda told: told == {"two"} and then(one.url, two.url),
            lambda told: told == {"one", "two"},
        )


def test_a_listed_server_is_used_once_it_answers_and_is_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = Listed(monkeypatch)
    with serving(named("one")) as one, serving(named("other"), models=("another-model",)) as other, nobody() as away:
        late = ExitStack()

        def start(told: set[str]) -> bool:
            listed.write(other.url, "nonsense", away, one.url)
            return told == {"one"}

        def check(told: set[str]) -> bool:
            assert told == {"one"}
            server = late.enter_context(serving(named("late")))
            listed.write(other.url, one.url, server.url)
            return True

        listed.write(one.url, away)
        with late:
            listed.ask(start, check, lambda told: told == {"one", "late"})
        assert not other.asked


def test_requests_wait_while_a_file_lists_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = Listed(monkeypatch)
    with serving(named("one")) as one:
        listed.write(one.url)

        async def go() -> None:
            async with open_model({"backend": "spread", "urls": [f"@{listed.file}"]}) as model:
                await model.generate(PROMPT)
                listed.write()
                with pytest.raises(Transient, match="no server is listed") as error:  # noqa: PT012
                    while True:
                        await model.generate(PROMPT)
                assert error.value.busy
                assert error.value.wait
                listed.write(one.url)
                async with asyncio.timeout(60):
                    while True:
                        with contextlib.suppress(Transient):
                            await model.generate(PROMPT)
                            return
                        await asyncio.sleep(0.01)

        asyncio.run(go())


@pytest.mark.parametrize(
    ("urls", "error", "message"),
    [
        (["@nowhere.txt"], BadSetup, "nowhere.txt: cannot be read"),
        (["@servers.txt"], BadSetup, "servers.txt: lists no server"),
        (["@servers.txt", "http://x/v1"], UsageError, "or one file of them as @FILE"),
    ],
)
def test_a_file_that_lists_nothing_is_refused(urls: list[str], error: type[EarmarkError], message: str) -> None:
    Path("servers.txt").write_text("# none yet\n")
    with pytest.raises(error, match=message):
        answers({"urls": urls})
