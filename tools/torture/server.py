"""A server for torture: it answers with the digest of the sound that it was sent, or breaks, and counts requests in a file.

/v1             chat completions, and batches by the queue of the tests (tests/servers.py)
/faults/N/v1    a third of the questions, by the digest of their sound, is answered by the N-th of `FAULTS`, or by JSON of
                a shape that N seeds
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from aiohttp import web

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from servers import Queue

COUNTS = tempfile.NamedTemporaryFile(prefix="torture-", suffix=".count")  # noqa: SIM115 - as long as the process lives
KEYS: Final = ("choices", "message", "content", "text", "usage", "error", "finish_reason", "prompt_tokens", "cost", "type",
               "reasoning_content", "delta", "code", "index")  # fmt: skip
FAULTS: Final[list[tuple[int, bytes, dict[str, str]]]] = [  # status, body and headers
    (200, b"", {}), (200, b"null", {}), (200, b"[]", {}), (200, b"3", {}), (200, b"{}", {}), (200, b'{"choices": []}', {}),
    (200, b'{"choices": [{"message"', {}), (200, b"<html>busy</html>", {"Content-Type": "text/html"}), (200, b"\xff\xfe", {}),
    (200, b"[" * 100_000, {}), (200, b"not gzip", {"Content-Encoding": "gzip"}), (204, b"", {}), (301, b"", {}),
    (307, b"", {"Location": "http://127.0.0.1:9/v1"}), (400, b"", {}), (401, b"{}", {}), (403, b"no", {}), (404, b"no", {}),
    (413, b"", {}), (418, b"", {}), (429, b"", {"Retry-After": "0"}), (429, b"", {"Retry-After": "x"}), (500, b"", {}),
    (502, b"<html>", {}), (503, b"", {"Retry-After": "0"}), (200, b'{"error": "busy"}', {}),
    (400, json.dumps({"error": {"message": "bad \x1b]52;c;cm0=\x07\r\nearmark: all is well"}}).encode(), {}),
    (200, b'{"choices": [{"message": {"content": [{"type": "text", "text": {"a": 1}}]}}]}', {}),
    (200, b'{"choices": [{"message": {"content": "A"}}], "usage": {"cost": 1e308, "prompt_tokens": -1}}', {}),
    (200, b'{"choices": [{"message": {"content": "' + b"x" * 20_000_000 + b'"}}]}', {}),
]  # fmt: skip


def answer(body: dict[str, Any]) -> tuple[str, str]:
    """The digest of the sound of a question, and the text that answers it."""
    content = body["messages"][-1]["content"]
    parts = content if isinstance(content, list) else []
    sound = json.dumps([part for part in parts if isinstance(part, dict) and part.get("type") != "text"])
    digest = hashlib.sha256(sound.encode()).hexdigest()
    return digest, f"A {digest}" if sound != "[]" else "correct"


def completion(text: str) -> dict[str, Any]:
    """The body of an ordinary reply."""
    return {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}


def draw(chance: random.Random, depth: int = 0) -> Any:
    """Draw JSON of any shape over the fields that are read."""
    kind = chance.randrange(7 if depth < 6 else 5)
    if kind == 6:
        return {chance.choice(KEYS): draw(chance, depth + 1) for _ in range(chance.randrange(5))}
    if kind == 5:
        return [draw(chance, depth + 1) for _ in range(chance.randrange(4))]
    return (None, chance.choice(["", "A", "stop", "\x1b[2J"]), chance.choice([0, -1, 1e308, 2**70]), True, "text")[kind]


async def chat(request: web.Request) -> web.StreamResponse:
    """Answer one question, a little later, or break."""
    COUNTS.write(b".")
    COUNTS.flush()
    digest, text = answer(await request.json())
    await asyncio.sleep(random.uniform(0.0, 0.05))  # noqa: S311 - no secret
    number = int(request.match_info.get("number", "-1"))
    if number < 0 or int(digest[:8], 16) % 3:
        return web.json_response(completion(text))
    if number < len(FAULTS):
        status, body, headers = FAULTS[number]
        return web.Response(status=status, body=body, headers={"Content-Type": "application/json"} | headers)
    drawn = draw(random.Random(number))  # noqa: S311 - no secret
    whole = completion(text)
    whole["choices"][0][random.Random(number).choice(["message", "finish_reason"])] = drawn  # noqa: S311
    return web.json_response(whole if number % 2 else drawn)


async def models(_: web.Request) -> web.Response:
    """The one model that is served."""
    return web.json_response({"data": [{"id": "m"}]})


async def serve() -> None:
    """Serve until the process is ended; the port and the file of counts are printed."""
    queue = Queue(reply=lambda body: (200, completion(answer(body)[1])))
    app = queue.app()
    app.router.add_get("/v1/models", models)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_post("/faults/{number}/v1/chat/completions", chat)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], COUNTS.name, flush=True)
    await asyncio.Event().wait()


asyncio.run(serve())
