"""Streams and spoken answers: whole or not at all, with the time to the first word and the first sound."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web
from servers import Stream, said, serving

from earmark.audio.encode import encode_wav
from earmark.errors import Rejected, Transient
from earmark.models import openai
from earmark.models.openai import Settings
from earmark.types import Context, Prompt, Response, Samples, Turn, Waveform

QUESTION = Prompt((Turn("user", ("Which?",)),))
USAGE = {"prompt_tokens": 7, "completion_tokens": 40, "completion_tokens_details": {"audio_tokens": 30}}


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"delta": fields, "finish_reason": finish}]}


def streaming(
    *events: dict[str, Any] | str, pause: float = 0.0, cut: int | None = None, breaks: bool = False
) -> Stream:
    """A stream of events; cut into pieces of a size of its own."""
    lines = [event if isinstance(event, str) else f"data: {json.dumps(event)}" for event in events]
    if cut is None:
        return Stream([f"{line}\n\n".encode() for line in lines], pause, breaks)
    data = "".join(f"{line}\r\n\r\n" for line in lines).encode()
    return Stream([data[at : at + cut] for at in range(0, len(data), cut)], pause, breaks)


def generate(url: str, **settings: Any) -> Response:
    async def go() -> Response:
        async with openai.load(Settings(base_url=url, **settings), Context()) as model:
            return await model.generate(QUESTION)

    return asyncio.run(go())


@pytest.mark.parametrize("cut", [None, 1, 7, 4096])
def test_a_stream_is_put_together(cut: int | None) -> None:
    events: list[dict[str, Any] | str] = [
        delta(role="assistant", content=""),
        delta(reasoning_content="A or "),
        delta(reasoning_content="B?"),
        ": still here",
        delta(content="The answer "),
        delta(content="is B."),
        delta("stop"),
        {"choices": [], "usage": USAGE},
        "data: [DONE]",
    ]
    with serving(lambda *_: streaming(*events, cut=cut)) as server:
        answer = generate(server.url, stream=True)
    assert (answer.text, answer.stop, answer.reasoning) == ("The answer is B.", "end", "A or B?")
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (7, 40)
    assert server.asked[0]["stream_options"] == {"include_usage": True}


def test_the_time_to_the_first_word_is_told() -> None:
    with serving(lambda *_: streaming(delta(content="A"), delta("stop"), "data: [DONE]", pause=0.05)) as server:
        answer = generate(server.url, stream=True)
    assert answer.first_token is not None
    assert 0 < answer.first_token < answer.seconds - 0.03
    assert answer.first_audio is None


@pytest.mark.parametrize("breaks", [False, True])
@pytest.mark.parametrize("last", [(), ('data: {"choices": [{"delta": {"cont',)])
def test_a_stream_that_breaks_off_is_no_answer(last: tuple[str, ...], breaks: bool) -> None:
    half = streaming(delta(content="The answer is not A but "), *last, breaks=breaks)
    with serving(lambda *_: half) as server, pytest.raises(Transient):
        generate(server.url, stream=True)


@pytest.mark.parametrize("end", [(delta("length"),), ("data: [DONE]",)])
def test_a_reason_to_finish_or_the_end_marker_makes_it_whole(end: tuple[Any, ...]) -> None:
    with serving(lambda *_: streaming(delta(content="B"), *end)) as server:
        assert generate(server.url, stream=True).text == "B"


@pytest.mark.parametrize(
    "event", ["data: 5", "data: null", 'data: {"choices": ["B"]}', 'data: {"choices": [{"delta": 5}]}']
)
def test_a_piece_of_another_form_is_a_failure(event: str) -> None:
    with serving(lambda *_: streaming(event, "data: [DONE]")) as server, pytest.raises(Transient, match="not the form"):
        generate(server.url, stream=True)


def test_a_stream_of_nothing_is_no_answer() -> None:
    with serving(lambda *_: streaming("data: [DONE]")) as server, pytest.raises(Transient, match="without an answer"):
        generate(server.url, stream=True)


def test_an_error_within_a_stream_has_its_kind() -> None:
    def failing(code: int) -> Stream:
        return streaming(delta(content="The"), {"error": {"code": code, "message": "upstream"}}, "data: [DONE]")

    with serving(lambda *_: failing(502)) as server, pytest.raises(Transient, match="HTTP 502: upstream"):
        generate(server.url, stream=True)
    with serving(lambda *_: failing(400)) as server, pytest.raises(Rejected, match="HTTP 400: upstream"):
        generate(server.url, stream=True)


def test_a_server_that_does_not_stream_after_all_is_read_as_it_answers() -> None:
    with serving(lambda *_: said("B")) as server:
        assert generate(server.url, stream=True).text == "B"
    with (
        serving(lambda *_: web.json_response({"error": {"message": "no"}}, status=400)) as server,
        pytest.raises(Rejected),
    ):
        generate(server.url, stream=True)


def test_a_stream_that_never_ends_is_given_up() -> None:
    endless = Stream([b": still here\n\n"] * 200, 0.05)
    with serving(lambda *_: endless) as server, pytest.raises(Transient, match=r"no complete response within 0\.3 s"):
        generate(server.url, stream=True, timeout=0.3)


def spoken(samples: Samples) -> bytes:
    return (samples * 32768).astype("<i2").tobytes()


SAMPLES: Samples = (np.sin(np.arange(4801) / 10) / 2).astype(np.float32)


def test_a_spoken_answer_is_kept_as_a_file_with_its_transcript() -> None:
    data = base64.b64encode(encode_wav(Waveform(SAMPLES[None], 24000))).decode()
    audio = {"id": "x", "data": data, "transcript": "It is B.", "expires_at": 1}
    with serving(lambda *_: said(None, audio=audio)) as server:
        answer = generate(server.url, voice="alloy", stream=False)
    assert server.asked[0]["modalities"] == ["text", "audio"]
    assert server.asked[0]["audio"] == {"voice": "alloy", "format": "wav"}
    assert answer.text == "It is B."
    assert answer.speech is not None
    assert answer.speech.transcript == "It is B."
    samples, rate = soundfile.read(answer.speech.path, dtype="float32")
    assert rate == 24000
    assert np.abs(samples - SAMPLES).max() <= 1 / 32768


@pytest.mark.parametrize("size", [3, 4, 1000])
@pytest.mark.parametrize("alone", [True, False])
def test_streamed_speech_is_put_together_however_it_is_cut(size: int, alone: bool) -> None:
    data = spoken(SAMPLES)
    if alone:  # each piece is base64 of its own
        chunks = [base64.b64encode(data[at : at + size]).decode() for at in range(0, len(data), size)]
    else:  # one base64, cut anywhere
        whole = base64.b64encode(data).decode()
        chunks = [whole[at : at + size] for at in range(0, len(whole), size)]
    events = [delta(audio={"id": "x", "transcript": "It is "}), *(delta(audio={"data": chunk}) for chunk in chunks)]
    events += [delta(audio={"transcript": "B."}), delta("stop"), {"choices": [], "usage": USAGE}]
    with serving(lambda *_: streaming(*events, cut=65536)) as server:
        answer = generate(server.url, voice="alloy")
    assert server.asked[0]["audio"]["format"] == "pcm16"
    assert answer.text == "It is B."
    assert answer.usage.audio_tokens_out == 30
    assert answer.speech is not None
    samples, rate = soundfile.read(answer.speech.path, dtype="float32")
    assert (rate, samples.size) == (24000, SAMPLES.size)
    assert np.abs(samples - SAMPLES).max() <= 1 / 32768
    assert answer.first_audio is not None
    assert Path(answer.speech.path).parent.name == "replies"  # from where the run takes it


def test_bare_samples_are_no_mp3_for_their_first_byte() -> None:
    """A sample of -1 begins with the byte that an mp3 begins with."""
    data = base64.b64encode(np.full(2400, -1, "<i2").tobytes()).decode()
    with serving(lambda *_: streaming(delta(audio={"data": data, "transcript": "B"}), delta("stop"))) as server:
        answer = generate(server.url, voice="alloy")
    assert answer.speech is not None
    assert soundfile.info(answer.speech.path).frames == 2400


def test_speech_in_long_lines_is_read() -> None:
    data = base64.b64encode(bytes(3_000_000)).decode()
    with serving(lambda *_: streaming(delta(audio={"data": data, "transcript": "B"}), delta("stop"))) as server:
        answer = generate(server.url, voice="alloy")
    assert answer.speech is not None
    assert soundfile.info(answer.speech.path).frames == 1_500_000


def test_the_profile_of_a_service_that_only_streams_streams() -> None:
    with serving(lambda *_: streaming(delta(content="B"), delta("stop"))) as server:
        assert generate(server.url, profile="dashscope").text == "B"
    assert server.asked[0]["stream"] is True


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("cut", [1, 3, 4096])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_end_as_the_standard_allows_and_an_event_may_have_several(end: str, cut: int, mark: str) -> None:
    events = [
        mark + 'data: {"choices": [',
        'data:   {"delta": {"content": "The answer"},',
        'data: "finish_reason": null}]}',
        "",
        ": still here",
        "event: message",
        'data: {"choices": [{"delta": {"content": " is B"}, "finish_reason": "stop"}]}',
        "",
        "data: [DONE]",
        "",
        "",
    ]
    data = end.join(events).encode()
    with serving(lambda *_: Stream([data[at : at + cut] for at in range(0, len(data), cut)])) as server:
        assert generate(server.url, stream=True).text == "The answer is B"


def test_an_event_that_is_never_whole_is_a_failure() -> None:
    with (
        serving(lambda *_: streaming('data: {"choices": [', "data: {}")) as server,
        pytest.raises(Transient, match="no JSON"),
    ):
        generate(server.url, stream=True)
