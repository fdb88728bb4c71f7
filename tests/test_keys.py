"""Keys: whichever way one is given, none is left in a file or on the terminal, and none goes to another address."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from commands import ENV, earmark
from servers import said, serving, threaded

from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.config.settings import convert_config, to_yaml
from earmark.config.signature import model_signature
from earmark.engine.open import open_model
from earmark.errors import BadSetup

KEY = "sk-proj-0123456789abcdefABCDEF"
SECOND = "correct-horse-battery-9"
RUN = ("mine.bench", "items=2", "preflight=false", "max_attempts=1")


def left(home: Path, *texts: str) -> str:
    """Everything that a command leaves: what it printed, and every file under results, the cache and the home."""
    places = (Path("results"), Path("cache"), home)
    files = [
        path.read_bytes().decode("utf-8", "replace") for place in places for path in place.rglob("*") if path.is_file()
    ]
    return "\n".join([*texts, *files])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(ENV, "HOME", str(tmp_path))
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(Path.cwd() / "cache"))
    monkeypatch.setitem(ENV, "OPENAI_API_KEY", KEY)
    monkeypatch.setitem(ENV, "MY_KEY", KEY)
    monkeypatch.setitem(ENV, "PLAIN_NAME", "a user")
    return tmp_path


WAYS = {  # the words, the status, and what is sent
    "of the service, to another address": ((), 0, ""),
    "named": (("model.api_key_env=MY_KEY",), 0, f"Bearer {KEY}"),
    "in a header": (("model.api_key_env=MY_KEY", "model.api_key_header=api-key"), 0, KEY),
    "in the query": (("model.api_key_env=MY_KEY", "model.api_key_query=key"), 0, KEY),
    "for a name": ((f"model.api_key_env={KEY}",), 4, ""),
    "in extra, by its variable": (("model.extra={user: '${oc.env:MY_KEY}'}",), 0, KEY),
    "in extra, typed": ((f"model.extra={{user: '{KEY}'}}",), 0, KEY),
    "in the address": ((f"model.base_url=http://127.0.0.1:1/v1?api_key={KEY}",), 4, ""),
    "as a password": ((f"model.base_url=http://me:{SECOND}@127.0.0.1:1/v1",), 4, ""),
}


@contextmanager
def watching() -> Iterator[tuple[str, list[str]]]:
    """A server that repeats what it was sent, and all that it was sent."""
    seen: list[str] = []
    lock = threading.Lock()

    async def chat(request: web.Request) -> web.Response:
        body = (await request.read()).decode()
        with lock:
            seen.append(f"{dict(request.headers)} {request.url.query} {body}")
        answer = {
            "choices": [{"message": {"content": f"A {dict(request.headers)} {request.url}"}, "finish_reason": "stop"}]
        }
        return web.json_response(answer)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    with threaded(app) as port:
        yield f"http://127.0.0.1:{port}/v1", seen


@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_giving_a_key_leaves_it_anywhere(way: str, home: Path) -> None:
    words, status, sent = WAYS[way]
    with watching() as (url, seen):
        done = earmark("run", *RUN, f"model={url}", "model.name=m", *words)
        assert done.returncode == status, done.stderr
        if not status:
            again = earmark("run", *RUN, f"model={url}", "model.name=m", *words, "model.cache=true", "repeats=1")
            assert again.returncode == 0, again.stderr
    everything = left(home, done.stdout, done.stderr)
    assert KEY not in everything
    assert SECOND not in everything
    assert "Traceback" not in everything
    assert (KEY in "".join(seen)) is bool(sent)
    assert not seen or sent in seen[0]


@pytest.mark.usefixtures("home")
def test_a_redirect_takes_no_key_along(home: Path) -> None:
    with watching() as (url, seen):
        moved = web.Response(status=307, headers={"Location": f"{url}/chat/completions"})
        with serving(lambda *_: moved) as server:
            done = earmark("run", *RUN, f"model={server.url}", "model.api_key_env=MY_KEY")
    assert done.returncode == 4
    assert f"{server.url}/chat/completions redirects (HTTP 307) to {url}/chat/completions" in done.stderr
    assert not seen
    assert KEY not in left(home, done.stdout, done.stderr)


def test_settings_are_written_with_the_name_of_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setenv("PLAIN_NAME", "somebody")
    extra = "model.extra={user: '${oc.env:MY_KEY}', who: '${oc.env:PLAIN_NAME}', typed: xai-0123456789abcdef0123}"
    settings = compose_config(["model=openai/m", extra])
    assert settings.model["extra"]["user"] == KEY
    kept = {"user": "${oc.env:MY_KEY}", "who": "somebody", "typed": "***"}
    assert convert_config(yaml.safe_load(to_yaml(settings))).model["extra"] == kept
    assert model_signature(parse_model(settings.model), "m")["extra"] == kept
    assert json.dumps(model_signature(parse_model(settings.model), "m")).count(KEY) == 0


def test_a_key_that_was_not_written_down_is_asked_for() -> None:
    model = {"backend": "openai", "name": "m", "extra": {"user": "${oc.env:MY_KEY}"}}
    with pytest.raises(BadSetup, match=r"model\.extra\.user was a key, and keys are not written down; give it again"):
        open_model(model).__aenter__().send(None)


def test_a_key_in_clear_and_an_engine_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from earmark.models._http import HttpClient
    from earmark.models.openai import Settings

    def warnings(url: str, key: str = KEY) -> tuple[str, ...]:
        return HttpClient(None, Settings(base_url=url), key, {}).warnings  # type: ignore[arg-type] # nothing is sent

    monkeypatch.delenv("HTTP_PROXY", raising=False)
    assert warnings("http://gpu.example.org/v1")[0].startswith(
        "the key is sent to gpu.example.org unencrypted, by http://"
    )
    assert not warnings("https://gpu.example.org/v1")
    assert not warnings("http://127.0.0.1:8000/v1")
    assert not warnings("http://gpu.example.org/v1", "")


def test_the_engine_is_told_in_one_line() -> None:
    async def listed(_: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "m", "owned_by": "vllm"}]})

    async def chat(_: web.Request) -> web.Response:
        return said("A")

    app = web.Application(client_max_size=10**8)
    app.router.add_get("/v1/models", listed)
    app.router.add_post("/v1/chat/completions", chat)
    with threaded(app) as port:
        done = earmark("run", *RUN, f"model=http://127.0.0.1:{port}/v1")
    assert done.returncode == 0, done.stderr
    assert (
        "the server says that it is vllm: it is asked up to 256 questions at once; model.concurrency=N" in done.stderr
    )
