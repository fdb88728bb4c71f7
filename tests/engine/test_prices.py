"""What answers cost, and a budget that stops a run without losing an answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import ENV, earmark
from mine import bench
from servers import serving

from earmark.config.compose import compose_config
from earmark.config.settings import Prices
from earmark.engine.open import open_model
from earmark.engine.progress import Progress
from earmark.errors import RunStopped, UsageError
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import read_journal
from earmark.terminal.progress import progress_line
from earmark.types import EncodedAudio, Prompt, Turn, Usage, replace

USED = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"audio_tokens": 600}}
PRICES = "{in: 2, out: 10, sound: 40}"
EACH = (400 * 2 + 600 * 40 + 100 * 10) / 1e6


@pytest.mark.parametrize(
    ("prices", "usage", "seconds", "cost"),
    [
        (Prices(input=2, output=8), Usage(1000, 100), 0, 2e-3 + 8e-4),
        (Prices(input=2, output=8), Usage(1000, 100, 600, 50), 0, 2e-3 + 8e-4),
        (Prices(input=2, output=8, sound=40, speech=80), Usage(1000, 100, 600, 50), 0, 8e-4 + 24e-3 + 4e-4 + 4e-3),
        (Prices(input=2, sound=0.0), Usage(1000, 0, 1000), 0, 0.0),
        (Prices(minute=0.006), Usage(), 90, 0.009),
    ],
)
def test_a_price_list_is_read_as_it_is_meant(prices: Prices, usage: Usage, seconds: float, cost: float) -> None:
    assert prices.cost(usage, seconds) == pytest.approx(cost)


def counted(_: dict[str, Any], __: int) -> web.Response:
    choice = {"finish_reason": "stop", "message": {"content": "A"}}
    return web.json_response({"choices": [choice], "usage": USED})


def test_a_model_with_prices_says_what_an_answer_cost() -> None:
    async def go(url: str) -> Usage:
        settings = compose_config([f"model={url}", f"model.prices={PRICES}"]).model
        async with open_model(settings) as model:
            assert model.name == "test-model"
            prompt = Prompt((Turn("user", (EncodedAudio(b"x", "wav", 16000, 1, 60.0), "Which?")),))
            return (await model.generate(prompt)).usage

    with serving(counted) as server:
        usage = asyncio.run(go(server.url))
    assert usage == Usage(1000, 100, 600, cost=usage.cost)
    assert usage.cost == pytest.approx(EACH)


def test_a_wrong_price_is_told() -> None:
    with pytest.raises(UsageError, match="prices"):
        asyncio.run(_opened(["model=fake", "model.prices={input: 2}"]))


async def _opened(words: list[str]) -> None:
    async with open_model(compose_config(words).model):
        pass


def run(url: str, *words: str, said: list[str] | None = None, tallies: list[Progress] | None = None) -> RunResult:
    settings = compose_config([f"model={url}", "model.concurrency=4", *words])
    watch = Callbacks((said if said is not None else []).append, (tallies if tallies is not None else []).append)
    return asyncio.run(evaluate(bench.make(items=40), settings, watch))


def test_a_budget_stops_the_run_with_every_answer_kept_and_the_same_command_goes_on() -> None:
    budget = 10.5 * EACH
    with serving(counted) as server:
        with pytest.raises(RunStopped, match=r"the budget is 0\.2709"):
            run(server.url, f"model.prices={PRICES}", f"budget={budget}")
        asked = len(server.asked)
        (path,) = Path("results").rglob("responses.jsonl")
        records = list(read_journal(path))
        assert len(records) == asked, "what was under way came to its end"
        assert all(record.response for record in records)
        assert 11 <= asked < 11 + 4, "no question is begun once the budget is spent"
        with pytest.raises(RunStopped, match=r"the budget is 0\.2709"):
            run(server.url, f"model.prices={PRICES}", f"budget={budget}")
        assert len(server.asked) <= asked + 1, "a budget is for the whole run, not for a sitting"
        tallies: list[Progress] = []
        metrics = run(server.url, f"model.prices={PRICES}", "budget=100", tallies=tallies).metrics
        assert metrics.finished
        assert len(server.asked) == 40
    assert tallies[-1].cost == pytest.approx(40 * EACH)
    used = metrics.usage.usage
    assert (metrics.usage.answers, used.tokens_in, used.audio_tokens_in, used.tokens_out) == (40, 40_000, 24_000, 4_000)
    assert used.cost == pytest.approx(40 * EACH)
    assert metrics.usage.audio_seconds == pytest.approx(40 * 0.01)
    assert "tokens 40,000 in (24,000 audio) 4,000 out  cost 1.0320" in progress_line(tallies[-1])
    done = earmark("show", str(path.parent))
    assert "0 s of audio; 40,000 tokens in (24,000 audio), 4,000 out; cost 1.0320" in done.stdout


def test_a_budget_of_a_model_without_prices_is_remarked_on() -> None:
    said: list[str] = []
    with serving(counted) as server:
        assert run(server.url, "budget=1", said=said).metrics.finished
    assert any("budget=1 stops nothing unless the server tells" in line for line in said)


def test_a_server_that_tells_the_cost_is_believed() -> None:
    def dear(_: dict[str, Any], __: int) -> web.Response:
        choice = {"finish_reason": "stop", "message": {"content": "A"}}
        return web.json_response({"choices": [choice], "usage": USED | {"cost": 0.25}})

    with serving(dear) as server, pytest.raises(RunStopped, match=r"cost (1|1\.25|1\.5|1\.75), the budget is 1"):
        run(server.url, "budget=1")


def test_an_answer_that_was_asked_for_once_more_costs_both() -> None:
    def unsure(_: dict[str, Any], number: int) -> web.Response:
        choice = {"finish_reason": "stop", "message": {"content": "?" if number % 2 else "A"}}
        return web.json_response({"choices": [choice], "usage": USED})

    with serving(unsure) as server:
        settings = compose_config([f"model={server.url}", "model.concurrency=1", f"model.prices={PRICES}"])
        benchmark = replace(bench.make(items=3), retry_if=lambda response: response.text == "?")
        done = asyncio.run(evaluate(benchmark, settings, Callbacks(lambda _: None, lambda _: None)))
        assert len(server.asked) == 6
    assert (done.metrics.usage.answers, done.metrics.usage.usage.tokens_in) == (3, 6000)
    assert done.metrics.usage.usage.cost == pytest.approx(6 * EACH)


def test_what_a_judge_cost_is_told_and_a_remembered_verdict_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))
    lines = [{"id": at, "reply": f"Answer {at}.", "target": "a robin", "question": "Which bird?"} for at in range(3)]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    Path("conf/model").mkdir(parents=True)
    words = ("score", "replies.jsonl", "--scorer", "judge", "judge=dear", "prompt=sakura")
    with serving(counted) as server:
        yaml = f"# Dear.\nbackend: openai\nbase_url: {server.url}\nprices: {PRICES}\n"
        Path("conf/model/dear.yaml").write_text(yaml)
        told = earmark(*words).stdout
        assert f"judge usage: 3,000 tokens in (1,800 audio), 300 out; cost {3 * EACH:.4f}\n" in told
        assert len(server.asked) == 3
