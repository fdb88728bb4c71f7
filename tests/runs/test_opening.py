"""Lines before the first request of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import earmark
from servers import said, serving

from earmark.config.compose import compose_config
from earmark.config.settings import Prices
from earmark.engine.load import load_benchmark
from earmark.runs.opening import estimate_cost
from earmark.runs.plan import look_at


def test_a_run_says_first_what_it_asks_and_what_it_costs() -> None:
    with serving(lambda _body, _: said("A")) as server:
        address = server.url.removesuffix("/v1")
        words = ("acoustics:pitch,loudness", "items=4", f"model={address}", "preflight=false")
        done = earmark("run", *words, "condition=[plain,silence]", "model.prices={in: 2.5, out: 10, sound: 40}")
    assert done.returncode == 0, done.stderr
    model, asks, run, *_ = done.stderr.splitlines()
    assert model == f"model: test-model (openai at {address})"
    assert re.fullmatch(
        r"acoustics: 16 requests; 8 items of 2 tasks, plain, silence; about 1\d s of audio; cost about 0\.0\d", asks
    )
    (folder,) = (path.parent for path in Path("results").rglob("run.json"))
    assert run == f"run: {folder}"
    assert f"{address} lists no models, {server.url} does, and is used" in done.stderr


def test_a_run_ends_with_its_number_before_the_tables() -> None:
    done = earmark("run", "acoustics:pitch", "items=4", "condition=[plain,silence]", "model=fake")
    assert done.stdout.startswith(
        "fake on acoustics: accuracy 0.500 (95 % interval 0.150-0.850, 4 items, chance 0.500); listening gain +0.000."
    )
    assert earmark("show", "@").stdout.splitlines()[0] == done.stdout.splitlines()[0]


def test_a_cost_needs_prices_and_the_length_of_the_sound() -> None:
    config = compose_config(["model=fake"])
    look = look_at(load_benchmark("acoustics", ("pitch",), {"items": 2}))
    prices = Prices(input=1.0, output=10.0)
    assert estimate_cost(config, look, 1, 10.0, None) is None
    assert estimate_cost(config, look, 1, None, prices) is None
    text = look.characters // 4
    assert estimate_cost(config, look, 1, 10.0, prices) == pytest.approx((250 + text + 10 * 2 * 100) / 1e6)
    halved = compose_config(["model=fake", "batch=true"])
    assert estimate_cost(halved, look, 1, 10.0, prices) == pytest.approx((250 + text + 10 * 2 * 100) / 2e6)
