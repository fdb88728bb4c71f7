"""Questions of a run that are asked again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from commands import earmark
from failed_runs import broken, failed_run
from mine import bench
from servers import said, serving

from earmark.config.compose import compose_config
from earmark.engine.throttle import RateLimiter
from earmark.evaluate import Callbacks, evaluate
from earmark.runs.retry import retry
from earmark.runs.trust import trust_run


def test_a_retry_of_questions_that_are_gone_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(broken) as server:  # type: ignore[arg-type]
        run = failed_run(server.url)
        config = run / "config.yaml"
        config.write_text(config.read_text().replace("items: 3", "items: 2"))
        trust_run(run)
        done = earmark("retry", str(run))
        assert (done.returncode, "1 questions are not in the benchmark any more: item item-2" in done.stderr) == (
            5,
            True,
        )


@pytest.mark.parametrize("remember", [False, True])
def test_a_retry_asks_again_at_the_rate_of_the_run(
    remember: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    booked: list[float] = []

    def book(_: RateLimiter, amount: float) -> float:
        booked.append(amount)
        return 0.0

    monkeypatch.setattr(RateLimiter, "reserve", book)
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))
    with serving(lambda *_: said("Hm.")) as server:
        words = [f"model={server.url}", "preflight=false", "model.requests_per_minute=600"]
        settings = compose_config([*words, f"model.cache={str(remember).lower()}"])
        watch = Callbacks(lambda _: None, lambda _: None)
        run = asyncio.run(evaluate(bench.make(items=3), settings, watch)).folder
        assert len(server.asked) == len(booked) == 3
        asyncio.run(retry(run, {"unparsed"}, 1, watch))
        assert len(server.asked) == len(booked) == 6
