"""Verdicts of the preflight: what hearing, deafness and empty replies are told as."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from hearing_servers import SERVERS, Body, heard, look
from servers import serving, sounds, words

from earmark.config.compose import compose_config
from earmark.engine.open import open_model
from earmark.preflight.check import run_preflight
from earmark.preflight.probes import plain_pattern
from earmark.preflight.verdict import PreflightReport


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
