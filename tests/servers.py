"""Servers on loopback for tests: one that does what it is told, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Handler = Callable[[dict[str, Any], int], Awaitable[web.StreamResponse] | web.StreamResponse]


def said(text: str | None, **message: Any) -> web.Response:
    """An ordinary answer."""
    choice = {
        "finish_reason": message.pop("finish_reason", "stop"),
        "message": {"role": "assistant", "content": text, **message},
    }
    return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}})


@dataclass
class Server:
    """A running server: where it is and what it was asked."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def texts(self) -> list[str]:
        """The words of every request, in the order they came."""
        return [words(body) for body in self.asked]


def words(body: dict[str, Any]) -> str:
    """The words of one request."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def sounds(body: dict[str, Any]) -> list[tuple[str, bytes]]:
    """The sounds of one request: format and bytes."""
    parts = [
        part for message in body["messages"] if not isinstance(message["content"], str) for part in message["content"]
    ]
    return [
        (p["input_audio"]["format"], base64.b64decode(p["input_audio"]["data"]))
        for p in parts
        if p["type"] == "input_audio"
    ]


class _Threaded:
    """An application that serves from a thread of its own while a test goes on."""

    def __init__(self, app: web.Application) -> None:
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> int:
        """Start serving; the port."""
        self._thread.start()
        return asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)

    async def _start(self) -> int:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return int(self._runner.addresses[0][1])

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@contextlib.contextmanager
def threaded(app: web.Application) -> Iterator[int]:
    """Serve an application; its port."""
    served = _Threaded(app)
    try:
        yield served.start()
    finally:
        served.stop()


@contextlib.contextmanager
def serving(handler: Handler, models: tuple[str, ...] = ("test-model",)) -> Iterator[Server]:
    """Serve chat completions by a function of the request and its number, counted from 1."""
    server = Server()
    at_once = 0

    async def chat(request: web.Request) -> web.StreamResponse:
        nonlocal at_once
        at_once += 1
        server.most_at_once = max(server.most_at_once, at_once)
        try:
            server.asked.append(body := json.loads(await request.read()))
            reply = handler(body, len(server.asked))
            return reply if isinstance(reply, web.StreamResponse) else await reply
        finally:
            at_once -= 1

    async def listed(_: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": name} for name in models]})

    app = web.Application(client_max_size=100_000_000)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", listed)
    with threaded(app) as port:
        server.url = f"http://127.0.0.1:{port}/v1"
        yield server
