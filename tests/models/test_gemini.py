"""Gemini's generateContent: requests, and every way in which a reply can end."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiohttp import web
from servers import threaded

from earmark.audio.prepare import prepare_audio
from earmark.engine.open import open_model
from earmark.errors import AskError, BadSetup, ContentFiltered, Rejected, Transient
from earmark.types import Prompt, Response, SynthSpec, Turn

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0}, "tone")
PROMPT = Prompt((Turn("user", (TONE, "Which?")),), sampling={"max_tokens": 8})


@contextlib.contextmanager
def google(reply: Callable[[], web.Response]) -> Iterator[tuple[str, list[web.BaseRequest], list[dict[str, Any]]]]:
    """A server that answers so: its address, the requests and their bodies."""
    requests: list[web.BaseRequest] = []
    bodies: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.Response:
        requests.append(request)
        bodies.append(json.loads(await request.read()))
        return reply()

    app = web.Application()
    app.router.add_post("/v1beta/models/{call}", answer)
    with threaded(app) as port:
        yield f"http://127.0.0.1:{port}/v1beta", requests, bodies


def candidate(text: str | None = "B", finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}} if text is not None else {}
    return {"candidates": [told | ({"finishReason": finish} if finish else {}) | more]}


def generate(url: str, prompt: Prompt = PROMPT, **settings: Any) -> Response:
    async def go() -> Response:
        async with open_model(
            {"backend": "gemini", "name": "gemini-x", "base_url": url, "api_key_env": "GEMINI_API_KEY", **settings}
        ) as model:
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret-1")


def test_a_request_is_what_google_documents() -> None:
    turns = (
        Turn("system", ("Be brief.",)),
        Turn("user", ("first", TONE, "Which?")),
        Turn("assistant", ("A",)),
        Turn("user", ("Sure?",)),
    )
    with google(lambda: web.json_response(candidate())) as (url, requests, bodies):
        generate(url, Prompt(turns, sampling={"max_tokens": 8, "top_p": 0.9}), generation={"thinkingConfig": {"x": 1}})
    (request,), (body,) = requests, bodies
    assert request.path == "/v1beta/models/gemini-x:generateContent"
    assert "secret-1" not in str(request.url)
    assert request.headers["x-goog-api-key"] == "secret-1"
    sound = body["contents"][0]["parts"][1]["inline_data"]
    assert base64.b64decode(sound.pop("data"))[:4] == b"RIFF"
    assert body == {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {
                "role": "user",
                "parts": [{"text": "first"}, {"inline_data": {"mime_type": "audio/wav"}}, {"text": "Which?"}],
            },
            {"role": "model", "parts": [{"text": "A"}]},
            {"role": "user", "parts": [{"text": "Sure?"}]},
        ],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 8, "topP": 0.9, "thinkingConfig": {"x": 1}},
    }


def test_settings_go_before_what_the_benchmark_prescribes() -> None:
    with google(lambda: web.json_response(candidate())) as (url, _, bodies):
        generate(url, temperature=None, max_tokens=3, system_prompt="Listen.", extra={"safetySettings": []})
    assert bodies[0]["generationConfig"] == {"maxOutputTokens": 3}
    assert bodies[0]["system_instruction"] == {"parts": [{"text": "Listen."}]}
    assert bodies[0]["safetySettings"] == []


def test_thoughts_and_tokens_are_told_apart() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "It is "}, {"text": "B"}]
    usage = {
        "promptTokenCount": 40,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 5,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 8}, {"modality": "AUDIO", "tokenCount": 32}],
    }
    told = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
    with google(lambda: web.json_response(told)) as (url, _, _):
        answer = generate(url, prices={"in": 1, "out": 2, "sound": 3})
    assert (answer.text, answer.reasoning, answer.stop) == ("It is B", "hm", "end")
    assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.audio_tokens_in) == (40, 8, 32)
    assert answer.usage.cost == pytest.approx((8 * 1 + 32 * 3 + 8 * 2) / 1e6)


@pytest.mark.parametrize(
    ("told", "text", "stop"),
    [
        (candidate("It", "MAX_TOKENS"), "It", "length"),
        (candidate(None, "MAX_TOKENS"), "", "length"),
        (candidate(None, "SAFETY"), "", "filtered"),
        (candidate("It", "RECITATION"), "It", "filtered"),
        *((candidate(None, end), "", "filtered") for end in ("PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "safety")),
        *((candidate(text, "STOP"), "", "end") for text in (None, "")),
        ({"candidates": [{"content": None, "finishReason": "STOP"}]}, "", "end"),
        (candidate("B", None), "B", "end"),
        (candidate("B", "OTHER"), "B", "end"),
    ],
)
def test_every_end_has_its_kind(told: dict[str, Any], text: str, stop: str) -> None:
    with google(lambda: web.json_response(told)) as (url, _, _):
        answer = generate(url)
    assert (answer.text, answer.stop) == (text, stop)


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (200, {"promptFeedback": {"blockReason": "SAFETY"}}, ContentFiltered, "the prompt was blocked: SAFETY"),
        (200, candidate(None, "OTHER", finishMessage="odd"), Transient, "no answer: OTHER odd"),
        (200, {"candidates": []}, Transient, "without an answer"),
        (200, "no json", Transient, "HTTP 502: no json"),
        (200, {"candidates": ["B"]}, Transient, r"not the form that it should have: .* `\$\.candidates\[0\]`"),
        (200, {"candidates": [{"content": {"parts": ["B"]}}]}, Transient, "not the form"),
        (200, {"candidates": {"content": "B"}}, Transient, "not the form"),
        (400, {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad audio"}}, Rejected, "bad audio"),
        (
            400,
            {"error": {"code": 400, "message": "API key not valid", "details": [{"reason": "API_KEY_INVALID"}]}},
            BadSetup,
            "check the key",
        ),
        (403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "no"}}, BadSetup, "check the key"),
        (404, {"error": {"code": 404, "message": "no such model"}}, BadSetup, "the model's name"),
        (
            503,
            {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}},
            Transient,
            "UNAVAILABLE: over",
        ),
        (500, "a page of HTML", Transient, "HTTP 500: a page"),
    ],
)
def test_every_failure_has_its_kind(status: int, body: Any, kind: type[AskError], message: str) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    with google(lambda: web.Response(status=status, text=text)) as (url, _, _), pytest.raises(kind, match=message):
        generate(url)


def test_the_time_to_wait_stands_in_the_details() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    error = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": details}}
    with google(lambda: web.json_response(error, status=429)) as (url, _, _), pytest.raises(Transient) as caught:
        generate(url)
    assert caught.value.wait == 34.5
    assert caught.value.busy


def test_a_missing_key_is_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(BadSetup, match=r"\$GEMINI_API_KEY holds no key"):
        generate("http://127.0.0.1:9")


def test_a_request_that_is_too_large_is_not_sent() -> None:
    with (
        google(lambda: web.json_response(candidate())) as (url, requests, _),
        pytest.raises(Rejected, match="nothing was"),
    ):
        generate(url, max_body_bytes=1000)
    assert requests == []
