"""The server of `earmark view`: pages, data and sound, for this machine alone unless a token is set. GET and HEAD only.

Requests for another host and from another site are refused, so that no page of the network can read or drive it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import web

from earmark.errors import BadData, EarmarkError
from earmark.viewer.pages import Pages

STATIC: Final = Path(__file__).parent / "static"
TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
                ".txt": "text/plain", ".svg": "image/svg+xml"}  # fmt: skip
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
NONCE: Final = "{{nonce}}"  # where a page has it
COOKIE: Final = "earmark_token"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
PAGES: Final = web.AppKey("pages", Pages)


class Guard:
    """Middleware that refuses what no page of this server sends."""

    def __init__(self, host: str, token: str = "") -> None:
        self.host, self.token = host, token
        self.port = 0  # known once the server listens

    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check a request, and add the headers of safety to its response."""
        refusal = self._refusal(request)
        if refusal is not None:
            return _with_headers(refusal)
        if self.token and "token" in request.query:
            return _with_headers(self._set_cookie(request))
        try:
            response = await handler(request)
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.reason)
        return _with_headers(response)

    def _refusal(self, request: web.Request) -> web.Response | None:
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, text="only GET and HEAD are answered", headers={"Allow": "GET, HEAD"})
        if not self.is_served(request.headers.get("Host", "")):
            return web.Response(status=403, text="refused: this server has another name")
        if request.headers.get("Sec-Fetch-Site", "none") in ("cross-site", "same-site"):
            return web.Response(status=403, text="refused: the request comes from another site")
        given = request.query.get("token", request.cookies.get(COOKIE, ""))
        if self.token and not hmac.compare_digest(given.encode(), self.token.encode()):
            return web.Response(status=403, text="refused: open the address with the token that earmark view printed")
        return None

    def is_served(self, header: str) -> bool:
        name, _, port = header.rpartition(":") if not header.endswith("]") else (header, "", "80")
        if not name:
            name, port = header, "80"
        name = name.strip("[]").lower()
        if port != str(self.port):
            return False
        if self.host in ("0.0.0.0", "::"):  # noqa: S104 - then the token guards it, and any address of it is its own
            return name == "localhost" or _is_address(name)
        own = {self.host.lower()}
        return name in (own | {"localhost", "127.0.0.1", "::1"} if is_loopback(self.host) else own)

    def _set_cookie(self, request: web.Request) -> web.Response:
        """Keep the token in a cookie, out of the address."""
        response = web.Response(status=303, headers={"Location": request.path})
        response.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict", path="/")
        return response


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """True if only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _with_headers(response: web.StreamResponse) -> web.StreamResponse:
    if not response.prepared:
        policy = POLICY.format(nonce=secrets.token_urlsafe(16))  # of a page that has no style of its own
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def make_app(pages: Pages, guard: Guard) -> web.Application:
    """Create the application."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await guard.check(request, handler)

    app = web.Application(middlewares=[check])
    app[PAGES] = pages
    app.router.add_get("/", _index)
    app.router.add_get("/static/{path:.+}", _static)
    app.router.add_get("/api/{page}", _json)
    app.router.add_get("/media/{kind}", _media)
    return app


async def _index(request: web.Request) -> web.StreamResponse:
    del request
    nonce = secrets.token_urlsafe(16)
    text = (STATIC / "index.html").read_text(encoding="utf-8").replace(NONCE, nonce)
    headers = {"Content-Security-Policy": POLICY.format(nonce=nonce)}
    return web.Response(text=text, content_type="text/html", headers=headers)


async def _static(request: web.Request) -> web.StreamResponse:
    path = static_files().get(request.match_info["path"])
    if path is None:
        raise web.HTTPNotFound
    return web.Response(body=path.read_bytes(), content_type=TYPES[path.suffix], charset="utf-8")


def static_files() -> dict[str, Path]:
    """Return the files of the pages by their name below the folder."""
    files = (path for path in STATIC.rglob("*") if path.suffix in TYPES and path.is_file())
    return {path.relative_to(STATIC).as_posix(): path for path in files}


async def _json(request: web.Request) -> web.StreamResponse:
    page = request.app[PAGES].data_functions().get(request.match_info["page"])
    if page is None:
        raise web.HTTPNotFound
    return await _answer(page, list(request.query.items()))


async def _answer(page: Callable[[list[tuple[str, str]]], Any], query: list[tuple[str, str]]) -> web.Response:
    try:
        value = await asyncio.to_thread(page, query)
    except EarmarkError as error:
        status = 404 if isinstance(error, BadData) else 400
        return web.json_response({"error": str(error)}, status=status)
    body = await asyncio.to_thread(msgspec.json.encode, value)
    return web.Response(body=body, content_type="application/json", charset="utf-8")


async def _media(request: web.Request) -> web.StreamResponse:
    page = request.app[PAGES].media_functions().get(request.match_info["kind"])
    if page is None:
        raise web.HTTPNotFound
    try:
        media = await asyncio.to_thread(page, list(request.query.items()))
    except EarmarkError as error:
        return web.json_response({"error": str(error)}, status=404)
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=600"}
    if request.query.get("save"):
        headers["Content-Disposition"] = f'attachment; filename="{media.name}"'
    return respond_range(media.data, media.mime, request.headers.get("Range", ""), headers)


def respond_range(data: bytes, mime: str, wanted: str, headers: dict[str, str]) -> web.Response:
    """Respond with bytes, or with the one range of them that is asked for.

    >>> response = respond_range(b"abcdef", "audio/wav", "bytes=2-3", {})
    >>> response.status, response.body, response.headers["Content-Range"]
    (206, b'cd', 'bytes 2-3/6')
    >>> respond_range(b"abcdef", "audio/wav", "bytes=9-", {}).status
    416
    """
    unit, _, span = wanted.partition("=")
    first, dash, last = span.partition("-")
    is_range = unit == "bytes" and dash and all(part.isdecimal() or not part for part in (first, last)) and first + last
    if not is_range:
        return web.Response(body=data, content_type=mime, headers=headers)
    start = int(first) if first else max(0, len(data) - int(last))
    end = min(int(last) if first and last else len(data) - 1, len(data) - 1)
    if start > end:
        return web.Response(status=416, headers=headers | {"Content-Range": f"bytes */{len(data)}"})
    part = headers | {"Content-Range": f"bytes {start}-{end}/{len(data)}"}
    return web.Response(status=206, body=data[start : end + 1], content_type=mime, headers=part)
