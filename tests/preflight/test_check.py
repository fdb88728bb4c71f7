"""Preflight: a model that cannot have heard is found before it is asked, and one that hears is left alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web
from hearing_servers import SERVERS, Body, look, reply
from mine import bench
from servers import Server, serving

from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.engine.load import load_condition
from earmark.errors import BadSetup, RunStopped
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.preflight.probes import benchmark_pattern, first_audio_prompt
from earmark.types import Prompt


def run(server: Server, *more: str, said: list[str] | None = None, items: int = 6) -> RunResult:
    settings = compose_config([f"model={server.url}", *more])
    watch = Callbacks((said if said is not None else []).append, lambda _: None)
    return asyncio.run(evaluate(bench.make(items=items), settings, watch))


def test_a_deaf_model_stops_the_run_before_it_is_asked() -> None:
    with serving(lambda body, _: SERVERS["deaf"][0](body), preflight=True) as server:
        with pytest.raises(BadSetup, match=r"test-model receives no audio: .* preflight=false"):
            run(server)
        asked = len(server.asked)
        assert asked == 10
        (report,) = json.loads(next(Path("results").rglob("preflight.json")).read_text())
        assert report["verdict"] == "no_audio"
        assert len(report["probes"]) == 10
        done = run(server, "preflight=false")
        assert done.metrics.finished
        assert len(server.asked) == asked + 6
    assert len(list(Path("results").rglob("run.json"))) == 1


def test_a_model_that_is_not_sure_to_hear_is_asked_with_a_word() -> None:
    told: list[str] = []
    with serving(lambda *_: reply("A", None), preflight=True) as server:
        assert run(server, said=told).metrics.finished
    assert any(line.startswith("preflight: inconclusive: test-model: the same reply") for line in told)
    assert any("sent as wav, 16000 Hz, 1 channel, 1.00 s" in line for line in told)


def test_a_finished_sitting_needs_no_preflight() -> None:
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        outcome = run(server, "limit=6")
        assert len(server.asked) == 11
        metrics = json.loads((outcome.folder / "metrics.json").read_text())
        (outcome.folder / "metrics.json").write_text(json.dumps(metrics | {"finished": False}))
        run(server, "limit=6")
        assert len(server.asked) == 11


def test_what_a_model_refuses_is_found_out_before_the_first_item() -> None:
    def newer(body: Body, _: int) -> web.Response:
        if "temperature" in body:
            told = {"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}}
            return web.json_response(told, status=400)
        return SERVERS["hears"][0](body)

    told: list[str] = []
    with serving(newer, preflight=True) as server:
        assert run(server, said=told).metrics.finished
    assert ["temperature" in body for body in server.asked] == [True] + [False] * 11
    note = "temperature left out, which the model refuses"
    assert f"  {note}" in told
    (report,) = json.loads(next(Path("results").rglob("preflight.json")).read_text())
    assert note in report["remarks"]


@pytest.mark.parametrize(
    ("status", "message", "requests"),
    [(500, "out of memory", 3), (500, "audio input is not supported", 1), (401, "no such key", 1)],
)
def test_a_server_that_does_not_answer_stops_the_run(
    status: int, message: str, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earmark.engine.retries.MIN_BACKOFF", 0.01)
    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)

    def broken(*_: object) -> web.Response:
        return web.json_response({"error": {"message": message}}, status=status)

    with serving(broken, preflight=True) as server:
        expected = f"cannot be asked about audio: asked about a tone: HTTP {status}: {message}"
        with pytest.raises(BadSetup, match=expected):
            run(server)
        assert len(server.asked) == requests
        (report,) = json.loads(next(Path("results").rglob("preflight.json")).read_text())
        assert report["verdict"] == "error"
        with pytest.raises((BadSetup, RunStopped), match=message):
            run(server, "preflight=false", "max_attempts=1", "max_consecutive_failures=2")
    assert not any(json.loads(line).get("response") for line in _journal())


def _journal() -> list[str]:
    (path,) = Path("results").rglob("responses.jsonl")
    return path.read_text().splitlines()


def test_a_name_that_the_server_does_not_list_is_remarked_on() -> None:
    with serving(lambda body, _: SERVERS["hears"][0](body), models=("a", "b"), preflight=True) as server:
        (remark,) = look(server, name="c").remarks
        assert remark == "the server does not list 'c', only a, b: it may be answering as another model"
        assert look(server, name="b").remarks == ()


def test_one_deaf_endpoint_of_several_stops_the_run_and_one_dead_one_does_not() -> None:
    def spread(*urls: str) -> list[str]:
        told: list[str] = []
        settings = compose_config(["model=spread", f"model.urls=[{','.join(urls)}]"])
        asyncio.run(evaluate(bench.make(items=6), settings, Callbacks(told.append, lambda _: None)))
        return told

    def hears(body: Body, _: int) -> web.Response:
        return SERVERS["hears"][0](body)

    with serving(hears, preflight=True) as good, serving(lambda *_: reply("A", 20), preflight=True) as deaf:
        with pytest.raises(BadSetup, match=rf"test-model at {deaf.url} receives no audio"):
            spread(good.url, deaf.url)
        told = spread(good.url, "http://127.0.0.1:9/v1")
    assert any(line.startswith(f"preflight: audio_received: test-model at {good.url}") for line in told)
    assert any(line.startswith("preflight: error: test-model at http://127.0.0.1:9/v1") for line in told)


@pytest.mark.parametrize("model", ["fake", "local", "whisper_tiny", "cascade", "replay"])
def test_models_within_this_process_need_none(model: str) -> None:
    def pattern(*words: str) -> Prompt | None:
        config = compose_config(list(words))
        return benchmark_pattern(bench.make(), (None,), config.run, parse_model(config.model))

    assert pattern(f"model={model}", *["model.run=RUN"] * (model == "replay")) is None
    assert pattern("model=openai", "preflight=false") is None
    assert pattern("model=openai") is not None


def test_a_benchmark_that_sends_no_sound_needs_none() -> None:
    benchmark, settings = bench.make(), compose_config([]).run
    transcript = load_condition("no_media", 0, benchmark)
    assert first_audio_prompt(benchmark, (transcript,), settings) is None
    assert first_audio_prompt(benchmark, (transcript, None), settings) is not None
