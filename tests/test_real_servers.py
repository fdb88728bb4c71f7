"""Real servers: some take sound, one drops it without a word, one answers under any name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import earmark
from real_servers import (
    llama_serve,
    transformers_serve,
    whisper_serve,
)

from earmark.audio.prepare import prepare_audio
from earmark.audio.speak import speak
from earmark.engine.open import open_model
from earmark.journal import read_journal
from earmark.models import openai, transcriptions
from earmark.types import Clip, Context, Prompt, Response, SynthSpec, Turn

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("servers")]


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Transformers' server with a tiny Qwen2-Audio: it hears, and answers nonsense."""
    with transformers_serve("tiny-qwen2-audio", tmp_path_factory.mktemp("server") / "log") as server:
        yield server


@pytest.fixture(scope="module")
def deaf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The same server with a text model: it takes sound with a 200 and drops it."""
    with transformers_serve("smollm2", tmp_path_factory.mktemp("server") / "log") as server:
        yield server


def tone(frequency: float) -> SynthSpec:
    return SynthSpec("tone", {"frequency": frequency, "seconds": 1.0, "level": -10.0})


def replies(url: str, *sounds: SynthSpec | None) -> list[Response]:
    async def go() -> list[Response]:
        async with openai.load(openai.Settings(base_url=url, max_tokens=8), Context()) as model:
            prompts = [
                Prompt((Turn("user", (*([sound] if sound else []), "Which? A. yes B. no")),)) for sound in sounds
            ]
            return [await model.generate(prepare_audio(prompt, model.capabilities)) for prompt in prompts]

    return asyncio.run(go())


def test_sound_reaches_a_model_that_hears(listening: tuple[str, str]) -> None:
    without, low, high = replies(listening[0], None, tone(300.0), tone(3000.0))
    assert low.text != high.text
    assert low.usage.tokens_in > without.usage.tokens_in


def test_sound_is_lost_without_a_word_by_a_model_that_does_not(deaf: tuple[str, str]) -> None:
    without, low, high = replies(deaf[0], None, tone(300.0), tone(3000.0))
    assert without.text == low.text == high.text
    assert without.usage == low.usage == high.usage


@pytest.mark.shared
def test_listen_runs_on_a_real_server(listening: tuple[str, str], shared: Path) -> None:
    url, name = listening
    done = earmark(
        "run", "listen", f"data={shared / 'fixtures/listen'}", f"model={url}", "model.concurrency=2", "limit=2"
    )
    assert done.returncode == 0, done.stderr
    records = [record for path in Path("results").rglob("responses.jsonl") for record in read_journal(path)]
    assert len(records) == 20
    assert all(record.response and record.response.usage.tokens_in for record in records)
    assert {record.item.task for record in records if record.audio_sent} == {
        "1_audio",
        "1_audio_and_text",
        "2B",
        "2C",
        "3B",
        "3C",
        "4",
    }
    assert name in done.stdout


def doctor(*words: str) -> tuple[int, str]:
    done = earmark("doctor", *words)
    return done.returncode, done.stdout + done.stderr


def test_preflight_finds_that_a_model_hears(listening: tuple[str, str]) -> None:
    status, told = doctor("acoustics:pitch", f"model={listening[0]}", "model.max_tokens=4")
    assert status == 0, told
    assert "preflight: audio_received" in told
    assert "replies differ with the sound; the server counts it" in told
    assert "log-probabilities were asked for, and the server sent none" in told  # with a 200


def test_preflight_stops_a_run_whose_model_lost_the_sound(deaf: tuple[str, str]) -> None:
    words = ("run", "acoustics:pitch", f"model={deaf[0]}", "model.max_tokens=4", "items=4")
    done = earmark(*words)
    assert done.returncode == 4, done.stderr
    assert "receives no audio: the same reply" in done.stderr
    assert not list(read_journal(next(Path("results").rglob("run.json")).parent / "responses.jsonl"))
    assert earmark(*words, "preflight=false").returncode == 0


def test_answers_are_streamed(listening: tuple[str, str]) -> None:
    async def go(stream: bool) -> Response:
        settings = openai.Settings(base_url=listening[0], max_tokens=8, stream=stream)
        async with openai.load(settings, Context()) as model:
            return await model.generate(
                prepare_audio(Prompt((Turn("user", (tone(300.0), "Which?")),)), model.capabilities)
            )

    whole, streamed = asyncio.run(go(stream=False)), asyncio.run(go(stream=True))
    # Its streaming decoder holds back bytes that are no character yet, and drops what it holds at the end; this model
    # of random weights often ends in the midst of one, where the whole answer has U+FFFD.
    assert streamed.text.rstrip("\ufffd") == whole.text.rstrip("\ufffd") != ""
    assert streamed.first_token is not None
    assert 0 < streamed.first_token <= streamed.seconds
    assert streamed.usage.tokens_in == whole.usage.tokens_in


@pytest.fixture(scope="module")
def transcribing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The same server with the real Whisper tiny.en."""
    with whisper_serve(tmp_path_factory.mktemp("server") / "log") as server:
        yield server


def spoken(text: str) -> Clip:
    return Clip(str(speak([text])[0]), name=text)


def test_a_real_recogniser_writes_down_what_is_said(transcribing: tuple[str, str]) -> None:
    url, name = transcribing

    async def go() -> Response:
        async with transcriptions.load(transcriptions.Settings(name, url), Context()) as model:
            return await model.generate(
                prepare_audio(Prompt((Turn("user", (spoken("What do bees make?"),)),)), model.capabilities)
            )

    assert asyncio.run(go()).text.lower().strip(" ?.") == "what do bees make"


def test_a_cascade_of_two_servers_answers_what_was_asked_aloud(
    transcribing: tuple[str, str], deaf: tuple[str, str]
) -> None:
    settings = {
        "backend": "cascade",
        "asr": {"backend": "transcriptions", "base_url": transcribing[0], "name": transcribing[1]},
        "llm": {"backend": "openai", "base_url": deaf[0], "max_tokens": 16},
    }

    async def go() -> Response:
        async with open_model(settings) as model:
            prompt = Prompt((Turn("user", (spoken("What is the capital of France?"),)),))
            return await model.generate(prepare_audio(prompt, model.capabilities))

    answer = asyncio.run(go())
    assert [words.lower().strip(" ?.") for words in answer.transcripts] == ["what is the capital of france"]
    assert "Paris" in answer.text
    assert answer.usage.tokens_in > 0


def test_a_server_that_answers_under_any_name_is_remarked_on(tmp_path: Path) -> None:
    with llama_serve(tmp_path / "log") as url:
        status, told = doctor(f"model={url}", "model.name=gpt-4o")
        assert status == 4
        assert "cannot be asked about audio: asked about a tone: HTTP 500: audio input is not supported" in told
        assert "the server does not list 'gpt-4o'" in told
