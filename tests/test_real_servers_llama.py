"""llama.cpp's own server: it takes no sound with this model and says so, and answers whatever a model is called."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real_servers import llama_serve

from earmark.audio.prepare import prepare_audio
from earmark.errors import BadSetup
from earmark.models import openai
from earmark.models.openai import Settings
from earmark.types import Context, Prompt, Response, SynthSpec, Turn

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("servers")]
CAPITAL = Prompt((Turn("user", ("What is the capital of France? One word.",)),), sampling={"max_tokens": 8})
TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.5, "level": -20.0}, "tone")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_serve(tmp_path_factory.mktemp("llama") / "log") as address:
        yield address


def asked(url: str, prompt: Prompt, **settings: Any) -> Response:
    async def go() -> Response:
        async with openai.load(Settings(base_url=url, **settings), Context()) as model:
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())


def fetched(url: str, body: bytes | None = None) -> Any:
    """What a server on loopback says, read as JSON."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
        return json.load(reply)


def test_words_are_answered(url: str) -> None:
    reply = asked(url, CAPITAL)
    assert "Paris" in reply.text
    assert reply.usage.tokens_in > 10
    assert reply.usage.tokens_out > 0


def test_sound_that_is_not_taken_is_told_at_once_and_no_answer(url: str) -> None:
    with pytest.raises(BadSetup, match=r"audio input is not supported.*serve a model with audio input"):
        asked(url, Prompt((Turn("user", (TONE, "What do you hear?")),)))


def test_it_answers_for_a_model_that_nobody_has(url: str) -> None:
    """A trap: the name in the table is the one that was typed, and the server never checks it."""
    reply = asked(url, CAPITAL, name="no-such-model")
    assert "Paris" in reply.text


def test_it_tells_how_likely_its_words_were(url: str) -> None:
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": "What is the capital of France? One word."}],
        "max_tokens": 4,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 2,
    }
    choice = fetched(f"{url}/chat/completions", json.dumps(body).encode())["choices"][0]
    assert len(choice["logprobs"]["content"]) == 4
    assert all(token["logprob"] <= 0 for token in choice["logprobs"]["content"])


def test_a_listed_model_is_a_file(url: str) -> None:
    (listed,) = fetched(f"{url}/models")["data"]
    assert Path(listed["id"]).suffix == ".gguf"
