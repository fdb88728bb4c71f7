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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
import numpy as np
import stamina
from msgspec import Struct

from earmark import plugins
from earmark.audio.encode import FORMATS, encoded, rate_for
from earmark.audio.make import make
from earmark.audio.prepare import fit, prepare, resampled
from earmark.config import Composed, RunSettings, common
from earmark.data.cache import write
from earmark.errors import AskError, BadSetup
from earmark.journal import Sent
from earmark.models._openai_told import NO_LOGPROBS
from earmark.models._remember import forgetful
from earmark.models._throttle import innermost
from earmark.run import ask, sent_sounds
from earmark.survey import questions
from earmark.types import (
    Benchmark,
    Condition,
    Heard,
    Hears,
    Item,
    Model,
    Part,
    Prompt,
    Recipe,
    Response,
    Sound,
    Turn,
    Wave,
    replace,
)

FILE: Final = "preflight.json"
SOUNDS: Final = {
    "a tone": Recipe("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "a tone"),
    "hiss": Recipe("noise", {"seconds": 1.0, "level": -20.0, "seed": "preflight"}, "hiss"),
    "silence": Recipe("silence", {"seconds": 1.0}, "silence"),
}
TONE, AGAIN, HISS, SILENCE, NOTHING = "a tone", "the same tone", "hiss", "silence", "no sound"
SENT: Final = {TONE: "a tone", AGAIN: "a tone", HISS: "hiss", SILENCE: "silence", NOTHING: ""}
OPEN: Final = "What do you hear? Answer in a few words."
ROOM: Final = 32  # tokens for the answer to that, at least
FEW: Final = 2  # sounds of a prompt that are sent, at most
TRIES: Final = 3  # requests for one answer
Verdict: TypeAlias = Literal["heard", "unsure", "deaf", "failed"]
Words: TypeAlias = Literal["the benchmark's", "open"]


class Probe(Struct, frozen=True, omit_defaults=True):
    """One question of the preflight, and what came of it."""

    words: Words
    sound: str
    reply: str = ""
    stop: str = "end"
    heard: tuple[str, ...] = ()  # a cascade's transcripts
    tokens_in: int = 0
    tokens_sound: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    failure: str = ""


class Report(Struct, frozen=True):
    """What was found out about one model."""

    model: str
    verdict: Verdict
    why: str
    sent: tuple[Sent, ...]  # one question's sound, as it was sent
    probes: tuple[Probe, ...]
    remarks: tuple[str, ...] = ()


def wanted(model: Mapping[str, Any]) -> bool:
    """Whether a model's backend wants to be looked at: one that is asked over a network does."""
    return bool(getattr(plugins.find("models", common(model).backend), "PREFLIGHT", False))


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
        raise BadSetup(
            f"{(deaf or bad)[0].model} {'does not hear' if deaf else 'cannot be asked about sound'}: {(deaf or bad)[0].why}. No question was asked; see to the server, or go on all the same with preflight=false"
        )


def pattern(benchmark: Benchmark, conditions: tuple[Condition | None, ...], words: Composed) -> Prompt | None:
    """How a benchmark sends sound; None where it sends none, or nobody wants to know."""
    if not words.run.preflight or not wanted(words.model):
        return None
    return sent_by(benchmark, conditions, words.run)


def sent_by(benchmark: Benchmark, conditions: tuple[Condition | None, ...], settings: RunSettings) -> Prompt | None:
    """How a benchmark sends sound: its first prompt that holds some, cut down to what matters."""
    for item, _, _ in questions(benchmark, (None,), settings):
        prompt = benchmark.prompt(item) if item.state == "ask" else Prompt(())
        if list(sounds(prompt)):
            return next((short(heard) for heard in _conditioned(prompt, item, conditions) if list(sounds(heard))), None)
    return None


def _conditioned(prompt: Prompt, item: Item, conditions: tuple[Condition | None, ...]) -> Iterator[Prompt]:
    """A prompt as it is heard under each condition that can be had."""
    for condition in conditions:
        try:
            yield condition.hear(prompt, item) if condition else prompt
        except AskError:
            continue


def plain_pattern() -> Prompt:
    """How sound is sent where no benchmark is in sight."""
    return Prompt((Turn("user", (SOUNDS[TONE], OPEN)),), sampling={"max_tokens": ROOM})


def sounds(prompt: Prompt) -> Iterator[Heard]:
    """The sounds of a prompt."""
    return (part for turn in prompt.turns for part in turn.parts if isinstance(part, Heard))


def short(prompt: Prompt) -> Prompt:
    """A prompt without history, pictures and more than a few sounds."""
    last = max(at for at, turn in enumerate(prompt.turns) if any(isinstance(part, Heard) for part in turn.parts))
    left = FEW
    parts: list[Part] = []
    for part in prompt.turns[last].parts:
        if isinstance(part, str) or (isinstance(part, Heard) and left > 0):
            left -= isinstance(part, Heard)
            parts.append(part)
    system = tuple(turn for turn in prompt.turns[:last] if turn.role == "system" and not list(sounds(Prompt((turn,)))))
    return replace(prompt, turns=(*system, replace(prompt.turns[last], parts=tuple(parts))))


async def preflight(model: Model, pattern: Prompt, settings: RunSettings, *, thorough: bool = False) -> list[Report]:
    """Look at a model, or at each endpoint of one. `thorough` asks for log-probabilities too."""
    stamina.instrumentation.set_on_retry_hooks(())  # what was retried is told in the report
    endpoints = getattr(innermost(model), "endpoints", None)
    if endpoints is None:
        return [await _one(model, model.name, pattern, settings, thorough=thorough)]
    missing = [Report(model.name, "failed", why, (), ()) for why in innermost(model).missing]  # type: ignore[attr-defined] # of models/spread.py
    each = [_one(one.model, f"{model.name} at {one.title}", pattern, settings, thorough=thorough) for one in endpoints]
    return [*missing, *await asyncio.gather(*each)]


async def _one(model: Model, title: str, pattern: Prompt, settings: RunSettings, *, thorough: bool) -> Report:
    model = forgetful(model)
    like = await asyncio.to_thread(_form, pattern, model.hears)
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
    remarks = [*_remarks(probes, verdict), *await _names(innermost(model))]
    if thorough and verdict != "failed":
        remarks += await _logprobs(model, pattern, settings)
    return Report(title, verdict, why, sent, tuple(probes), tuple(remarks))


async def _round(model: Model, words: Words, ready: Mapping[str, Prompt], settings: RunSettings) -> list[Probe]:
    """One question with every sound; the first is asked alone, for it finds out what the model refuses."""
    first = await probed(model, words, TONE, ready[TONE], settings)
    if first.failure:
        return [first]
    others = [name for name in ready if name != TONE]
    return [first, *await asyncio.gather(*(probed(model, words, name, ready[name], settings) for name in others))]


def _form(pattern: Prompt, hears: Hears) -> Sound | Wave | None:
    """How the benchmark's own sound is sent; None where the first of it cannot be."""
    try:
        return fit(next(sounds(pattern)), hears)
    except AskError:
        return None


def opened(pattern: Prompt) -> Prompt:
    """The same sound with an open question, and room to answer it."""
    heard = tuple(sounds(pattern))
    sampling = pattern.sampling
    if isinstance(most := sampling.get("max_tokens"), int):
        sampling = sampling | {"max_tokens": max(most, ROOM)}
    return Prompt((Turn("user", (*heard, OPEN)),), sampling=sampling)


def variants(pattern: Prompt, hears: Hears, like: Sound | Wave | None) -> dict[str, Prompt]:
    """The questions, ready to be sent, by their sound. A prompt of sound alone is not asked without."""
    made = {}
    for name, source in SENT.items():
        turns = tuple(
            Turn(
                turn.role,
                tuple(_part(part, source, like) for part in turn.parts if source or not isinstance(part, Heard)),
            )
            for turn in pattern.turns
        )
        if all(turn.parts for turn in turns):
            made[name] = prepare(replace(pattern, turns=turns), hears)
    return made


def _part(part: Part, source: str, like: Sound | Wave | None) -> Part:
    return canary(SOUNDS[source], like) if isinstance(part, Heard) else part


def canary(recipe: Recipe, like: Sound | Wave | None) -> Recipe | Sound:
    """A sound of ours in the form that the benchmark's own has, where that can be made."""
    if not isinstance(like, Sound) or like.format not in FORMATS or rate_for(like.format, like.rate) != like.rate:
        return recipe
    wave = make(recipe)
    wave = wave if wave.rate == like.rate else resampled(wave, like.rate)
    wave = replace(wave, samples=np.repeat(wave.samples, like.channels, axis=0))
    data = encoded(wave, like.format)
    return Sound(data, like.format, like.rate, like.channels, wave.seconds, recipe.name, wave.source)


async def probed(model: Model, words: Words, sound: str, prompt: Prompt, settings: RunSettings) -> Probe:
    """One question of the preflight."""
    try:
        found, _ = await ask(model, prompt, min(TRIES, settings.attempts or TRIES), settings.patience)
    except BadSetup as error:
        return Probe(words, sound, failure=str(error))
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


def judged(probes: Sequence[Probe]) -> tuple[Verdict, str]:
    """What the answers amount to, and why."""
    failed = next((probe for probe in probes if probe.failure and probe.sound != NOTHING), None)
    if failed:
        return "failed", f"asked about {failed.sound}: {failed.failure}"
    rounds = [
        {probe.sound: probe for probe in probes if probe.words == words and not probe.failure}
        for words in dict.fromkeys(probe.words for probe in probes)
    ]
    counts = next((text for asked in rounds if (text := _counted(asked))), "")
    if counts or any(_depends(asked) for asked in rounds):
        return "heard", counts or "replies differ with the sound"
    if all(_all_same(asked) for asked in rounds):
        one = rounds[-1][TONE]
        return (
            "deaf",
            f"the same reply ({_quoted(one.reply)}) and the same {one.tokens_in} tokens in for a tone, hiss, silence and no sound at all",
        )
    return "unsure", _open_to_doubt(rounds)


def _open_to_doubt(rounds: Sequence[Mapping[str, Probe]]) -> str:
    """Why nothing is sure."""
    if heard := rounds[-1][TONE].heard:
        return f"it hears words alone, and none of these sounds holds any; of a tone it wrote down {_quoted(' '.join(heard))}"
    if not any(NOTHING in asked for asked in rounds):
        return "the same reply to every sound; none of them holds words, so a recogniser may be right"
    if any(asked[TONE].reply != asked[AGAIN].reply for asked in rounds):
        return "replies vary for the same sound, and the server counts no tokens of sound"
    return "the same reply to every sound, and the server does not count its tokens"


def _counted(asked: Mapping[str, Probe]) -> str:
    """How the server counts sound, if it does."""
    tone, nothing = asked[TONE], asked.get(NOTHING)
    if tone.heard:  # a transcript has tokens, whatever was heard
        return ""
    differ = "replies differ with the sound; " if _depends(asked) else ""
    if nothing and nothing.tokens_in and tone.tokens_in > nothing.tokens_in:
        return f"{differ}the server counts it ({tone.tokens_in} tokens in, {nothing.tokens_in} without)"
    if tone.tokens_sound:
        return f"{differ}the server counts it ({tone.tokens_sound} tokens of sound)"
    return ""


def _depends(asked: Mapping[str, Probe]) -> bool:
    """Whether the same sound gives the same reply, and another sound another."""
    return asked[TONE].reply == asked[AGAIN].reply and len({asked[name].reply for name in (TONE, HISS, SILENCE)}) > 1


def _all_same(asked: Mapping[str, Probe]) -> bool:
    """Whether every sound, and none, gives the same reply and the same count of tokens."""
    return (
        NOTHING in asked
        and asked[TONE].tokens_in > 0
        and not asked[TONE].heard
        and len({(probe.reply, probe.tokens_in) for probe in asked.values()}) == 1
    )


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _remarks(probes: Sequence[Probe], verdict: Verdict) -> list[str]:
    """What else the answers show."""
    answered = [probe for probe in probes if not probe.failure and probe.sound != NOTHING]
    remarks = list(dict.fromkeys(note for probe in answered for note in probe.notes))
    if not any(probe.reply for probe in answered) and any(
        probe.sound == NOTHING and not probe.failure for probe in probes
    ):
        cut = any(probe.stop == "length" for probe in answered)
        remarks.append(
            f"every reply was empty{'; a model that thinks first needs more model.max_tokens' if cut else ''}"
        )
    elif verdict == "heard" and len({probe.reply for probe in answered}) == 1:
        remarks.append(
            f"every reply was the same ({_quoted(answered[0].reply)}): sound that is counted has arrived, which does not say that it is understood"
        )
    return remarks


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


def told(report: Report) -> Iterator[str]:
    """A report in a few lines."""
    yield f"preflight: {report.verdict}: {report.model}: {report.why}"
    for sound in report.sent[:1]:
        channels = f"{sound.channels} channel{'s' if sound.channels > 1 else ''}"
        yield f"  sent as {sound.format}, {sound.rate} Hz, {channels}, {sound.seconds:.2f} s, {sound.bytes:,} bytes"
    for remark in report.remarks:
        yield f"  {remark}"
