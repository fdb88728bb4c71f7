"""The transcriptions adapter, alone and as the ear of a cascade."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from servers import said, serving, threaded

from earmark.audio.prepare import prepare_audio
from earmark.engine.open import open_model
from earmark.errors import BadSetup, Rejected, Transient
from earmark.types import Part, Prompt, Response, SynthSpec, Turn

# Our server reads forms by aiohttp, which warns of itself where a form comes cut at an odd place.
pytestmark = pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.5, "level": -20.0}, "tone")
HISS = SynthSpec("noise", {"seconds": 0.25, "level": -20.0, "seed": "1"}, "hiss")
Form = dict[str, Any]


@contextlib.contextmanager
def transcribing(reply: Callable[[Form], web.Response]) -> Iterator[tuple[str, list[Form]]]:
    """A server that transcribes by a function of the form: its address, and the forms that came."""
    forms: list[Form] = []

    async def transcribe(request: web.Request) -> web.Response:
        form: Form = {}
        for name, value in (await request.post()).items():
            form[name] = value
            if isinstance(value, web.FileField):
                form |= {"file": value.file.read(), "filename": value.filename, "mime": value.content_type}
        forms.append(form)
        return reply(form)

    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", transcribe)
    with threaded(app) as port:
        yield f"http://127.0.0.1:{port}/v1", forms


def ask(url: str, *parts: Part, **settings: Any) -> Response:
    async def go() -> Response:
        async with open_model({"backend": "transcriptions", "base_url": url, **settings}) as model:
            return await model.generate(prepare_audio(Prompt((Turn("user", parts),)), model.capabilities))

    return asyncio.run(go())


def test_a_sound_goes_up_as_a_form_and_its_words_come_back() -> None:
    usage = {"type": "tokens", "input_tokens": 30, "output_tokens": 3, "input_token_details": {"audio_tokens": 20}}
    with transcribing(lambda _: web.json_response({"text": " Good morning. ", "usage": usage})) as (url, forms):
        answer = ask(url, TONE, "Transcribe this.", name="w", language="en", prompt="Morning", extra={"seed": "1"})
    assert answer.text == "Good morning."
    assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.audio_tokens_in) == (30, 3, 20)
    assert answer.seconds > 0
    (form,) = forms
    sent = {name: form[name] for name in ("model", "language", "prompt", "response_format", "seed", "filename", "mime")}
    assert sent == {
        "model": "w",
        "language": "en",
        "prompt": "Morning",
        "response_format": "json",
        "seed": "1",
        "filename": "clip.wav",
        "mime": "audio/wav",
    }
    assert form["file"][:4] == b"RIFF"
    assert "temperature" not in form


def test_a_reply_may_be_words_alone() -> None:
    with transcribing(lambda _: web.Response(text="Good morning.\n")) as (url, _):
        assert ask(url, TONE, response_format="text").text == "Good morning."


@pytest.mark.parametrize("parts", [("What?",), (TONE, HISS)])
def test_it_takes_exactly_one_sound(parts: tuple[Part, ...]) -> None:
    with transcribing(lambda _: web.json_response({"text": "x"})) as (url, forms), pytest.raises(Rejected):
        ask(url, *parts)
    assert forms == []


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (500, Transient, r"HTTP 500: wants a language; no language was given, .* model\.language=en"),
        (400, Rejected, r"model\.language=en"),
        (401, BadSetup, "check the key"),
        (429, Transient, "HTTP 429"),
    ],
)
def test_every_failure_has_its_kind(status: int, kind: type[Exception], message: str) -> None:
    told = web.json_response({"error": {"message": "wants a language"}}, status=status)
    with transcribing(lambda _: told) as (url, _), pytest.raises(kind, match=message):
        ask(url, TONE)


def test_nothing_is_said_of_a_language_that_was_given() -> None:
    told = web.json_response({"error": {"message": "broken"}}, status=500)
    with transcribing(lambda _: told) as (url, _), pytest.raises(Transient, match=r"HTTP 500: broken$"):
        ask(url, TONE, language="en")


@pytest.mark.parametrize("body", ["no json", '{"words": []}'])
def test_a_reply_without_a_text_is_a_failure(body: str) -> None:
    with transcribing(lambda _: web.Response(text=body)) as (url, _), pytest.raises(Transient):
        ask(url, TONE)


def test_a_file_that_is_too_large_is_not_sent() -> None:
    with (
        transcribing(lambda _: web.json_response({"text": "x"})) as (url, forms),
        pytest.raises(Rejected, match=r"has 16,044 bytes, the service takes 16,000; nothing was sent"),
    ):
        ask(url, TONE, max_body_bytes=16000)
    assert forms == []


def test_it_is_the_ear_of_a_cascade(tmp_path: Path) -> None:
    heard = iter(["good morning", "{good night}"])
    with (
        transcribing(lambda _: web.json_response({"text": next(heard)})) as (ear, forms),
        serving(lambda *_: said("B")) as mind,
    ):
        cascade = {
            "backend": "cascade",
            "asr": {"backend": "transcriptions", "base_url": ear, "name": "w", "prices": {"minute": 0.6}},
            "llm": {"backend": "openai", "base_url": mind.url, "prices": {"in": 1, "out": 2}},
            "template": "quoted",
        }

        async def go() -> Response:
            async with open_model(cascade) as model:
                assert model.name == "w+test-model"
                prompt = Prompt((Turn("system", ("Be brief.",)), Turn("user", (TONE, "or", HISS, "which?"))))
                return await model.generate(prepare_audio(prompt, model.capabilities))

        answer = asyncio.run(go())
    assert len(forms) == 2
    assert answer.transcripts == ("good morning", "{good night}")
    content = mind.asked[0]["messages"][1]["content"]
    assert [part["text"] for part in content] == [
        'Transcript of the audio: "good morning"',
        "or",
        'Transcript of the audio: "{good night}"',
        "which?",
    ]
    assert answer.usage.tokens_in == 7
    assert answer.usage.cost == pytest.approx(0.75 / 60 * 0.6 + 7 / 1e6 + 2 / 1e6)
