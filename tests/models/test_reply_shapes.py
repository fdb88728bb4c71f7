"""No reply, whatever its shape, raises anything but the errors of `errors.py`."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from aiohttp import web
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from servers import Stream, serving

from earmark.errors import AskError, BadSetup, Transient
from earmark.models import gemini, openai, transcriptions
from earmark.models._http import parse_retry_after, retry_after
from earmark.models._openai_queue import BatchObject, BatchQueue, parse_output_line, to_batch_job
from earmark.models._openai_reply import read_reply, read_speech
from earmark.models._openai_stream import StreamedReply
from earmark.models._openai_unsupported import OPTIONAL_PARAMETERS, find_unsupported
from earmark.models._reply import Reply, convert, parse_payload
from earmark.types import Context, Prompt, Response, Turn, Usage

CHAT = {
    "choices": [
        {
            "message": {
                "content": [{"type": "text", "text": "B"}, {"type": "thinking", "thinking": [{"type": "text"}]}],
                "reasoning_content": "",
                "reasoning": [{"type": "text", "text": "A or B"}],
                "refusal": None,
                "audio": {"data": "AAAA", "transcript": "B"},
            },
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "B", "logprob": -0.1}]},
            "error": None,
        }
    ],
    "usage": {
        "prompt_tokens": 7,
        "completion_tokens": 1,
        "prompt_tokens_details": {"audio_tokens": 5},
        "completion_tokens_details": {"audio_tokens": 0},
        "cost": 0.1,
    },
}
MESSAGE = CHAT["choices"][0]["message"]  # type: ignore[index]
DELTA = {"choices": [{"delta": MESSAGE, "finish_reason": None}], "usage": None}
FAILED = {"error": {"message": "m", "code": 429, "type": "t", "param": "max_tokens", "detail": "d"}}
GOOGLE = {
    "candidates": [
        {"content": {"parts": [{"text": "B", "thought": False}]}, "finishReason": "STOP", "finishMessage": ""}
    ],
    "promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": ""},
    "usageMetadata": {
        "promptTokenCount": 7,
        "candidatesTokenCount": 1,
        "thoughtsTokenCount": 0,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 5}],
        "candidatesTokensDetails": [],
    },
}
GOOGLE_FAILED = {
    "error": {
        "code": 429,
        "message": "m",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"retryDelay": "3s", "reason": ""}],
    }
}
HEARD = {"text": "B", "usage": {"input_tokens": 7, "output_tokens": 1, "input_token_details": {"audio_tokens": 5}}}
LINE = {"custom_id": "1", "response": {"status_code": 200, "body": CHAT}, "error": {"code": "c", "message": "m"}}
BATCH = {"id": "b", "status": "failed", "input_file_id": "f", "errors": {"data": [{"message": "m"}]}}
MODELS = {"data": [{"id": "m", "owned_by": "vllm"}]}
DEEP = "deep"  # stands for lists in lists, which the tool that shows examples cannot print

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["text", "stop", "SAFETY", "429", "9" * 5000, "\ud83d", "error", 1e308, 10**30, -1, DEEP])
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


def altered(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """A JSON value with another part in one place."""
    if not path:
        return other
    changed = copy.copy(value)
    changed[path[0]] = altered(value[path[0]], path[1:], other)
    return changed


def like(*valid: Any) -> st.SearchStrategy[Any]:
    """Replies of one kind, up to three of their parts replaced by anything."""

    @st.composite
    def draw(choose: st.DrawFn) -> Any:
        value = choose(st.sampled_from(valid))
        for _ in range(choose(st.integers(1, 3))):
            value = altered(value, choose(st.sampled_from(list(places(value)))), choose(anything))
        return value

    return draw()


def as_sent(value: Any) -> bytes:
    """JSON as a server sends it, half letters and all."""
    return json.dumps(value).replace(json.dumps(DEEP), "[" * 600 + "]" * 600).encode()


def reply_of(value: Any, status: int = 200) -> Reply:
    return Reply(status, {}, parse_payload(as_sent(value)))


def answered(read: Callable[[], Any]) -> Any:
    """An answer that can be written down; nothing for one of our errors, whose message is of one piece."""
    try:
        found = read()
    except (AskError, BadSetup) as error:
        found, message = None, str(error)
    else:
        message = "none"
    assert 0 < len(message) < 3000
    if isinstance(found, Response):
        assert orjson.loads(orjson.dumps(found.text)) == found.text
        assert all(0 <= getattr(found.usage, name) <= 1e10 for name in Usage.__struct_fields__)
    return found


STATUSES = st.sampled_from([200, 201, 206, 400, 404, 422, 429, 500, 503])
many = settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@many
@given(like(CHAT, FAILED), STATUSES)
@example({"choices": [{"message": {"content": [{"type": "text", "text": {"a": 1}}]}}]}, 200)
@example({"choices": [{"message": {"content": [{"type": "thinking", "thinking": DEEP}]}}]}, 200)
@example({"error": {"message": DEEP, "code": "9" * 5000}}, 200)
def test_a_whole_reply(value: Any, status: int) -> None:
    reply = reply_of(value, status)
    if answered(lambda: read_reply(reply, logprobs=True)):
        answered(lambda: asyncio.run(read_speech(reply)))
    assert set(find_unsupported(reply.payload, dict.fromkeys(OPTIONAL_PARAMETERS))) <= OPTIONAL_PARAMETERS


@many
@given(st.lists(like(CHAT, DELTA, FAILED), min_size=1, max_size=3), st.booleans())
def test_a_streamed_reply(values: list[Any], ended: bool) -> None:
    def read() -> Any:
        found = StreamedReply(0.0)
        for value in values:
            found.add_event(as_sent(value))
        found.add_event(b"[DONE]" if ended else b"")
        return read_reply(Reply(200, {}, found.error or found.payload()))

    answered(read)


@many
@given(like(GOOGLE, GOOGLE_FAILED), STATUSES)
@example({"error": {"details": 5, "code": True}}, 429)
@example({"error": {"details": [{"retryDelay": "9" * 400 + "s"}], "status": DEEP}}, 429)
def test_a_reply_of_gemini(value: Any, status: int) -> None:
    answered(lambda: gemini.read_reply(reply_of(value, status)))


@many
@given(like(HEARD, FAILED), STATUSES)
def test_a_transcript(value: Any, status: int) -> None:
    reader: Any = SimpleNamespace(settings=transcriptions.Settings())
    answered(lambda: transcriptions.TranscriptionModel.parse_reply(reader, reply_of(value, status)))


@many
@given(like(LINE))
def test_a_line_of_a_batch(value: Any) -> None:
    line = parse_output_line(as_sent(value))
    if line:
        assert isinstance(line.custom_id, str)
        answered(lambda: BatchQueue.answer(SimpleNamespace(), line))  # type: ignore[arg-type]


@many
@given(like(BATCH))
def test_the_state_of_a_batch(value: Any) -> None:
    answered(lambda: to_batch_job(convert(parse_payload(as_sent(value)), BatchObject)))


@many
@given(like(MODELS))
def test_a_list_of_models(value: Any) -> None:
    entries = openai.parse_model_list(parse_payload(as_sent(value)))
    assert all(isinstance(text, str) for entry in entries for text in (entry.id, entry.owned_by))


@many
@given(st.text(max_size=40) | st.floats().map(str) | st.integers().map(str), st.datetimes(timezones=st.just(UTC)))
@example("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", datetime(1994, 11, 6, tzinfo=UTC))
@example("Sun, 06 Nov 1994 08:49:37 +99999999999999", datetime(1994, 11, 6, tzinfo=UTC))
def test_a_head_that_asks_to_wait(header: str, now: datetime) -> None:
    wait = parse_retry_after(header, now)
    assert wait is None or 0 < wait < float("inf")
    assert retry_after({}) is None


@many
@given(st.binary(max_size=60) | st.sampled_from([b"[" * 100_000, b'{"a":' * 5000, b"\xef\xbb\xbf{}", b"\xff"]))
def test_bytes_that_are_no_json(data: bytes) -> None:
    assert isinstance(parse_payload(data), dict | bytes)
    answered(lambda: read_reply(Reply(200, {}, parse_payload(data))))
    assert parse_output_line(data) is None or data.removeprefix(b"\xef\xbb\xbf").strip().startswith(b"{")


@pytest.mark.parametrize("stream", [False, True])
def test_a_field_of_another_type_is_named_and_ends_nothing(stream: bool) -> None:
    message: Mapping[str, Any] = {"content": [{"type": "text", "text": {"a": 1}}]}
    body = as_sent({"choices": [{"delta" if stream else "message": message, "finish_reason": "stop"}]})

    def answer(*_: Any) -> Any:
        return Stream([b"data: " + body + b"\n\n"]) if stream else web.Response(body=body)

    async def go(url: str) -> None:
        async with openai.load(openai.Settings(base_url=url, stream=stream), Context()) as model:
            await model.generate(Prompt((Turn("user", ("Which?",)),)))

    where = rf"`\$\.choices\[0\]\.{'delta' if stream else 'message'}\.content\[0\]\.text`"
    with serving(answer) as server, pytest.raises(Transient, match=f"Expected `str.*got `object` - at {where}"):
        asyncio.run(go(server.url))


@pytest.mark.parametrize("data", ["\x80", "A", ["AA=", "\u00e9"]])
def test_speech_that_is_no_base64_is_a_failure(data: str | list[str]) -> None:
    payload = {"choices": [{"message": {"content": "B", "audio": {"data": data}}}]}
    with pytest.raises(Transient, match="no base64"):
        asyncio.run(read_speech(Reply(200, {}, payload)))
