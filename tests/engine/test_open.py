"""Opening a model from its settings: with its prices, behind its cache, and never with a key that was not written down."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from earmark.engine.open import open_model
from earmark.errors import BadSetup, UsageError
from earmark.types import Prompt, Response, Turn

PROMPT = Prompt((Turn("user", ("Which?",)),))


def ask(*prompts: Prompt, **settings: Any) -> list[Response]:
    async def go() -> list[Response]:
        async with open_model({"backend": "fake", **settings}) as model:
            return [await model.generate(prompt) for prompt in prompts]

    return asyncio.run(go())


def own_module(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    Path("own_replies.py").write_text(text)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.delitem(__import__("sys").modules, "own_replies", raising=False)


def test_a_text_is_said_to_everything() -> None:
    assert [response.text for response in ask(PROMPT, Prompt(()), reply="B")] == ["B", "B"]


def test_a_function_answers_and_with_a_cache_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))
    own_module(monkeypatch, "calls = []\ndef reply(prompt):\n    calls.append(1)\n    return str(len(calls))\n")
    assert [response.text for response in ask(PROMPT, PROMPT, reply="own_replies:reply")] == ["1", "2"]
    cached = ask(PROMPT, PROMPT, reply="own_replies:reply", cache=True)
    assert [response.text for response in cached] == ["3", "3"]


def test_prices_tell_what_an_answer_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    own_module(
        monkeypatch,
        "from earmark.types import Response, Usage\n"
        "def reply(prompt):\n    return Response('A', usage=Usage(2_000_000, 1_000_000))\n",
    )
    (free,) = ask(PROMPT, reply="own_replies:reply")
    (priced,) = ask(PROMPT, reply="own_replies:reply", prices={"in": 0.5, "out": 3.0})
    assert free.usage.cost == 0.0
    assert priced.usage.cost == pytest.approx(4.0)


@pytest.mark.parametrize("hidden", ["***", "${oc.env:NOBODYS_KEY}"])
def test_a_key_that_was_not_written_down_is_asked_for_by_its_path(hidden: str) -> None:
    with pytest.raises(BadSetup, match=r"^model\.reply was a key.*give it again: model\.reply=VALUE$"):
        ask(PROMPT, reply=hidden)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"backend": "nobody"}, "no model is called 'nobody'"),
        ({"colour": "red"}, "colour"),
        ({"reply": "own_replies:nothing"}, "module 'own_replies' has no function 'nothing'"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(
    settings: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_module(monkeypatch, "")
    with pytest.raises(UsageError, match=told):
        ask(PROMPT, **settings)
