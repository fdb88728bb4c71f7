"""What the preflight sends: the sound and the words of its questions, as a benchmark sends its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from earmark import plugins
from earmark.audio.encode import FORMATS, encoded, rate_for
from earmark.audio.make import make
from earmark.audio.prepare import fit, prepare, resampled
from earmark.config import Composed, RunSettings, common
from earmark.errors import AskError
from earmark.survey import questions
from earmark.types import (
    Benchmark,
    Condition,
    Heard,
    Hears,
    Item,
    Part,
    Prompt,
    Recipe,
    Sound,
    Turn,
    Wave,
    replace,
)

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


def wanted(model: Mapping[str, Any]) -> bool:
    """Whether a model's backend wants to be looked at: one that is asked over a network does."""
    return bool(getattr(plugins.find("models", common(model).backend), "PREFLIGHT", False))


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


def form(pattern: Prompt, hears: Hears) -> Sound | Wave | None:
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
