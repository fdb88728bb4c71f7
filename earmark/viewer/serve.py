"""Start the server of the pages and keep it running."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from aiohttp import web

from earmark.errors import UsageError
from earmark.viewer.pages import Pages
from earmark.viewer.server import Guard, is_loopback, make_app

PORT: Final = 7272  # unless it is taken
TOKEN_BYTES: Final = 32


class Address(NamedTuple):
    """Address to serve on; port None: the usual one, or a free one where it is taken."""

    host: str = "127.0.0.1"
    port: int | None = None
    token: str = ""


async def serve(pages: Pages, address: Address, on_ready: Callable[[str], None]) -> None:
    """Serve until the task is cancelled; `on_ready` is given the address once pages can be opened."""
    async with running(pages, address) as url:
        on_ready(url)
        await asyncio.Event().wait()


@asynccontextmanager
async def running(pages: Pages, address: Address) -> AsyncIterator[str]:
    """Serve while the context is open, and give the address of the pages. Raises UsageError for one that is taken."""
    token = address.token or ("" if is_loopback(address.host) else secrets.token_urlsafe(TOKEN_BYTES))
    guard = Guard(address.host, token)
    listening = _listen(address)
    guard.port = listening.getsockname()[1]
    runner = web.AppRunner(make_app(pages, guard), access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        name = f"[{address.host}]" if ":" in address.host else address.host
        yield f"http://{name}:{guard.port}/{f'?token={token}' if token else ''}"
    finally:
        await runner.cleanup()


def _listen(address: Address) -> socket.socket:
    ports = [PORT, 0] if address.port is None else [address.port]
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    reason: OSError | TypeError | None = None
    for port in ports:
        try:
            return socket.create_server((address.host, port), family=family)
        except (OSError, TypeError) as error:  # TypeError: a host that is no name
            reason = error
    raise UsageError(f"{address.host}:{ports[-1]}: cannot be listened on ({reason}); give another --port or --host")
