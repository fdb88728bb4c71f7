"""The chat completions adapter against a server that does what real ones do rarely."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web
from servers import Stream, said, serving, sounds

from earmark.audio.prepare import prepare_audio
from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.engine.runner import ask
from earmark.errors import AskError, BadSetup, ContentFiltered, Rejected, Transient, UsageError
from earmark.models import openai
from earmark.models._http import parse_retry_after
from earmark.models._openai_queue import BatchQueue
from earmark.models.openai import Settings
from earmark.plugins.abilities import BatchOutputLine, BatchReply
from earmark.types import (
    Clip,
    Context,
    Failure,
    ImageRef,
    Part,
    Prompt,
    Response,
    SynthSpec,
    Turn,
    Usage,
)

QUESTION = Prompt((Turn("user", ("Which?",)),))
TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0}, "tone")


def generate(url: str, prompt: Prompt = QUESTION, **settings: Any) -> Response:
    async def go() -> Response:
        async with openai.load(Settings(base_url=url, **settings), Context()) as model:
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())


def asked(url: str, attempts: int = 4, **settings: Any) -> tuple[Response | Failure, int]:
    async def go() -> tuple[Response | Failure, int]:
        async with openai.load(Settings(base_url=url, **settings), Context()) as model:
            return await ask(model, QUESTION, attempts, 900.0)

    return asyncio.run(go())


@pytest.fixture(autouse=True)
def _little_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.engine.retries.MIN_BACKOFF", 0.01)
    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)


def test_the_first_listed_model_is_asked_unless_one_is_named() -> None:
    with serving(lambda *_: said("B"), models=("first", "second")) as server:
        assert generate(server.url).text == "B"
        generate(server.url, name="mine")
    assert [body["model"] for body in server.asked] == ["first", "mine"]


def test_an_ordinary_file_arrives_untouched_and_in_its_place(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(1600, "int16"), 16000)
    soundfile.write(tmp_path / "b.mp3", np.zeros(16000, "float32"), 16000)
    parts: tuple[Part, ...] = ("first", Clip(str(tmp_path / "a.wav")), "then", Clip(str(tmp_path / "b.mp3")), "which?")
    with serving(lambda *_: said("A")) as server:
        generate(server.url, Prompt((Turn("system", ("Be brief.",)), Turn("user", parts))))
    (body,) = server.asked
    assert [part["type"] for part in body["messages"][1]["content"]] == [
        "text",
        "input_audio",
        "text",
        "input_audio",
        "text",
    ]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert sounds(body) == [("wav", (tmp_path / "a.wav").read_bytes()), ("mp3", (tmp_path / "b.mp3").read_bytes())]


def test_what_does_not_fit_is_encoded_as_wav(tmp_path: Path) -> None:
    samples = np.linspace(-0.5, 0.5, 800, dtype="float32")
    soundfile.write(tmp_path / "a.flac", samples, 8000)
    with serving(lambda *_: said("A")) as server:
        generate(server.url, Prompt((Turn("user", (Clip(str(tmp_path / "a.flac")), TONE)),)))
    (tmp_path / "got.wav").write_bytes(sounds(server.asked[0])[0][1])
    got, rate = soundfile.read(tmp_path / "got.wav", dtype="float32")
    assert rate == 8000
    assert np.abs(got - samples).max() <= 1 / 32768


def test_pictures_go_as_data_urls(tmp_path: Path) -> None:
    (tmp_path / "p.jpg").write_bytes(b"\xff\xd8jpeg")
    with serving(lambda *_: said("A")) as server:
        generate(server.url, Prompt((Turn("user", (ImageRef(str(tmp_path / "p.jpg"), detail="low"), "What?")),)))
    image = server.asked[0]["messages"][0]["content"][0]
    assert image == {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9hqcGVn", "detail": "low"}}


def test_settings_go_before_what_the_benchmark_prescribes() -> None:
    prompt = Prompt(QUESTION.turns, sampling={"max_tokens": 8, "temperature": 0.5})
    with serving(lambda *_: said("A")) as server:
        generate(server.url, QUESTION)
        generate(server.url, prompt)
        generate(server.url, prompt, temperature=None, max_tokens=3, extra={"seed": 1, "top_p": None})
    told = [{k: v for k, v in body.items() if k not in ("model", "messages")} for body in server.asked]
    assert told == [{"temperature": 0.0}, {"temperature": 0.5, "max_tokens": 8}, {"max_tokens": 3, "seed": 1}]


@pytest.mark.parametrize(
    "usage", [[1], "7", {"prompt_tokens": -7}, {"completion_tokens": 1.5}, {"cost": "free"}, {"cost": -1}]
)
def test_a_count_that_cannot_be_read_loses_no_answer(usage: Any) -> None:
    body = {"choices": [{"finish_reason": "stop", "message": {"content": "B"}}], "usage": usage}
    with serving(lambda *_: web.json_response(body)) as server:
        answer = generate(server.url)
    assert (answer.text, answer.usage) == ("B", Usage())


@pytest.mark.parametrize("stream", [False, True])
def test_half_a_letter_loses_no_answer(stream: bool) -> None:
    """A server that counts in halves of letters may end with one."""
    data = json.dumps(
        {"choices": [{"delta" if stream else "message": {"content": "B \ud83d"}, "finish_reason": "stop"}]}
    ).encode()

    def reply(*_: Any) -> Any:
        return Stream([b"data: " + data + b"\n\n"]) if stream else web.Response(body=data)

    with serving(reply) as server:
        assert generate(server.url, stream=stream).text == "B \ufffd"


def test_a_redirection_that_leaves_the_question_behind_is_told() -> None:
    elsewhere = web.Response(status=301, headers={"Location": "/v1/models"})
    with serving(lambda *_: elsewhere) as server, pytest.raises(BadSetup, match=r"HTTP 301.* to http.*/v1/models"):
        generate(server.url)


@pytest.mark.parametrize("audio", ["B", {"data": 5}, {"data": "A", "transcript": "B"}])
def test_speech_that_cannot_be_read_is_a_failure(audio: Any) -> None:
    with (
        serving(lambda *_: said("B", audio=audio)) as server,
        pytest.raises(Transient, match=r"not the form|no base64"),
    ):
        generate(server.url, voice="alloy", stream=False)


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (400, {"error": {"message": "bad audio"}}, Rejected, "HTTP 400: bad audio"),
        (413, {"detail": "too large"}, Rejected, "HTTP 413: too large"),
        (400, {"error": {"code": "content_filter", "message": "filtered"}}, ContentFiltered, "filtered"),
        (401, {"error": {"message": "no key"}}, BadSetup, "check the key"),
        (404, {"error": {"message": "no such model"}}, BadSetup, "the model's name"),
        (429, {"error": {"code": "insufficient_quota", "message": "pay"}}, BadSetup, "no credit"),
        (429, {"error": {"message": "slow down"}}, Transient, "HTTP 429: slow down"),
        (500, {"error": {"message": "audio input is not supported - hint: mmproj"}}, BadSetup, "--mmproj FILE"),
        (400, {"error": {"message": "m is not a multimodal model"}}, BadSetup, "serve a model with audio input"),
        (400, {"error": {"message": "audio format flac is not supported"}}, Rejected, "flac"),
        (500, "a page of HTML", Transient, "HTTP 500: a page of HTML"),
        (200, {"error": {"code": 429, "message": "rate limit"}}, Transient, "HTTP 429: rate limit"),
        (200, {"error": {"code": 502, "message": "upstream"}}, Transient, "HTTP 502: upstream"),
        (200, {"error": {"code": 400, "message": "unsupported audio"}}, Rejected, "HTTP 400: unsupported audio"),
        (200, {"choices": []}, Transient, "HTTP 200 without an answer: no message"),
        (200, "not json", Transient, "not json"),
        (200, {"choices": ["B"]}, Transient, r"not the form that it should have: .* at `\$\.choices\[0\]`"),
        (200, {"choices": {"message": "B"}}, Transient, "not the form"),
        (200, {"choices": [{"message": "B"}]}, Transient, "not the form"),
        (200, {"choices": [{"message": {"content": 5}}]}, Transient, r"choices\[0\]\.message\.content"),
        (200, {"choices": [{"finish_reason": ["stop"], "message": {"content": "B"}}]}, Transient, "finish_reason"),
        (200, {"choices": [{"finish_reason": "stop", "text": "B"}]}, Transient, "no message in its first choice"),
        (524, "a page of a proxy", Transient, "HTTP 524: a page of a proxy"),
        (200, {"choices": [{"error": {"code": 503, "message": "gone"}}]}, Transient, "HTTP 503: gone"),
        (200, {"choices": [{"finish_reason": "error", "message": {"content": "The"}}]}, Transient, "with an error"),
    ],
)
def test_every_failure_has_its_kind(status: int, body: Any, kind: type[Exception], message: str) -> None:
    reply = web.Response(status=status, text=body if isinstance(body, str) else json.dumps(body))
    with serving(lambda *_: reply) as server, pytest.raises(kind, match=message):
        generate(server.url)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": "B"}, Response("B")),
        ({"content": None, "reasoning_content": "A, but", "finish_reason": "length"}, Response("", "length", "A, but")),
        ({"content": "x", "finish_reason": "content_filter"}, Response("x", "filtered")),
        ({"content": None, "refusal": "I can't help."}, Response("I can't help.", "filtered")),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": "maybe A"},
                    {"type": "text", "text": "ANSWER: "},
                    {"type": "text", "text": "B"},
                ]
            },
            Response("ANSWER: B", reasoning='"maybe A"'),
        ),
    ],
)
def test_every_shape_of_answer_is_read(message: dict[str, Any], expected: Response) -> None:
    with serving(lambda *_: said(message.pop("content"), **message)) as server:
        got = generate(server.url)
    assert (got.text, got.stop, got.reasoning) == (expected.text, expected.stop, expected.reasoning)
    assert (got.usage.tokens_in, got.usage.tokens_out) == (7, 1)


REASONS = ("content_filter", "refusal", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "safety")


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("content", [None, "", "I will"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_ends_for_a_reason_of_its_own_has_refused(reason: str, content: str | None, stream: bool) -> None:
    choice = {"delta" if stream else "message": {"content": content}, "finish_reason": reason}
    data = json.dumps({"choices": [choice]}).encode()

    def reply(*_: Any) -> Any:
        return Stream([b"data: " + data + b"\n\n"]) if stream else web.Response(body=data)

    with serving(reply) as server:
        answer = generate(server.url, stream=stream)
    assert (answer.stop, answer.text) == ("filtered", content or "")
    line = BatchOutputLine(
        "1", BatchReply(200, {"choices": [{"message": {"content": content}, "finish_reason": reason}]})
    )
    assert BatchQueue.answer(None, line).stop == "filtered"  # type: ignore[arg-type] # of a batch


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "message",
    [{"content": None, "refusal": "I will not."}, {"content": [{"type": "refusal", "refusal": "I will not."}]}],
)
def test_a_message_that_refuses_is_kept(message: dict[str, Any], stream: bool) -> None:
    data = json.dumps({"choices": [{"delta" if stream else "message": message, "finish_reason": "stop"}]}).encode()

    def reply(*_: Any) -> Any:
        return Stream([b"data: " + data + b"\n\n"]) if stream else web.Response(body=data)

    with serving(reply) as server:
        answer = generate(server.url, stream=stream)
    assert (answer.stop, answer.text) == ("filtered", "I will not.")


@pytest.mark.parametrize("content", [None, "", []])
def test_an_empty_answer_is_one_and_is_not_asked_again(content: Any) -> None:
    reply = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    with serving(lambda *_: web.json_response(reply)) as server:
        outcome, attempts = asked(server.url)
    assert isinstance(outcome, Response)
    assert (outcome.text, outcome.stop, attempts) == ("", "end", 1)


@pytest.mark.parametrize("finish", ["tool_calls", "function_call"])
def test_a_call_of_a_tool_is_no_answer(finish: str) -> None:
    """K3 of the findings: an empty answer would be right where silence is."""
    message = {"content": None, "tool_calls": [{"function": {"name": "transcribe", "arguments": "{}"}}]}
    with serving(lambda *_: web.json_response({"choices": [{"message": message, "finish_reason": finish}]})) as server:
        outcome, attempts = asked(server.url)
    assert isinstance(outcome, Failure)
    assert (outcome.state, outcome.final, attempts) == ("request-failed", True, 1)
    assert "called a tool" in outcome.message


@pytest.mark.parametrize("header", ["1", None, "2abc"])
def test_a_busy_server_is_asked_again_after_the_time_it_gives(header: str | None) -> None:
    def reply(_: dict[str, Any], number: int) -> web.Response:
        headers = {"Retry-After": header} if header else {}
        return web.Response(status=429, headers=headers, text="{}") if number == 1 else said("B")

    began = datetime.now(UTC)
    with serving(reply) as server:
        outcome, attempts = asked(server.url)
    waited = (datetime.now(UTC) - began).total_seconds()
    assert isinstance(outcome, Response)
    assert attempts == len(server.asked) == 2
    assert (1.0 <= waited < 3.0) if header == "1" else waited < 1.0


def test_the_time_to_wait_may_be_a_date() -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    assert parse_retry_after(format_datetime(now + timedelta(seconds=2), usegmt=True), now) == 2.0
    assert parse_retry_after(format_datetime(now - timedelta(seconds=2), usegmt=True), now) is None
    assert parse_retry_after("Mon, 99 Foo", now) is None
    for old in ("%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S -0000"):  # which name no zone
        assert parse_retry_after((now + timedelta(seconds=2)).strftime(old), now) == 2.0


def test_a_server_that_is_always_busy_is_given_up() -> None:
    with serving(lambda *_: web.Response(status=429, text="{}")) as server:
        outcome, attempts = asked(server.url, attempts=4)
    assert isinstance(outcome, Failure)
    assert not outcome.final
    assert attempts == len(server.asked) == 4


def test_a_server_that_never_answers_is_given_up() -> None:
    async def never(_: dict[str, Any], __: int) -> web.Response:
        await asyncio.sleep(60)
        return said("A")

    with serving(never) as server:
        outcome, attempts = asked(server.url, attempts=3, timeout=0.2)
    assert isinstance(outcome, Failure)
    assert "no complete response within 0.2 s" in outcome.message
    assert attempts == len(server.asked) == 3


def test_a_connection_that_breaks_is_a_failure_and_not_half_an_answer() -> None:
    async def half(_: dict[str, Any], __: int) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        return response

    with serving(half) as server, pytest.raises(AskError):
        generate(server.url, timeout=5.0)


def test_nobody_there_is_told_before_anything_is_asked() -> None:
    with pytest.raises(BadSetup, match=r"nothing answers at http://127\.0\.0\.1:9/v1"):
        generate("http://127.0.0.1:9/v1")
    with serving(lambda *_: said("A"), models=()) as server, pytest.raises(BadSetup, match=r"model\.name=NAME"):
        generate(server.url)


def test_the_key_comes_from_the_environment_and_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    monkeypatch.setenv("MY_KEY", "secret-1")

    with serving(lambda *_: said("A")) as server:

        async def go() -> None:
            async with openai.load(Settings(base_url=server.url, api_key_env="MY_KEY"), Context()) as model:
                seen.append(model.client.session.headers.get("Authorization"))
                assert "secret-1" not in repr(model.settings)

        asyncio.run(go())
    assert seen == ["Bearer secret-1"]


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    ],
)
def test_a_service_is_not_asked_without_a_key(url: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(BadSetup, match=rf"^\${variable} holds no key; set it, or name another"):
        generate(url)


def test_a_key_may_end_with_a_line_and_an_address_with_a_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret\r\n")
    with serving(lambda *_: said("B")) as server:
        assert asyncio.run(_answer(f"{server.url}/", api_key_env="MY_KEY")).text == "B"
    assert server.keys == {"Bearer secret"}
    monkeypatch.setenv("MY_KEY", "two\nlines")
    with serving(lambda *_: said("B")) as server, pytest.raises(BadSetup, match="MY_KEY holds a key of several"):
        generate(server.url, api_key_env="MY_KEY")


async def _answer(url: str, **settings: Any) -> Response:
    async with openai.load(Settings(base_url=url, name="", **settings), Context()) as model:
        return await model.generate(Prompt((Turn("user", ("Which?",)),)))


@pytest.mark.parametrize("address", ["127.0.0.1:8000/v1", "localhost", "http://:99999/v1"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(BadSetup, match="is no address; expected one such as http"):
        asyncio.run(_answer(address))


@pytest.mark.parametrize(
    "word",
    [
        "timeout=0",
        "timeout=inf",
        "connect_timeout=-1",
        "concurrency=0",
        "requests_per_minute=0",
        "tokens_per_minute=-5",
        "max_retry_after=-1",
        "prices={in: -1}",
    ],
)
def test_a_limit_that_is_none_is_refused(word: str) -> None:
    settings = compose_config(["model=openai/m", f"model.{word}"]).model
    with pytest.raises(UsageError, match=rf"model\.{word.partition('=')[0]}.*expected a "):
        parse_model(settings)
