"""The team's cases of kind d: what servers do rarely, each as it was reported.

d19 and d23, which are about models within this process, are in tests/models/test_transformers.py.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import mimetypes
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import stamina
from aiohttp import web
from mine import bench
from servers import Server, Stream, said, serving, sounds

from earmark.audio.prepare import prepare_audio
from earmark.config.compose import compose_config
from earmark.engine.digests import prompt_digest
from earmark.engine.open import open_model
from earmark.errors import AskError
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import Record, ScoreLine, read_journal
from earmark.runs.scoring import read_scores
from earmark.types import Clip, EncodedAudio, Part, Prompt, Response, Turn

HERE = Path(__file__)
ELSEWHERE = {"d19": "models/test_transformers.py", "d23": "models/test_transformers.py"}
Case = dict[str, Any]


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Case]:
    lines = map(json.loads, (shared / "cases/cases.jsonl").read_text(encoding="utf-8").splitlines())
    return {case["id"]: case for case in lines if case["kind"] == "d-client"}


@pytest.fixture(autouse=True)
def _little_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.engine.retries.MIN_BACKOFF", 0.01)
    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)


@pytest.mark.shared
def test_every_case_has_a_test(cases: dict[str, Case]) -> None:
    here = set(re.findall(r"def test_(d\d\d)_", HERE.read_text(encoding="utf-8")))
    assert set(cases) == here | set(ELSEWHERE)
    assert all(name in (HERE.parent / place).read_text(encoding="utf-8") for name, place in ELSEWHERE.items())


def run(server: Server, *words: str, items: int = 1) -> tuple[RunResult, list[Record], list[ScoreLine]]:
    """A run of one question, its records and its scores."""
    settings = compose_config([f"model={server.url}", "preflight=false", "resume=false", *words])
    outcome = asyncio.run(evaluate(bench.make(items=items), settings, Callbacks(lambda _: None, lambda _: None)))
    records, scores = (
        list(read_journal(outcome.folder / "responses.jsonl")),
        list(read_scores(outcome.folder / "scores.jsonl")),
    )
    return outcome, records, scores


def body_of(told: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, headers=headers, text=json.dumps(told), content_type="application/json")


def generated(server: Server, prompt: Prompt, **settings: Any) -> Response:
    async def go() -> Response:
        async with open_model({"backend": "openai", "base_url": server.url, **settings}) as model:
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("header", "least", "most"), [("2", 2.0, 2.0), ("<date>", 0.1, 2.0), ("2abc", 0.0, 0.05), (None, 0.0, 0.05)]
)
def test_d01_a_busy_server_is_asked_again_when_it_says(
    header: str | None, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(_: dict[str, Any], number: int) -> web.Response:
        if number > 1:
            return said("A")
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        headers = {"Retry-After": date if header == "<date>" else header} if header else {}
        return body_of({"error": {"message": "busy"}}, 429, headers)

    waits: list[float] = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: waits.append(details.wait_for)])
    monkeypatch.setattr("stamina.instrumentation.set_on_retry_hooks", lambda _: None)
    with serving(reply) as server:
        _, (record,), _ = run(server)
        assert len(server.asked) == record.attempts == 2
    assert record.response
    (wait,) = waits
    assert least <= wait <= most


def test_d03_a_server_that_is_always_busy_is_asked_so_often_and_no_more() -> None:
    with serving(lambda *_: body_of({"error": {"message": "busy"}}, 429)) as server:
        outcome, (record,), _ = run(server, "max_attempts=4")
        assert len(server.asked) == 4
    assert record.failure
    assert record.failure.message == "HTTP 429: busy"
    assert outcome.n_failed == 1


def test_d04_a_server_that_never_answers_holds_a_run_no_longer_than_its_limits() -> None:
    async def never(_: dict[str, Any], __: int) -> web.Response:
        await asyncio.sleep(60)
        return said("A")

    with serving(never) as server:
        _, (record,), _ = run(server, "model.timeout=1", "max_attempts=3")
        assert len(server.asked) == 3
    assert record.failure
    assert "no complete response within 1 s" in record.failure.message


@pytest.mark.shared
def test_d05_a_filtered_question_is_no_busy_server(cases: dict[str, Case]) -> None:
    told = cases["d05"]["input"]["server"]

    def reply(body: dict[str, Any], _: int) -> web.Response:
        return body_of(told["body"], told["status"]) if "(0)" in json.dumps(body) else said("A")

    with serving(reply) as server:
        outcome, records, scores = run(server, items=2)
        assert len(server.asked) == 2
    assert outcome.metrics.finished
    assert [(score.state, score.answer) for score in sorted(scores, key=lambda score: score.id)] == [
        ("refused", None),
        ("answered", "A"),
    ]
    assert {record.attempts for record in records} == {1}


@pytest.mark.shared
def test_d07_a_letter_in_the_thoughts_is_no_answer(cases: dict[str, Case]) -> None:
    with serving(lambda *_: body_of(cases["d07"]["input"]["body"])) as server:
        _, (record,), (score,) = run(server)
    assert record.response
    assert (record.response.text, record.response.stop) == ("", "length")
    assert record.response.reasoning == "The horn suggests A, but"
    assert (score.state, score.answer) == ("unparsed", None)


@pytest.mark.shared
def test_d09_content_may_be_a_list_of_parts(cases: dict[str, Case]) -> None:
    (body,) = cases["d09"]["input"]["bodies"]
    with serving(lambda *_: body_of(body)) as server:
        _, (record,), (score,) = run(server)
    assert record.response
    assert (record.response.text, score.answer) == ("ANSWER: B", "B")
    assert "maybe A" in record.response.reasoning


@pytest.mark.shared
def test_d10_an_error_inside_a_success_is_an_error(cases: dict[str, Case]) -> None:
    case = cases["d10"]
    for body, kind, requests in zip(
        case["input"]["bodies"], case["expected"]["treated_as"], case["expected"]["requests"], strict=True
    ):
        with serving(lambda _, number, body=body: body_of(body) if number == 1 else said("A")) as server:  # type: ignore[misc]
            _, (record,), _ = run(server)
            assert len(server.asked) == requests
        assert bool(record.response) == (kind == "retryable")
        assert not record.failure or record.failure.final


@pytest.mark.shared
@pytest.mark.parametrize("breaks", [True, False])
def test_d11_half_a_stream_is_no_answer(cases: dict[str, Case], breaks: bool) -> None:
    half, _closed = cases["d11"]["input"]["sse"]
    with serving(lambda *_: Stream([f"{half}\n\n".encode()], breaks=breaks)) as server:
        _, (record,), (score,) = run(server, "model.stream=true", "max_attempts=3")
        assert len(server.asked) == 3
    assert record.failure
    assert not record.failure.final
    assert (score.state, score.answer) == ("request-failed", None)


@pytest.mark.parametrize("profile", ["openai", "vllm", "dashscope", "audio_url"])
def test_d12_every_kind_of_server_gets_the_part_that_it_takes(profile: str, tmp_path: Path) -> None:
    samples = struct.pack("<hh", 1000, -1000)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 40, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16, b"data", 4)
    (tmp_path / "two.wav").write_bytes(head + samples)
    assert len(head) == 44
    with serving(lambda *_: said("A")) as server:
        generated(server, Prompt((Turn("user", (Clip(str(tmp_path / "two.wav")), "Which?")),)), profile=profile)
    part = server.asked[0]["messages"][0]["content"][0]
    if profile == "audio_url":
        assert part.keys() == {"type", "audio_url"}
        told = part["audio_url"]["url"]
    else:
        assert part["type"] == "input_audio"
        assert part["input_audio"]["format"] == "wav"
        told = part["input_audio"]["data"]
    prefix, _, data = told.rpartition(",")
    assert prefix == ("data:audio/wav;base64" if profile in ("dashscope", "audio_url") else "")
    assert "\n" not in data
    assert base64.b64decode(data, validate=True) == head + samples


@pytest.mark.shared
def test_d13_the_format_is_told_by_the_bytes(cases: dict[str, Case], tmp_path: Path) -> None:
    case = cases["d13"]
    tone = np.sin(np.arange(16000) / 10) / 2
    kinds = {"wav": "WAV", "mp3": "MP3", "flac": "FLAC"}
    given = []
    for number, mime in enumerate(case["input"]["mime"]):
        kind = next((kind for kind in kinds if kind in mime or (kind == "wav" and "wave" in mime)), "mp3")
        if mime == "audio/mp4":
            pytest.importorskip("av", reason="m4a needs the extra av")
            from sounds import av_file

            data = av_file(tone, 16000, "mp4", "aac", 16000)
        else:
            out = io.BytesIO()
            soundfile.write(out, tone, 16000, format=kinds[kind])
            data = out.getvalue()
        path = tmp_path / f"{number}{mimetypes.guess_extension(mime) or '.' + mime.rpartition('/')[2]}"
        path.write_bytes(data)
        given.append(path)
    with serving(lambda *_: said("A")) as server:
        for path in given:
            generated(server, Prompt((Turn("user", (Clip(str(path)), "Which?")),)))
    for body, expected, path in zip(server.asked, case["expected"]["format"], given, strict=True):
        ((form, data),) = sounds(body)
        assert form == expected.partition(" ")[0]
        assert data[:4] == b"RIFF" if form == "wav" else data == path.read_bytes()


def test_d15_what_a_model_refuses_is_found_out_once_and_written_down() -> None:
    def newer(body: dict[str, Any], _: int) -> web.Response:
        if "max_tokens" in body:
            return body_of(
                {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."}}, 400
            )
        if body.get("temperature", 1) != 1:
            return body_of(
                {"error": {"message": "Unsupported value: temperature. Only the default (1) is supported."}}, 400
            )
        return said(f"{hash(tuple(sounds(body)))}")

    with serving(newer) as server:
        _, records, _ = run(server, "model.max_tokens=8", "model.concurrency=1", items=3)
        requests = server.asked
    assert len(requests) == 3 + 2
    assert all(
        "max_completion_tokens" in body and not {"max_tokens", "temperature"} & set(body) for body in requests[2:]
    )
    notes = {
        "max_completion_tokens sent for max_tokens, which the model refuses",
        "temperature left out, which the model refuses",
    }
    assert all(record.response and set(record.response.notes) == notes for record in records)
    with serving(newer, preflight=True) as server:
        outcome, _, _ = run(server, "model.max_tokens=8", "preflight=true")
    kept = (outcome.folder / "preflight.json").read_text(encoding="utf-8")
    assert all(note in kept for note in notes)


@pytest.mark.shared
def test_d17_the_order_of_parts_is_kept_and_known(cases: dict[str, Case]) -> None:
    clips = iter(
        [EncodedAudio(b"RIFF1", "wav", 16000, 1, 1.0, "one"), EncodedAudio(b"RIFF2", "wav", 16000, 1, 1.0, "two")] * 3
    )
    digests = set()
    with serving(lambda *_: said("A")) as server:
        for order in cases["d17"]["input"]["parts"]:
            parts: tuple[Part, ...] = tuple(
                f"text {at}" if kind == "text" else next(clips) for at, kind in enumerate(order)
            )
            prompt = Prompt((Turn("user", parts),))
            digests.add(prompt_digest(prompt))
            generated(server, prompt)
            sent = server.asked[-1]["messages"][0]["content"]
            assert [{"input_audio": "audio"}.get(part["type"], part["type"]) for part in sent] == order
            assert [part["text"] for part in sent if part["type"] == "text"] == [p for p in parts if isinstance(p, str)]
    assert len(digests) == 3  # a run that was begun in one order is not gone on with in another


@pytest.mark.shared
def test_d21_a_request_that_is_too_large_is_not_sent(cases: dict[str, Case]) -> None:
    case = cases["d21"]
    assert case["input"]["limit_bytes"] == 20 * 1024 * 1024
    expected = zip(*(case["expected"][name] for name in ("base64_chars", "whole_body_over_limit")), strict=True)
    for size, (chars, over) in zip(case["input"]["raw_sizes"], expected, strict=True):
        sound = EncodedAudio(bytes(size), "wav", 16000, 1, 1.0, "clip")
        assert len(base64.b64encode(sound.data)) == chars
        with serving(lambda *_: said("A")) as server, _told(over, size) as told:
            told += [generated(server, Prompt((Turn("user", (sound, "Which?")),)), profile="openai").text]
        assert len(server.asked) == (0 if over else 1)
        assert bool(told) is not over


@contextlib.contextmanager
def _told(over: bool, size: int) -> Iterator[list[str]]:
    """What came back; where a request is over the limit, nothing, and an error that names size and limit."""
    told: list[str] = []
    if not over:
        yield told
        return
    with pytest.raises(AskError, match=rf"the request has 2\d,\d+,\d+ bytes, the service takes {20 * 1024 * 1024:,}"):
        yield told
    assert size > 15_000_000
