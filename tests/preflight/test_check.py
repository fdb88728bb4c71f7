"""Preflight: a model that cannot have heard is found before it is asked, and one that hears is left alone."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web
from commands import earmark
from mine import bench
from servers import Server, said, serving, sounds, words

from earmark.config import compose_config, parse_model
from earmark.engine.load import load_condition
from earmark.engine.open import open_model
from earmark.errors import BadSetup, RunStopped
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.preflight.check import run_preflight
from earmark.preflight.probes import OPEN_QUESTION, benchmark_pattern, first_audio_prompt, plain_pattern, shorten
from earmark.preflight.verdict import PreflightReport
from earmark.types import Clip, ImageRef, Prompt, SynthSpec, Turn

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "tone")
Body = dict[str, Any]


def reply(text: str, tokens_in: int | None, sound: int = 0) -> web.Response:
    usage = {"prompt_tokens": tokens_in, "prompt_tokens_details": {"audio_tokens": sound}} if tokens_in else None
    choice = {"finish_reason": "stop", "message": {"content": text}}
    return web.json_response({"choices": [choice], "usage": usage})


def heard(body: Body) -> str:
    """What a model that hears says: something about the samples."""
    given = [soundfile.read(io.BytesIO(data), dtype="int16")[0] for _, data in sounds(body)]
    return f"I hear {[int(np.abs(np.diff(samples, axis=0).astype(int)).sum()) for samples in given]}"


dice = itertools.count()
SERVERS: dict[str, tuple[Callable[[Body], web.Response], str, str]] = {
    "hears": (lambda body: reply(heard(body), 20 + 30 * len(sounds(body))), "audio_received", ("replies differ with the sound; "
        "the server counts it")),
    "hears, counts nothing": (lambda body: reply(heard(body), None), "audio_received", "replies differ with the sound"),
    "hears, counts words only": (lambda body: reply(heard(body), 20), "audio_received", "replies differ with the sound"),
    "the same answer, sound counted": (lambda body: reply("A", 20 + 30 * len(sounds(body))), "audio_received", ("50 tokens in, "
        "20 without")),
    "the same answer, sound counted apart": (lambda body: reply("A", 20, 5), "audio_received", "5 audio tokens"),
    "deaf": (lambda body: reply("A", 20 + len(words(body))), "no_audio", "the same reply ('A') and the same 60 tokens in"),
    "the same answer, nothing counted": (lambda _: reply("A", None), "inconclusive", "the same reply to every sound"),
    "rolls dice": (lambda _: reply(f"{next(dice)}", 20), "inconclusive", "replies vary for the same sound"),
    "hears, only when asked openly": (
        lambda body: reply(heard(body) if words(body) == OPEN_QUESTION else "A", None),
        "audio_received",
        "replies differ with the sound",
    ),
}  # fmt: skip


def look(server: Server, prompt: Prompt | None = None, thorough: bool = False, **settings: Any) -> PreflightReport:
    async def go() -> PreflightReport:
        async with open_model({"backend": "openai", "base_url": server.url, **settings}) as model:
            asked = prompt or Prompt((Turn("user", (TONE, "Which? A. yes B. no")),))
            (report,) = await run_preflight(model, asked, compose_config([]).run, thorough=thorough)
            return report

    return asyncio.run(go())


@pytest.mark.parametrize("name", SERVERS)
def test_every_kind_of_hearing_is_judged(name: str) -> None:
    answer, verdict, why = SERVERS[name]
    with serving(lambda body, _: answer(body), preflight=True) as server:
        report = look(server)
    assert report.verdict == verdict
    assert why in report.why


def test_a_model_that_hears_is_asked_five_times() -> None:
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        report = look(server)
    assert len(server.asked) == len(report.probes) == 5
    assert [probe.sound for probe in report.probes] == ["a tone", "the same tone", "hiss", "silence", "no sound"]
    assert {words(body) for body in server.asked} == {"Which? A. yes B. no"}
    assert len({data for body in server.asked for _, data in sounds(body)}) == 3


@pytest.mark.parametrize(("rate", "channels", "form"), [(8000, 2, "wav"), (44100, 1, "mp3"), (16000, 1, "flac")])
def test_what_is_sent_has_the_form_that_the_benchmark_sends(
    rate: int, channels: int, form: str, tmp_path: Path
) -> None:
    path = tmp_path / f"clip.{form}"
    soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, (rate, channels)), rate)
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        report = look(server, Prompt((Turn("user", (Clip(str(path)), "Which?")),)))
    sent = "wav" if form == "flac" else form  # which the server does not take
    assert [(s.format, s.rate, s.channels, round(s.seconds)) for s in report.sent] == [(sent, rate, channels, 1)]
    (_, data) = sounds(server.asked[0])[0]
    info = soundfile.info(io.BytesIO(data))
    assert (info.samplerate, info.channels) == (rate, channels)


def test_a_prompt_is_cut_down_to_what_matters() -> None:
    prompt = Prompt(
        (
            Turn("system", ("Be brief.",)),
            Turn("user", ("Long ago", TONE, ImageRef("p.jpg"))),
            Turn("assistant", ("Yes.",)),
            Turn("user", ("first", TONE, "second", TONE, "third", TONE, ImageRef("p.jpg"), "Which?")),
            Turn("user", ("Answer.",)),
        ),
        sampling={"max_tokens": 8},
    )
    cut = shorten(prompt)
    assert cut.turns == (
        Turn("system", ("Be brief.",)),
        Turn("user", ("first", TONE, "second", TONE, "third", "Which?")),
    )
    assert cut.sampling == {"max_tokens": 8}


def run(server: Server, *more: str, said: list[str] | None = None, items: int = 6) -> RunResult:
    settings = compose_config([f"model={server.url}", *more])
    watch = Callbacks((said if said is not None else []).append, lambda _: None)
    return asyncio.run(evaluate(bench.load(bench.Settings(items=items)), settings, watch))


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


def test_empty_replies_are_remarked_on() -> None:
    def thinking(body: Body, _: int) -> web.Response:
        choice = {"finish_reason": "length", "message": {"content": None}}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 20 + 30 * len(sounds(body))}})

    with serving(thinking, preflight=True) as server:
        report = look(server)
    assert report.verdict == "audio_received"
    assert report.remarks == ("every reply was empty; raise model.max_tokens for a reasoning model",)


@pytest.mark.parametrize("given", [True, False])
def test_log_probabilities_that_do_not_come_are_remarked_on(given: bool) -> None:
    def probable(body: Body, _: int) -> web.Response:
        choice: Body = {"finish_reason": "stop", "message": {"content": heard(body)}}
        if given and body.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": "I", "logprob": -0.1}]}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 7}})

    with serving(probable, preflight=True) as server:
        remarks = look(server, thorough=True).remarks
    yes, no = (
        "log-probabilities are returned on request",
        "log-probabilities were asked for, and the server sent none",
    )
    assert (yes if given else no) in remarks
    assert (no if given else yes) not in remarks


def test_one_deaf_endpoint_of_several_stops_the_run_and_one_dead_one_does_not() -> None:
    def spread(*urls: str) -> list[str]:
        told: list[str] = []
        settings = compose_config(["model=spread", f"model.urls=[{','.join(urls)}]"])
        asyncio.run(evaluate(bench.load(bench.Settings(items=6)), settings, Callbacks(told.append, lambda _: None)))
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
        return benchmark_pattern(bench.load(bench.Settings()), (None,), config.run, parse_model(config.model))

    assert pattern(f"model={model}", *["model.run=RUN"] * (model == "replay")) is None
    assert pattern("model=openai", "preflight=false") is None
    assert pattern("model=openai") is not None


def test_a_benchmark_that_sends_no_sound_needs_none() -> None:
    benchmark, settings = bench.load(bench.Settings()), compose_config([]).run
    transcript = load_condition("no_media", 0, benchmark)
    assert first_audio_prompt(benchmark, (transcript,), settings) is None
    assert first_audio_prompt(benchmark, (transcript, None), settings) is not None


def test_doctor_tells_what_it_found() -> None:
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        done = earmark("doctor", f"model={server.url}")
        assert done.returncode == 0, done.stderr
        assert "preflight: audio_received: test-model: replies differ with the sound" in done.stdout
        assert "the same tone" in done.stdout
        done = earmark("doctor", "acoustics:pitch", f"model={server.url}")
        assert "the benchmark's" in done.stdout
    with serving(lambda *_: said("A"), preflight=True) as server:
        done = earmark("doctor", f"model={server.url}")
        assert done.returncode == 4
        assert "test-model receives no audio: the same reply ('A')" in done.stderr


def test_a_cascade_hears_words_alone_and_its_tokens_prove_nothing() -> None:
    """Its transcript of a tone, a word too many, has tokens too."""
    half = {"backend": "fake", "reply": "You"}

    async def go() -> PreflightReport:
        async with open_model({"backend": "cascade", "asr": half, "llm": half}) as model:
            (report,) = await run_preflight(model, plain_pattern(), compose_config([]).run, thorough=True)
            return report

    report = asyncio.run(go())
    assert report.verdict == "inconclusive"
    assert report.why == "it transcribes speech, and these sounds hold none; its transcript of a tone is 'You'"


def test_the_plain_question_is_open() -> None:
    assert plain_pattern().turns[0].parts[-1] == OPEN_QUESTION
