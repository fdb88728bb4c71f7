"""Servers on loopback for tests: one that does what it is told, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import json
import threading
import zlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from commands import PATIENCE

from earmark.preflight.probes import PROBE_SOUNDS, canary
from earmark.types import EncodedAudio


@dataclass(frozen=True)
class Stream:
    """An answer that comes in pieces."""

    pieces: list[bytes]
    pause: float = 0.0  # seconds after each
    breaks: bool = False  # the connection is closed in the midst of it

    async def send(self, request: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await stream.prepare(request)
        for piece in self.pieces:
            await stream.write(piece)
            await asyncio.sleep(self.pause)
        if self.breaks and request.transport:
            request.transport.close()
        return stream


Reply = web.StreamResponse | Stream
Handler = Callable[[dict[str, Any], int], Awaitable[Reply] | Reply]


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
    keys: set[str] = field(default_factory=set)  # that came with the requests
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
        (p["input_audio"]["format"], base64.b64decode(p["input_audio"]["data"].rpartition("base64,")[2]))
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
        return asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(PATIENCE)

    async def _start(self) -> int:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return int(self._runner.addresses[0][1])

    async def _stop(self) -> None:
        await self._runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}  # answers that nobody waits for any more
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


@contextlib.contextmanager
def threaded(app: web.Application) -> Iterator[int]:
    """Serve an application; its port."""
    served = _Threaded(app)
    try:
        yield served.start()
    finally:
        served.stop()


@functools.cache
def preflight_sounds() -> frozenset[bytes]:
    """The sounds of the preflight, in the forms that the benchmarks of these tests have."""
    forms = [EncodedAudio(b"", form, 16000, channels, 1.0) for form in ("wav", "mp3") for channels in (1, 2)]
    made = [canary(recipe, form) for recipe in PROBE_SOUNDS.values() for form in forms]
    return frozenset(sound.data for sound in made if isinstance(sound, EncodedAudio))


def heard_by_preflight(body: dict[str, Any], known: set[str]) -> web.Response | None:
    """What a model that hears answers to the preflight's own questions; nothing to any other. `known` are their words."""
    given = [data for _, data in sounds(body)]
    if given and not preflight_sounds().issuperset(given):
        return None
    if given:
        known.add(words(body))
    elif words(body) not in known:
        return None
    usage = {"prompt_tokens": 7 + 25 * len(given), "completion_tokens": 1}
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": str([zlib.crc32(g) for g in given])}}
    return web.json_response({"choices": [choice], "usage": usage})


@contextlib.contextmanager
def serving(
    handler: Handler, models: tuple[str, ...] = ("test-model",), *, preflight: bool = False
) -> Iterator[Server]:
    """Serve chat completions by a function of the request and its number, counted from 1.

    The preflight's own questions are answered beside it and not counted, unless a test wants to see them.
    """
    server = Server()
    at_once = 0
    known: set[str] = set()

    async def chat(request: web.Request) -> web.StreamResponse:
        nonlocal at_once
        at_once += 1
        server.most_at_once = max(server.most_at_once, at_once)
        try:
            body = json.loads(await request.read())
            server.keys.add(request.headers.get("Authorization", ""))
            if not preflight and (heard := heard_by_preflight(body, known)):
                return heard
            server.asked.append(body)
            found = handler(body, len(server.asked))
            reply = found if isinstance(found, web.StreamResponse | Stream) else await found
            return await reply.send(request) if isinstance(reply, Stream) else reply
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


@dataclass
class Queue:
    """A service's queue for batches, which answers at once what it has been given."""

    url: str = ""
    reply: Callable[[dict[str, Any]], tuple[int, dict[str, Any]] | None] = lambda _: (
        None
    )  # None: it does not come to it
    looks: int = 2  # until a batch is done
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # calls that fail, once each
    refusal: str = ""  # why it takes no batch

    def app(self) -> web.Application:
        app = web.Application(client_max_size=100_000_000)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._look)
        return app

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.broken:
            self.broken.remove(name)
            raise web.HTTPServiceUnavailable(text='{"error": {"message": "try later"}}')

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        file = form["file"]
        assert isinstance(file, web.FileField)
        name = f"file-{len(self.files)}"
        self.files[name] = file.file.read()
        self._called("upload")
        return web.json_response({"id": name})

    async def _content(self, request: web.Request) -> web.Response:
        self._called("content")
        return web.Response(body=self.files[request.match_info["id"]])

    async def _create(self, request: web.Request) -> web.Response:
        told = await request.json()
        name = f"batch-{len(self.batches)}"
        self.batches[name] = told | {"id": name, "status": "in_progress", "looks": 0}
        self._called("create")
        return web.json_response(self.batches[name])

    async def _list(self, _: web.Request) -> web.Response:
        self._called("list")
        return web.json_response({"data": list(self.batches.values())})

    async def _look(self, request: web.Request) -> web.Response:
        self._called("look")
        batch = self.batches[request.match_info["id"]]
        batch["looks"] += 1
        if self.refusal:
            batch |= {"status": "failed", "errors": {"data": [{"message": self.refusal}]}}
        if batch["looks"] >= self.looks and batch["status"] == "in_progress":
            self._answer(batch)
        return web.json_response(batch)

    def _answer(self, batch: dict[str, Any]) -> None:
        lines: dict[str, list[bytes]] = {"output": [], "error": []}
        asked = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        for request in asked:
            found = self.reply(request["body"])
            if found is not None:
                told = {"custom_id": request["custom_id"], "response": {"status_code": found[0], "body": found[1]}}
                lines["output" if found[0] == 200 else "error"].append(json.dumps(told | {"error": None}).encode())
        for kind, each in lines.items():
            if each:
                batch[f"{kind}_file_id"] = f"{kind}-{batch['id']}"
                self.files[f"{kind}-{batch['id']}"] = b"\n".join(reversed(each)) + b"\n"
        whole = sum(map(len, lines.values())) == len(asked)
        batch["status"] = "completed" if whole else "expired"


@contextlib.contextmanager
def queueing(reply: Callable[[dict[str, Any]], tuple[int, dict[str, Any]] | None], looks: int = 2) -> Iterator[Queue]:
    """Serve a queue for batches."""
    queue = Queue(reply=reply, looks=looks)
    with threaded(queue.app()) as port:
        queue.url = f"http://127.0.0.1:{port}/v1"
        yield queue
