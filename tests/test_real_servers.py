"""Real servers: one that takes sound, and one that drops it without a word."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import earmark
from real_servers import transformers_serve

from earmark.audio.prepare import prepare
from earmark.journal import read
from earmark.models import openai
from earmark.types import Prompt, Recipe, Response, Turn

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


def tone(frequency: float) -> Recipe:
    return Recipe("tone", {"frequency": frequency, "seconds": 1.0, "level": -10.0})


def replies(url: str, *sounds: Recipe | None) -> list[Response]:
    async def go() -> list[Response]:
        async with openai.load(openai.Settings(base_url=url, max_tokens=8)) as model:
            prompts = [
                Prompt((Turn("user", (*([sound] if sound else []), "Which? A. yes B. no")),)) for sound in sounds
            ]
            return [await model.generate(prepare(prompt, model.hears)) for prompt in prompts]

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
    records = [record for path in Path("results").rglob("responses.jsonl") for record in read(path)]
    assert len(records) == 20
    assert all(record.response and record.response.usage.tokens_in for record in records)
    assert {record.item.task for record in records if record.sent} == {
        "1_audio",
        "1_audio_and_text",
        "2B",
        "2C",
        "3B",
        "3C",
        "4",
    }
    assert name in done.stdout
