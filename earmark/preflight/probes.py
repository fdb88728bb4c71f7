"""Probes of the preflight: their audio and wording, in the form of the benchmark's own prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from earmark import plugins
from earmark.audio.encode import FORMATS, encode, rate_for
from earmark.audio.prepare import fit_audio, prepare_audio, resample_waveform
from earmark.audio.synth import synthesize
from earmark.config.settings import ModelConfig, RunSettings
from earmark.engine.questions import questions
from earmark.errors import AskError
from earmark.plugins.abilities import WantsPreflight
from earmark.types import (
    Audio,
    Benchmark,
    Capabilities,
    EncodedAudio,
    Item,
    NamedCondition,
    Part,
    Prompt,
    SynthSpec,
    Turn,
    Waveform,
    replace,
)

PROBE_SOUNDS: Final = {
    "a tone": SynthSpec("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "a tone"),
    "hiss": SynthSpec("noise", {"seconds": 1.0, "level": -20.0, "seed": "preflight"}, "hiss"),
    "silence": SynthSpec("silence", {"seconds": 1.0}, "silence"),
}
TONE, SAME_TONE, NOISE, SILENCE, NOTHING = "a tone", "the same tone", "hiss", "silence", "no sound"
CONTENT_OF_PROBE: Final = {TONE: "a tone", SAME_TONE: "a tone", NOISE: "hiss", SILENCE: "silence", NOTHING: ""}
OPEN_QUESTION: Final = "What do you hear? Answer in a few words."
MAX_TOKENS: Final = 32  # tokens for the answer to that, at least
MAX_SOUNDS: Final = 2  # sounds of a prompt that are sent, at most


def wants_preflight(model: ModelConfig) -> bool:
    """True if a model's backend wants to be looked at: one that is asked over a network does."""
    module = plugins.find_plugin("models", model.common.backend).module
    return isinstance(module, WantsPreflight) and module.PREFLIGHT


def benchmark_pattern(
    benchmark: Benchmark, conditions: tuple[NamedCondition | None, ...], settings: RunSettings, model: ModelConfig
) -> Prompt | None:
    """Prompt that shows how a benchmark sends audio; None if it sends none, or the preflight is off."""
    if not settings.preflight or not wants_preflight(model):
        return None
    return first_audio_prompt(benchmark, conditions, settings)


def first_audio_prompt(
    benchmark: Benchmark, conditions: tuple[NamedCondition | None, ...], settings: RunSettings
) -> Prompt | None:
    """First prompt of a benchmark with audio, shortened."""
    for item, _, _ in questions(benchmark, (None,), settings):
        prompt = benchmark.prompt(item) if item.state == "ask" else Prompt(())
        if list(prompt_audio(prompt)):
            return next(
                (shorten(heard) for heard in _under_conditions(prompt, item, conditions) if list(prompt_audio(heard))),
                None,
            )
    return None


def _under_conditions(prompt: Prompt, item: Item, conditions: tuple[NamedCondition | None, ...]) -> Iterator[Prompt]:
    """A prompt as it is heard under each condition that can be had."""
    for condition in conditions:
        try:
            yield condition.apply(prompt, item) if condition else prompt
        except AskError:
            continue


def plain_pattern() -> Prompt:
    """Default prompt with audio, if there is no benchmark."""
    return Prompt((Turn("user", (PROBE_SOUNDS[TONE], OPEN_QUESTION)),), sampling={"max_tokens": MAX_TOKENS})


def prompt_audio(prompt: Prompt) -> Iterator[Audio]:
    """The sounds of a prompt."""
    return (part for turn in prompt.turns for part in turn.parts if isinstance(part, Audio))


def shorten(prompt: Prompt) -> Prompt:
    """A prompt without history, pictures and more than a few sounds."""
    last = max(index for index, turn in enumerate(prompt.turns) if any(isinstance(part, Audio) for part in turn.parts))
    left = MAX_SOUNDS
    parts: list[Part] = []
    for part in prompt.turns[last].parts:
        if isinstance(part, str) or (isinstance(part, Audio) and left > 0):
            left -= isinstance(part, Audio)
            parts.append(part)
    system = tuple(
        turn for turn in prompt.turns[:last] if turn.role == "system" and not list(prompt_audio(Prompt((turn,))))
    )
    return replace(prompt, turns=(*system, replace(prompt.turns[last], parts=tuple(parts))))


def audio_form(pattern: Prompt, capabilities: Capabilities) -> EncodedAudio | Waveform | None:
    """Form of the benchmark's first sound as sent; None if it cannot be prepared."""
    try:
        return fit_audio(next(prompt_audio(pattern)), capabilities)
    except AskError:
        return None


def with_open_question(pattern: Prompt) -> Prompt:
    """The same sound with an open question, and room to answer it."""
    heard = tuple(prompt_audio(pattern))
    sampling = pattern.sampling
    if isinstance(most := sampling.get("max_tokens"), int):
        sampling = sampling | {"max_tokens": max(most, MAX_TOKENS)}
    return Prompt((Turn("user", (*heard, OPEN_QUESTION)),), sampling=sampling)


def variants(pattern: Prompt, capabilities: Capabilities, like: EncodedAudio | Waveform | None) -> dict[str, Prompt]:
    """The questions, ready to be sent, by their sound. A prompt of sound alone is not asked without."""
    made = {}
    for name, source in CONTENT_OF_PROBE.items():
        turns = tuple(
            Turn(
                turn.role,
                tuple(_part(part, source, like) for part in turn.parts if source or not isinstance(part, Audio)),
            )
            for turn in pattern.turns
        )
        if all(turn.parts for turn in turns):
            made[name] = prepare_audio(replace(pattern, turns=turns), capabilities)
    return made


def _part(part: Part, source: str, like: EncodedAudio | Waveform | None) -> Part:
    return canary(PROBE_SOUNDS[source], like) if isinstance(part, Audio) else part


def canary(spec: SynthSpec, like: EncodedAudio | Waveform | None) -> SynthSpec | EncodedAudio:
    """A sound of ours in the form that the benchmark's own has, where that can be made."""
    if (
        not isinstance(like, EncodedAudio)
        or like.format not in FORMATS
        or rate_for(like.format, like.rate) != like.rate
    ):
        return spec
    waveform = synthesize(spec)
    waveform = waveform if waveform.rate == like.rate else resample_waveform(waveform, like.rate)
    waveform = replace(waveform, samples=np.repeat(waveform.samples, like.channels, axis=0))
    data = encode(waveform, like.format)
    return EncodedAudio(data, like.format, like.rate, like.channels, waveform.seconds, spec.name, waveform.source)
