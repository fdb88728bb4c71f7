"""Preflight: whether sound reaches the model, looked at before a benchmark is asked.

A tone, the same tone again, hiss, silence, and no sound at all are sent as the benchmark sends its own sound: its words, its
order of parts, its sampling, its format and rate. What comes back decides:

    heard     the same sound gives the same reply and another sound another; or the server counts tokens of sound
    deaf      every sound, and none, gives the same reply and the same count of tokens
    unsure    neither

Where the benchmark's own words do not settle it ("answer with the letter only"), an open question is asked as well. A model
that is deaf stops the run, and so does one that does not answer. What the server really received it does not tell: what is
reported is what was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from earmark.barrier import Barrier, Tracebacks
from earmark.config import RunSettings
from earmark.data.cache import write
from earmark.errors import AskError, BadSetup
from earmark.models._remember import forgetful
from earmark.models._reply import NO_LOGPROBS
from earmark.models._throttle import innermost
from earmark.preflight.sent import TONE, form, opened, plain_pattern, variants
from earmark.preflight.verdict import Probe, Report, Words, judged, remarks, told
from earmark.run import ask, sent_sounds
from earmark.types import Model, Prompt, Response, replace

FILE: Final = "preflight.json"
TRIES: Final = 3  # requests for one answer


async def check(
    run: Path, pattern: Prompt | None, model: Model, settings: RunSettings, say: Callable[[str], None]
) -> None:
    """Look at a model before a run, say what was found and keep it with the run. Raises BadSetup where it cannot have heard."""
    if pattern is None:
        return
    reports = await preflight(model, pattern, settings)
    write(run / FILE, msgspec.json.format(msgspec.json.encode(reports)))
    for report in reports:
        for line in told(report):
            say(line)
    bad = [report for report in reports if report.verdict in ("deaf", "failed")]
    deaf = [report for report in bad if report.verdict == "deaf"]
    if deaf or len(bad) == len(reports):  # one dead endpoint of several is left out, and stops nothing
        worst = (deaf or bad)[0]
        what = "does not hear" if deaf else "cannot be asked about sound"
        more = ", or go on all the same with preflight=false" if deaf else " first"
        raise BadSetup(f"{worst.model} {what}: {worst.why}. No question was asked; see to the server{more}")


async def preflight(model: Model, pattern: Prompt, settings: RunSettings, *, thorough: bool = False) -> list[Report]:
    """Look at a model, or at each endpoint of one. `thorough` asks for log-probabilities too."""
    endpoints = getattr(innermost(model), "endpoints", None)
    if endpoints is None:
        return [await _one(model, model.name, pattern, settings, thorough=thorough)]
    missing = [Report(model.name, "failed", why, (), ()) for why in getattr(innermost(model), "missing", ())]
    each = [_one(one.model, f"{model.name} at {one.title}", pattern, settings, thorough=thorough) for one in endpoints]
    return [*missing, *await asyncio.gather(*each)]


async def _one(model: Model, title: str, pattern: Prompt, settings: RunSettings, *, thorough: bool) -> Report:
    model = forgetful(model)
    like = await asyncio.to_thread(form, pattern, model.hears)
    try:
        ready = await asyncio.to_thread(variants, pattern, model.hears, like)
    except AskError as error:
        return Report(title, "failed", str(error), (), ())
    sent = sent_sounds(ready[TONE])
    words: Words = "open" if pattern == plain_pattern() else "the benchmark's"
    probes = await _round(model, words, ready, settings)
    if judged(probes)[0] in ("deaf", "unsure") and words != "open":
        ready = await asyncio.to_thread(variants, opened(pattern), model.hears, like)
        probes += await _round(model, "open", ready, settings)
    verdict, why = judged(probes)
    more = [*remarks(probes, verdict), *await _names(innermost(model))]
    if thorough and verdict != "failed":
        more += await _logprobs(model, pattern, settings)
    return Report(title, verdict, why, sent, tuple(probes), tuple(more))


async def _round(model: Model, words: Words, ready: Mapping[str, Prompt], settings: RunSettings) -> list[Probe]:
    """One question with every sound; the first is asked alone, for it finds out what the model refuses."""
    first = await probed(model, words, TONE, ready[TONE], settings)
    if first.failure:
        return [first]
    others = [name for name in ready if name != TONE]
    return [first, *await asyncio.gather(*(probed(model, words, name, ready[name], settings) for name in others))]


async def probed(model: Model, words: Words, sound: str, prompt: Prompt, settings: RunSettings) -> Probe:
    """One question of the preflight."""
    with Barrier() as barrier:
        try:
            found, _ = await ask(model, prompt, min(TRIES, settings.attempts or TRIES), settings.patience)
        except BadSetup as error:
            return Probe(words, sound, failure=str(error))
    if barrier.error:
        return Probe(words, sound, failure=Tracebacks().add(barrier, sound))
    if not isinstance(found, Response):
        return Probe(words, sound, failure=found.message)
    used = found.usage
    return Probe(
        words,
        sound,
        found.text or found.reasoning,
        found.stop,
        found.heard,
        used.tokens_in,
        used.tokens_sound,
        found.seconds,
        found.notes,
    )


async def _names(model: Model) -> list[str]:
    """Whether the server knows the model by its name; some answer under any."""
    listed = getattr(model, "listed", None)
    if listed is None:
        return []
    try:
        names = await listed()
    except AskError:
        return []
    if not names or model.name in names:
        return []
    return [
        f"the server does not list '{model.name}', only {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}: it may be answering as another model"
    ]


async def _logprobs(model: Model, asked: Prompt, settings: RunSettings) -> list[str]:
    """Whether log-probabilities come when they are asked for."""
    if not hasattr(innermost(model), "refusals"):
        return []
    ready = await asyncio.to_thread(variants, asked, model.hears, None)
    prompt = replace(ready[TONE], sampling=asked.sampling | {"logprobs": True, "top_logprobs": 1})
    probe = await probed(model, "open", TONE, prompt, settings)
    if probe.failure:
        return [f"log-probabilities: {probe.failure}"]
    refused = [note for note in probe.notes if "logprobs" in note or note == NO_LOGPROBS]
    return refused or ["log-probabilities come when they are asked for"]
