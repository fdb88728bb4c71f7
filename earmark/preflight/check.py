"""Preflight: check that audio reaches the model before a benchmark is run.

A tone, the same tone again, noise, silence, and no audio are sent as the benchmark sends its audio: with its wording,
order of parts, sampling, format and rate. The replies decide:

    audio_received  the same sound gives the same reply and another sound another; or the server counts audio tokens
    no_audio        every sound, and none, gives the same reply and the same number of tokens
    inconclusive    neither
    error           the model does not answer

If the wording of the benchmark does not settle it ("answer with the letter only"), an open question is asked too.
no_audio and error stop the run. The report shows what was sent; what the server received cannot be observed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from earmark.config.settings import RunSettings
from earmark.data.cache import atomic_write
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.cache import without_cache
from earmark.engine.prepare import describe_audio
from earmark.engine.runner import ask
from earmark.engine.throttle import unwrap
from earmark.errors import AskError, BadSetup
from earmark.plugins.abilities import DropsParameters, HasEndpoints, ListsModels
from earmark.preflight.probes import TONE, audio_form, plain_pattern, variants, with_open_question
from earmark.preflight.verdict import PreflightReport, Probe, Wording, judge_probes, remarks, report_lines
from earmark.types import NO_LOGPROBS_NOTE, Model, Prompt, Response, replace

PREFLIGHT_FILE: Final = "preflight.json"
MAX_ATTEMPTS: Final = 3  # requests for one answer


async def check_run(
    run: Path, pattern: Prompt | None, model: Model, settings: RunSettings, log: Callable[[str], None]
) -> None:
    """Check a model before a run, log the reports and write them to the run. Raises BadSetup for no_audio or error."""
    if pattern is None:
        return
    reports = await run_preflight(model, pattern, settings)
    atomic_write(run / PREFLIGHT_FILE, msgspec.json.format(msgspec.json.encode(reports)))
    for report in reports:
        for line in report_lines(report):
            log(line)
    bad = [report for report in reports if report.verdict in ("no_audio", "error")]
    without_audio = [report for report in bad if report.verdict == "no_audio"]
    if without_audio or len(bad) == len(reports):  # one failed endpoint of several is left out
        worst = (without_audio or bad)[0]
        problem = "receives no audio" if without_audio else "cannot be asked about audio"
        advice = "check the server, or run with preflight=false" if without_audio else "check the server first"
        raise BadSetup(f"{worst.model} {problem}: {worst.why}. No item was asked; {advice}")


async def run_preflight(
    model: Model, pattern: Prompt, settings: RunSettings, *, thorough: bool = False
) -> list[PreflightReport]:
    """Check a model, or each endpoint of one. `thorough` requests log-probabilities too."""
    several = unwrap(model)
    if not isinstance(several, HasEndpoints):
        return [await _check_endpoint(model, model.name, pattern, settings, thorough=thorough)]
    missing = [PreflightReport(model.name, "error", why, (), ()) for why in several.missing]
    each = [
        _check_endpoint(endpoint.model, f"{model.name} at {endpoint.title}", pattern, settings, thorough=thorough)
        for endpoint in several.endpoints
    ]
    return [*missing, *await asyncio.gather(*each)]


async def _check_endpoint(
    model: Model, title: str, pattern: Prompt, settings: RunSettings, *, thorough: bool
) -> PreflightReport:
    model = without_cache(model)
    like = await asyncio.to_thread(audio_form, pattern, model.capabilities)
    try:
        ready = await asyncio.to_thread(variants, pattern, model.capabilities, like)
    except AskError as error:
        return PreflightReport(title, "error", str(error), (), ())
    sent = describe_audio(ready[TONE])
    words: Wording = "open" if pattern == plain_pattern() else "the benchmark's"
    probes = await _ask_round(model, words, ready, settings)
    if judge_probes(probes)[0] in ("no_audio", "inconclusive") and words != "open":
        ready = await asyncio.to_thread(variants, with_open_question(pattern), model.capabilities, like)
        probes += await _ask_round(model, "open", ready, settings)
    verdict, why = judge_probes(probes)
    more = [*remarks(probes, verdict), *await _name_remarks(unwrap(model))]
    if thorough and verdict != "error":
        more += await _logprob_remarks(model, pattern, settings)
    return PreflightReport(title, verdict, why, sent, tuple(probes), tuple(more))


async def _ask_round(model: Model, words: Wording, ready: Mapping[str, Prompt], settings: RunSettings) -> list[Probe]:
    """Ask one question with every sound; the first alone, since it finds the unsupported parameters."""
    first = await send_probe(model, words, TONE, ready[TONE], settings)
    if first.failure:
        return [first]
    others = [name for name in ready if name != TONE]
    return [first, *await asyncio.gather(*(send_probe(model, words, name, ready[name], settings) for name in others))]


async def send_probe(model: Model, words: Wording, sound: str, prompt: Prompt, settings: RunSettings) -> Probe:
    """Ask one question of the preflight."""
    with Barrier() as barrier:
        try:
            outcome, _ = await ask(
                model, prompt, min(MAX_ATTEMPTS, settings.max_attempts or MAX_ATTEMPTS), settings.retry_timeout
            )
        except BadSetup as error:
            return Probe(words, sound, failure=str(error))
    if barrier.error:
        return Probe(words, sound, failure=Tracebacks().add(barrier, sound))
    if not isinstance(outcome, Response):
        return Probe(words, sound, failure=outcome.message)
    used = outcome.usage
    return Probe(
        words,
        sound,
        outcome.text or outcome.reasoning,
        outcome.stop,
        outcome.transcripts,
        used.tokens_in,
        used.audio_tokens_in,
        outcome.seconds,
        outcome.notes,
    )


async def _name_remarks(model: Model) -> list[str]:
    """Note a server that does not list the model by its name; some answer under any."""
    if not isinstance(model, ListsModels):
        return []
    try:
        names = await model.list_models()
    except AskError:
        return []
    if not names or model.name in names:
        return []
    listed_names = ", ".join(names[:5]) + " ..." * (len(names) > 5)
    return [f"the server does not list '{model.name}', only {listed_names}: it may be answering as another model"]


async def _logprob_remarks(model: Model, asked: Prompt, settings: RunSettings) -> list[str]:
    """Note whether log-probabilities are returned on request."""
    if not isinstance(unwrap(model), DropsParameters):
        return []
    ready = await asyncio.to_thread(variants, asked, model.capabilities, None)
    prompt = replace(ready[TONE], sampling=asked.sampling | {"logprobs": True, "top_logprobs": 1})
    probe = await send_probe(model, "open", TONE, prompt, settings)
    if probe.failure:
        return [f"log-probabilities: {probe.failure}"]
    refused = [note for note in probe.notes if "logprobs" in note or note == NO_LOGPROBS_NOTE]
    return refused or ["log-probabilities are returned on request"]
