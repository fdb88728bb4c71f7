"""How services are reached: addresses, proxies, keys, redirects, waits and the size of replies."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from servers import Stream, said, serving, threaded
from yarl import URL

from earmark.audio.prepare import prepare_audio
from earmark.config.parse import parse_model
from earmark.engine.open import open_model
from earmark.engine.runner import ask
from earmark.errors import BadSetup, Rejected, Transient
from earmark.models import openai
from earmark.models._http import endpoint, proxy_for
from earmark.models._openai_queue import BatchQueue
from earmark.models.openai import Settings
from earmark.types import Context, Failure, Prompt, Response, SynthSpec, Turn

QUESTION = Prompt((Turn("user", ("Which?",)),))
TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0}, "tone")
KEY = "sk-1234567890abcdef"
Answer = Callable[[web.Request], web.StreamResponse]


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@contextmanager
def catching(answer: Answer | None = None) -> Iterator[tuple[int, list[web.Request]]]:
    """A server that answers any request: its port, and the requests."""
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        await request.read()
        seen.append(request)
        return answer(request) if answer else said("B")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    app.on_response_prepare.append(_plain)
    with threaded(app) as port:
        yield port, seen


async def _plain(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.pop("Server", None)


def generate(url: str, backend: str = "openai", **settings: Any) -> Response:
    async def go() -> Response:
        async with open_model({"backend": backend, "name": "m", "base_url": url, **settings}) as model:
            prompt = Prompt((Turn("user", (TONE,)),)) if backend == "transcriptions" else QUESTION
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("backend", "path"),
    [
        ("openai", "/openai/deployments/x/chat/completions"),
        ("transcriptions", "/openai/deployments/x/audio/transcriptions"),
        ("gemini", "/openai/deployments/x/models/m:generateContent"),
    ],
)
@pytest.mark.parametrize("slash", ["", "/"])
def test_the_query_of_an_address_stays_at_its_end(backend: str, path: str, slash: str) -> None:
    reply = {
        "text": "B",
        "candidates": [{"content": {"parts": [{"text": "B"}]}}],
        "choices": [{"message": {"content": "B"}}],
    }
    with catching(lambda _: web.json_response(reply)) as (port, seen):
        url = f"http://127.0.0.1:{port}/openai/deployments/x{slash}?api-version=2024-10-21"
        assert generate(url, backend).text == "B"
    assert [str(request.rel_url) for request in seen] == [f"{path}?api-version=2024-10-21"]


def test_so_do_the_list_of_models_and_the_queue_for_batches() -> None:
    async def go(url: str) -> None:
        async with openai.load(Settings(base_url=url), Context()) as model:
            await BatchQueue(model).find("f")

    reply = {"data": [{"id": "m", "status": "completed"}]}
    with catching(lambda _: web.json_response(reply)) as (port, seen):
        asyncio.run(go(f"http://127.0.0.1:{port}/v1?api-version=1"))
    assert [str(request.rel_url) for request in seen] == [
        "/v1/models?api-version=1",
        "/v1/batches?api-version=1&limit=100",
    ]
    assert str(endpoint("http://h/v1/#part", "/models")) == "http://h/v1/models"


# ---------------------------------------------------------------- proxies


def test_a_proxy_of_the_environment_is_asked_for_hosts_that_only_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    with catching() as (port, seen):
        monkeypatch.setenv("HTTP_PROXY", f"http://me:secret@127.0.0.1:{port}")
        assert generate("http://only.the.proxy.knows/v1").text == "B"
        (request,) = seen
        assert request.headers["Host"] == "only.the.proxy.knows"
        assert request.headers["Proxy-Authorization"] == f"Basic {base64.b64encode(b'me:secret').decode()}"
        assert "Authorization" not in request.headers


def test_what_needs_no_proxy_goes_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with catching() as (port, _):
        assert generate(f"http://127.0.0.1:{port}/v1").text == "B", "this machine's own addresses"
    monkeypatch.setenv("NO_PROXY", "inside.example.org,10.1.2.3:8000")
    assert proxy_for(URL("http://gpu.inside.example.org/v1")) == (None, None)
    assert proxy_for(URL("http://10.1.2.3:8000/v1")) == (None, None)
    assert proxy_for(URL("http://10.1.2.3:8001/v1"))[0] == URL("http://127.0.0.1:9")
    assert proxy_for(URL("https://inside.org/v1")) == (None, None), "HTTPS_PROXY is for https"


def test_a_proxy_that_does_not_answer_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:secret@127.0.0.1:9")
    with pytest.raises(Transient, match=r"127\.0\.0\.1:9") as told:
        generate("http://only.the.proxy.knows/v1")
    assert "secret" not in str(told.value)
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(BadSetup, match=r"HTTP_PROXY names a proxy of socks5://.*NO_PROXY=h\.org avoids it"):
        generate("http://h.org/v1")


def test_netrc_sends_no_password_to_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\ndefault login me password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with catching() as (port, seen):
        generate(f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        generate("http://only.the.proxy.knows/v1")
    assert not [name for request in seen for name in request.headers if "authorization" in name.lower()]


# ---------------------------------------------------------------- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with catching() as (other, elsewhere):
        moved = {"Location": f"http://localhost:{other}/v1/chat/completions"}
        with (
            catching(lambda _: web.Response(status=status, headers=moved)) as (port, _),
            pytest.raises(BadSetup, match=rf"127\.0\.0\.1:{port}/v1.*HTTP {status}\) to http://localhost:{other}/v1"),
        ):
            generate(f"http://127.0.0.1:{port}/v1", api_key_env="MY_KEY")
    assert not elsewhere


# ---------------------------------------------------------------- keys


def test_the_key_of_a_service_goes_to_no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.setenv(name, KEY)
    google = {
        "candidates": [{"content": {"parts": [{"text": "B"}]}}],
        "text": "B",
        "choices": [{"message": {"content": "B"}}],
    }
    with catching(lambda _: web.json_response(google)) as (port, seen):
        for backend in ("openai", "transcriptions", "gemini"):
            generate(f"http://127.0.0.1:{port}/api.openai.com/v1", backend)
    assert len(seen) == 3
    assert not [request for request in seen if KEY in str(request.headers) + str(request.url)]


@pytest.mark.parametrize(
    ("backend", "where", "expected"),
    [
        ("openai", {}, ("Authorization", f"Bearer {KEY}")),
        ("transcriptions", {}, ("Authorization", f"Bearer {KEY}")),
        ("gemini", {}, ("x-goog-api-key", KEY)),
        ("openai", {"api_key_header": "api-key"}, ("api-key", KEY)),
        ("openai", {"api_key_query": "key"}, ("key", KEY)),
    ],
)
def test_a_key_that_is_named_goes_where_the_user_says(
    backend: str, where: dict[str, str], expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    google = {
        "candidates": [{"content": {"parts": [{"text": "B"}]}}],
        "text": "B",
        "choices": [{"message": {"content": "B"}}],
    }
    with catching(lambda _: web.json_response(google)) as (port, seen):
        generate(f"http://127.0.0.1:{port}/v1?v=1", backend, api_key_env="MY_KEY", **where)
    (request,) = seen
    sent = {**request.headers, **request.query}
    assert sent[expected[0]] == expected[1]
    assert list(sent.values()).count(expected[1]) == 1
    assert request.query["v"] == "1"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_url": "http://me:PASSWORD1@h/v1"}, r"the address of h contains a user or a password"),
        ({"base_url": "http://h/v1?api_key=PASSWORD1"}, r"contains api_key=.*model\.api_key_query=api_key"),
        ({"base_url": "http://h/v1?subscription-Key=PASSWORD1"}, r"contains subscription-Key="),
        ({"api_key_env": "sk-PASSWORD1"}, r"is no variable of the environment"),
        ({"api_key_env": "gskPASSWORD1"}, r"is no variable of the environment"),
        ({"api_key_env": "MY_KEY"}, r"^\$MY_KEY holds no key"),
        ({"api_key_header": "api-key"}, r"no key belongs to 127\.0\.0\.1; name the variable"),
        ({"api_key_header": "api key", "api_key_env": "HOME"}, r"the name of a header or a query field"),
    ],
)
def test_a_key_in_the_settings_is_refused_and_not_shown(settings: dict[str, str], message: str) -> None:
    with pytest.raises(BadSetup, match=message) as told:
        generate(**{"url": settings.pop("base_url", "http://127.0.0.1:9/v1"), **settings})
    assert "PASSWORD1" not in str(told.value)


@pytest.mark.parametrize("where", [{}, {"api_key_query": "key"}, {"api_key_header": "api-key"}])
@pytest.mark.parametrize("status", [200, 400, 307])
def test_a_key_that_comes_back_is_hidden(where: dict[str, str], status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-12 34/5678&90"
    monkeypatch.setenv("MY_KEY", key)

    def echo(request: web.Request) -> web.Response:
        told = f"you sent {key} in {request.url}"
        body = {"choices": [{"message": {"content": told}}]} if status == 200 else {"error": {"message": told}}
        return web.json_response(body, status=status, headers={"Location": f"http://h/?k={key}"})

    with catching(echo) as (port, _):
        try:
            shown = generate(f"http://127.0.0.1:{port}/v1", api_key_env="MY_KEY", **where).text
        except (BadSetup, Rejected) as error:
            shown = str(error)
    assert "***" in shown
    assert "5678" not in shown


# ---------------------------------------------------------------- replies


def packed(data: bytes, packing: str) -> bytes:
    return {"gzip": gzip.compress, "deflate": zlib.compress, "raw": lambda d: zlib.compress(d)[2:-4], "": bytes}[
        packing
    ](data)


@pytest.mark.parametrize("packing", ["", "gzip", "deflate", "raw"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_reply_that_is_too_large_is_refused_by_name(packing: str, chunked: bool) -> None:
    def body(words: str) -> bytes:
        return packed(json.dumps({"choices": [{"message": {"content": words}}]}).encode(), packing)

    def answer(words: str) -> Answer:
        def reply(_: web.Request) -> web.Response:
            response = web.Response(body=body(words), content_type="application/json")
            if packing:
                response.headers["Content-Encoding"] = packing.replace("raw", "deflate")
            if chunked:
                response.enable_chunked_encoding()
            return response

        return reply

    with catching(answer("B")) as (port, _):
        assert generate(f"http://127.0.0.1:{port}/v1").text == "B"
    with catching(answer("B" * 3_000_000)) as (port, _):
        assert len(generate(f"http://127.0.0.1:{port}/v1").text) == 3_000_000
        with pytest.raises(Rejected, match=r"more than 1,000,000 bytes.*raise model\.max_reply_bytes"):
            generate(f"http://127.0.0.1:{port}/v1", max_reply_bytes=1_000_000)


def test_a_bomb_is_not_unpacked() -> None:
    """64 MiB of blanks in 64 kB: no more of it than the limit is ever made."""
    bomb = gzip.compress(b" " * (1 << 26))
    headers = {"Content-Encoding": "gzip"}
    with (
        catching(lambda _: web.Response(body=bomb, headers=headers)) as (port, _),
        pytest.raises(Rejected, match="16,777,216"),
    ):
        generate(f"http://127.0.0.1:{port}/v1")
    with (
        catching(lambda _: web.Response(body=b"x", headers={"Content-Encoding": "br"})) as (port, _),
        pytest.raises(Rejected, match="compressed as 'br'"),
    ):
        generate(f"http://127.0.0.1:{port}/v1")
    with (
        catching(lambda _: web.Response(body=bomb[:500], headers=headers)) as (port, _),
        pytest.raises(Transient, match="ended within its compressed data"),
    ):
        generate(f"http://127.0.0.1:{port}/v1")
    with (
        catching(lambda _: web.Response(body=b"no gzip", headers=headers)) as (port, _),
        pytest.raises(Transient, match="decompressed"),
    ):
        generate(f"http://127.0.0.1:{port}/v1")


def test_a_stream_that_is_too_large_is_refused_by_name() -> None:
    piece = b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % (b"B" * 1000)
    with serving(lambda *_: Stream([piece] * 100)) as server, pytest.raises(Rejected, match="more than 50,000 bytes"):
        generate(server.url, stream=True, max_reply_bytes=50_000)


@pytest.mark.parametrize("status", [200, 201, 206])
@pytest.mark.parametrize("backend", ["openai", "transcriptions", "gemini"])
def test_an_answer_behind_a_mark_or_another_success_is_one(status: int, backend: str) -> None:
    reply = {
        "text": "B",
        "candidates": [{"content": {"parts": [{"text": "B"}]}}],
        "choices": [{"message": {"content": "B"}}],
    }
    data = b"\xef\xbb\xbf" + json.dumps(reply).encode()
    with catching(lambda _: web.Response(body=data, status=status)) as (port, _):
        assert generate(f"http://127.0.0.1:{port}/v1", backend).text == "B"


@pytest.mark.parametrize("usage", [{"cost": 1e308}, {"prompt_tokens": 10**15}, {"prompt_tokens": 1e30}, {"cost": -1}])
def test_numbers_of_servers_have_bounds(usage: dict[str, Any]) -> None:
    reply = {"choices": [{"message": {"content": "B"}}], "usage": usage}
    with catching(lambda _: web.json_response(reply)) as (port, _):
        used = generate(f"http://127.0.0.1:{port}/v1").usage
    assert used.cost == used.tokens_in == 0


# ---------------------------------------------------------------- waits


NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    ("header", "named"),
    [
        *((header, "") for header in ("-1", "-5", "nan", "inf", "-inf", "0", "soon")),
        pytest.param(format_datetime(NOW - timedelta(days=1), usegmt=True), "", id="yesterday"),
        ("1e9", "1,000,000,000 s, longer than retry_timeout=900"),
        ("999999", "999,999 s, longer than retry_timeout=900"),
        pytest.param(
            format_datetime(NOW + timedelta(days=365), usegmt=True),
            r"31,53\d,\d\d\d(\.\d+)? s, longer than retry_timeout=900",
            id="in a year",
        ),
    ],
)
def test_a_wait_that_is_none_is_our_own_and_one_beyond_the_limit_is_named(
    header: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)
    monkeypatch.setattr("stamina._core._smart_sleep", sleep)

    async def go(url: str) -> tuple[Response | Failure, int]:
        async with openai.load(Settings(name="m", base_url=url), Context()) as model:
            return await ask(model, QUESTION, 3, 900.0)

    def busy(_: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "slow"}}, status=429, headers={"Retry-After": header})

    with catching(busy) as (port, seen):
        outcome, attempts = asyncio.run(go(f"http://127.0.0.1:{port}/v1"))
    assert isinstance(outcome, Failure)
    assert not outcome.final
    if named:
        assert attempts == len(seen) == 1
        assert outcome.message.startswith("HTTP 429: slow; it asks to wait ")
    else:
        assert attempts == len(seen) == 3
        assert waits == [0.5, 1.0], "as far apart as where a server says nothing"
    assert re.search(named, outcome.message)


def test_the_wait_that_ran_out_is_named() -> None:
    """Such as of an https:// address at a port that speaks no TLS."""

    async def silent(request: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    app = web.Application()
    app.router.add_get("/v1/models", silent)
    with threaded(app) as port, pytest.raises(BadSetup, match=r"within 0\.3 s; raise model\.connect_timeout"):
        asyncio.run(_opened(f"http://127.0.0.1:{port}/v1"))


async def _opened(url: str) -> None:
    async with openai.load(Settings(base_url=url, connect_timeout=0.3), Context()):
        pass


def test_a_limit_of_replies_is_a_number_of_bytes() -> None:
    settings = parse_model({"backend": "openai", "name": "m", "max_reply_bytes": 10}).settings
    assert settings.max_reply_bytes == 10
