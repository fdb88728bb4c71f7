"""What a model said is remembered by everything that it was given, and by nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from mine import bench
from servers import said, serving

from earmark.config.compose import compose_config
from earmark.engine.cache import FROM_CACHE, CachedModel, ResponseCache
from earmark.engine.open import open_judge_model
from earmark.errors import BadData, Transient, UsageError
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import read_journal
from earmark.models.fake import FakeModel
from earmark.types import EncodedAudio, Model, Part, Prompt, Response, Turn, Usage, Waveform, replace

NOISE = EncodedAudio(b"RIFF one", "wav", 16000, 1, 1.0, "one.wav")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[ResponseCache]:
    with closing(ResponseCache(tmp_path / "a.sqlite")) as opened:
        yield opened


class Counted:
    """A model that counts how often it is asked."""

    def __init__(
        self, reply: Callable[[Prompt], str | Response] = lambda _: Response("yes", usage=Usage(7, 1))
    ) -> None:
        self.asked = 0
        self._reply = reply

    def model(self, name: str = "fake") -> Model:
        def reply(prompt: Prompt) -> str | Response:
            self.asked += 1
            return self._reply(prompt)

        return FakeModel(reply, name)


def prompt(*parts: Part, **more: object) -> Prompt:
    return replace(Prompt((Turn("user", parts or ("Hello.",)),)), **more)


def ask(model: CachedModel, *prompts: Prompt) -> list[Response]:
    async def all_of_them() -> list[Response]:
        return list(await asyncio.gather(*(model.generate(each) for each in prompts)))

    return asyncio.run(all_of_them())


def test_the_same_is_asked_once_and_what_is_remembered_costs_nothing(tmp_path: Path, memory: ResponseCache) -> None:
    counted = Counted()
    model = CachedModel(counted.model(), memory, {})
    first, second = ask(model, prompt()) + ask(model, prompt())
    assert counted.asked == 1
    assert (first.text, first.usage.tokens_in, first.notes) == ("yes", 7, ())
    assert (second.text, second.usage.tokens_in, second.notes) == ("yes", 0, (FROM_CACHE,))
    with closing(ResponseCache(tmp_path / "a.sqlite")) as opened:  # as another process opens it
        assert ask(CachedModel(counted.model(), opened, {}), prompt())[0].notes == (FROM_CACHE,)


def test_the_same_asked_twice_at_once_is_asked_once(memory: ResponseCache) -> None:
    counted = Counted()
    model = CachedModel(replace(counted.model(), seconds=0.01), memory, {})  # type: ignore[type-var]
    assert [reply.text for reply in ask(model, *[prompt()] * 20)] == ["yes"] * 20
    assert counted.asked == 1


WAVE = Waveform(np.zeros((1, 4), np.float32), 16000)


@pytest.mark.parametrize(
    "other",
    [
        prompt("Hello!"),
        prompt("Hel", "lo."),
        Prompt((Turn("system", ("Hello.",)),)),
        prompt("Hello.", choices=("a", "b"), labels=("A", "B")),
        prompt("Hello.", sampling={"temperature": 0.0}),
        prompt("Hello.", NOISE),
        prompt("Hello.", replace(NOISE, data=b"RIFF two")),
        prompt("Hello.", replace(NOISE, format="flac")),
        prompt("Hello.", WAVE),
        prompt("Hello.", replace(WAVE, rate=8000)),
        prompt("Hello.", replace(WAVE, samples=np.ones((1, 4), np.float32))),
    ],
)
def test_whatever_is_given_otherwise_is_another_question(memory: ResponseCache, other: Prompt) -> None:
    counted = Counted()
    model = CachedModel(counted.model(), memory, {})
    ask(model, prompt(), prompt("Hello.", replace(NOISE, data=b"RIFF three")))
    ask(model, other)
    assert counted.asked == 3


def test_the_name_of_a_file_is_not_what_is_heard(memory: ResponseCache) -> None:
    counted = Counted()
    model = CachedModel(counted.model(), memory, {})
    ask(model, prompt(NOISE), prompt(replace(NOISE, name="other.wav")))
    assert counted.asked == 1


def test_another_model_or_setting_is_asked_itself(memory: ResponseCache) -> None:
    counted = Counted()
    for model in (
        CachedModel(counted.model(), memory, {}),
        CachedModel(counted.model("other"), memory, {}),
        CachedModel(counted.model(), memory, {"temperature": 1.0}),
    ):
        ask(model, prompt())
    assert counted.asked == 3


@pytest.mark.parametrize("reply", [Response("no", "filtered"), Response("yes, bec", "length"), Response(" ")])
def test_what_is_no_whole_answer_is_not_remembered(memory: ResponseCache, reply: Response) -> None:
    counted = Counted(lambda _: reply)
    model = CachedModel(counted.model(), memory, {})
    ask(model, prompt())
    ask(model, prompt())
    assert counted.asked == 2


def test_a_failure_is_not_remembered(memory: ResponseCache) -> None:
    def busy(_: Prompt) -> str:
        raise Transient("busy")

    failing, counted = Counted(busy), Counted()
    with pytest.raises(Transient):
        ask(CachedModel(failing.model(), memory, {}), prompt())
    assert ask(CachedModel(counted.model(), memory, {}), prompt())[0].notes == ()


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"this is no database at all, but it has some length" * 100)
    with pytest.raises(BadData, match=r"a\.sqlite: answers cannot be remembered there"):
        ResponseCache(tmp_path / "a.sqlite")


def test_the_model_of_a_judge_asks_again_where_that_may_help_and_remembers() -> None:
    def flaky(_: object, number: int) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": "0"}) if number == 1 else said("fine")

    async def twice(url: str) -> list[Response]:
        settings = compose_config([f"model={url}"]).model
        replies = []
        for _ in range(2):  # opened anew
            async with open_judge_model(settings) as model:
                assert model.name == "test-model"
                replies.append(await model.generate(prompt()))
        return replies

    with serving(flaky) as server:
        first, second = asyncio.run(twice(server.url))
    assert len(server.asked) == 2
    assert (first.text, second.text, second.notes) == ("fine", "fine", (FROM_CACHE,))


def evaluated(*words: str, items: int = 6) -> RunResult:
    settings = compose_config(list(words))
    return asyncio.run(evaluate(bench.make(items=items), settings, Callbacks(lambda _: None, lambda _: None)))


def test_a_run_with_a_memory_asks_what_no_run_has_asked_and_its_preflight_asks_anew() -> None:
    def counting(_: object, __: int) -> web.Response:
        choice = {"finish_reason": "stop", "message": {"content": "A"}}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 1000}})

    with serving(counting) as server:
        words = (f"model={server.url}", "model.cache=true", "model.prices={in: 1}", "model.concurrency=3")
        first, second = evaluated(*words), evaluated(*words, items=8)
        assert len(server.asked) == 8
        looked = [json.loads((run.folder / "preflight.json").read_text())[0]["probes"] for run in (first, second)]
        assert not any(probe.get("notes") for probes in looked for probe in probes)
        assert looked[0][0]["seconds"] != looked[1][0]["seconds"]
    told = [record.response for record in read_journal(second.folder / "responses.jsonl")]
    assert sum(FROM_CACHE in answer.notes for answer in told if answer) == 6
    assert sum(answer.usage.cost for answer in told if answer) == pytest.approx(2 * 1000 / 1e6)


def test_a_question_that_fails_is_asked_as_often_as_without_a_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.engine.retries.MIN_BACKOFF", 0.01)
    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)
    with serving(lambda *_: web.Response(status=503)) as server:
        evaluated(f"model={server.url}", "model.cache=true", "max_attempts=3", "preflight=false", items=1)
        assert len(server.asked) == 3


@pytest.mark.parametrize("word", ["repeats=3", "batch=true"])
def test_what_a_memory_would_undo_is_told(word: str) -> None:
    with pytest.raises(UsageError, match=r"which model\.cache=true does not; leave out one"):
        evaluated("model=fake", "model.cache=true", word)
