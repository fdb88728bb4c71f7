"""A server of chat completions that answers with the digest of the sound that it was sent, and counts requests in a file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import tempfile

from aiohttp import web

COUNTS = tempfile.NamedTemporaryFile(prefix="torture-", suffix=".count")  # noqa: SIM115 - as long as the process lives


async def chat(request: web.Request) -> web.Response:
    """Answer one question, a little later."""
    COUNTS.write(b".")
    COUNTS.flush()
    parts = (await request.json())["messages"][-1]["content"]
    sound = json.dumps([part for part in parts if isinstance(part, dict) and part.get("type") != "text"])
    await asyncio.sleep(random.uniform(0.0, 0.05))  # noqa: S311 - no secret
    text = f"A {hashlib.sha256(sound.encode()).hexdigest()}"
    return web.json_response(
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}
    )


async def serve() -> None:
    """Serve until the process is ended; the port and the file of counts are printed."""
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], COUNTS.name, flush=True)
    await asyncio.Event().wait()


asyncio.run(serve())
