"""The server: what it answers, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from viewed_runs import NAME, pages_of, six

from earmark.viewer.serve import Address, running
from earmark.viewer.server import STATIC, Guard, static_files

Visit = Callable[[aiohttp.ClientSession, str], Awaitable[Any]]


def visit(root: Path, visitor: Visit, address: Address = Address(port=0)) -> Any:  # noqa: B008 - a tuple
    """Serve a folder to one visitor."""

    async def go() -> Any:
        async with running(pages_of(root), address) as url, aiohttp.ClientSession() as session:
            return await visitor(session, url)

    return asyncio.run(go())


def statuses(root: Path, path: str, *headers: dict[str, str], **more: Any) -> list[int]:
    async def ask(session: aiohttp.ClientSession, url: str) -> list[int]:
        found = []
        for each in headers:
            async with session.get(url + path, headers=each, **more) as response:
                found.append(response.status)
        return found

    found: list[int] = visit(root, ask)
    return found


def test_pages_data_and_headers(tmp_path: Path) -> None:
    six(tmp_path)

    async def ask(session: aiohttp.ClientSession, url: str) -> None:
        async with session.get(url) as response:
            text = await response.text()
            policy = response.headers["Content-Security-Policy"]
            nonce = policy.partition("'nonce-")[2].partition("'")[0]
            assert f'data-nonce="{nonce}"' in text
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
            assert "unsafe" not in policy
        async with session.get(url) as response:
            assert nonce not in response.headers["Content-Security-Policy"]
        async with session.get(f"{url}api/items", params={"run": NAME, "mark": "wrong"}) as response:
            assert (await response.json())["total"] == 3
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Referrer-Policy"] == "no-referrer"
            assert "Access-Control-Allow-Origin" not in response.headers
        async with session.get(f"{url}static/app/core.js") as response:
            assert response.content_type == "text/javascript"
        async with session.head(url) as response:
            assert response.status == 200

    visit(tmp_path, ask)


def test_other_hosts_and_sites_are_refused(tmp_path: Path) -> None:
    assert statuses(tmp_path, "api/runs", {"Host": "evil"}, {"Host": "evil:80"}, {"Host": ""}) == [403, 403, 403]
    sites = ({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "same-origin", "none"))
    assert statuses(tmp_path, "api/runs", *sites) == [403, 403, 200, 200]


def test_only_get_and_head(tmp_path: Path) -> None:
    async def ask(session: aiohttp.ClientSession, url: str) -> list[int]:
        methods = ("POST", "PUT", "DELETE", "OPTIONS", "PATCH")
        found = []
        for method in methods:
            async with session.request(method, f"{url}api/runs") as response:
                found.append(response.status)
        return found

    assert visit(tmp_path, ask) == [405] * 5


@pytest.mark.parametrize(
    "path", ["static/../server.py", "static/%2e%2e/server.py", "static//etc/passwd", "static/vendor", "api/none",
             "media/none", "etc/passwd", "static/app"],
)  # fmt: skip
def test_there_is_nothing_else(tmp_path: Path, path: str) -> None:
    assert statuses(tmp_path, path, {}) in ([404], [403])


def test_errors_are_told_as_data(tmp_path: Path) -> None:
    async def ask(session: aiohttp.ClientSession, url: str) -> None:
        for query, status, words in (("run=../..", 404, "is no run here"), ("run=x&sort=no", 400, "expected one of")):
            async with session.get(f"{url}api/items?{query}") as response:
                assert response.status == status
                assert words in (await response.json())["error"]

    visit(tmp_path, ask)


def test_a_token_guards_other_addresses(tmp_path: Path) -> None:
    async def ask(session: aiohttp.ClientSession, url: str) -> None:
        base, _, token = url.partition("?token=")
        assert len(token) > 40
        for query in ("", "?token=wrong"):
            async with session.get(base + query) as response:
                assert response.status == 403
        async with session.get(url) as response:
            assert response.status == 200
            assert "token" not in str(response.url)
        async with session.get(f"{base}api/runs") as response:
            assert response.status == 200

    jar = Address("0.0.0.0", 0)  # noqa: S104 - it is what is tested

    async def go() -> None:
        async with running(pages_of(tmp_path), jar) as url:
            cookies = aiohttp.CookieJar(unsafe=True)
            async with aiohttp.ClientSession(cookie_jar=cookies) as session:
                await ask(session, url.replace("0.0.0.0", "127.0.0.1"))  # noqa: S104

    asyncio.run(go())


def test_names_that_are_served() -> None:
    guard = Guard("127.0.0.1")
    guard.port = 80
    assert guard.is_served("127.0.0.1")
    assert guard.is_served("[::1]:80")
    assert not guard.is_served("127.0.0.1.evil.example")
    assert not guard.is_served("localhost:81")
    named = Guard("box.example", "t")
    named.port = 7000
    assert named.is_served("BOX.example:7000")
    assert not named.is_served("localhost:7000")


def test_scripts_and_styles_are_all_of_the_package() -> None:
    text = (STATIC / "index.html").read_text()
    names = [part.partition('"')[0] for part in text.split('src="static/')[1:] + text.split('href="static/')[1:]]
    assert names
    assert set(names) <= set(static_files())
    assert "<script>" not in text
    for name, path in static_files().items():
        if path.suffix == ".js" and not name.startswith("vendor/"):
            source = path.read_text()
            assert "innerHTML" not in source, name
            assert "eval(" not in source, name
            assert "import " not in source.partition("\n")[0], name
