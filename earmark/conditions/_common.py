"""Shared parts of the conditions: map over the audio of a prompt, seed by item, look at the benchmark."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from earmark.audio import random as thrown
from earmark.errors import UsageError
from earmark.types import Audio, Benchmark, Context, Item, Part, Prompt, Turn, Waveform, replace


def map_audio(prompt: Prompt, change: Callable[[Audio, int], Part]) -> Prompt:
    """The prompt with every sound changed; `change` gets the sound and its number in the prompt."""
    number = itertools.count()
    turns = tuple(
        Turn(turn.role, tuple(change(part, next(number)) if isinstance(part, Audio) else part for part in turn.parts))
        for turn in prompt.turns
    )
    return replace(prompt, turns=turns)


def item_rng(seed: int, item: Item, number: int) -> np.random.RandomState:
    """Dice for one sound of one item."""
    return thrown.seeded_rng(seed, item.task, item.id, number)


def with_samples(waveform: Waveform, samples: npt.NDArray[np.floating], note: str) -> Waveform:
    """The wave with other samples and a note. They may go beyond full scale: see `within_full_scale`."""
    return replace(waveform, samples=np.ascontiguousarray(samples, np.float32), notes=(*waveform.notes, note))


def within_full_scale(prompt: Prompt) -> Prompt:
    """The prompt with all its sounds turned down by one factor, and a note, where any of them goes beyond full scale.

    One factor, because a question may be about the difference in level between two sounds.
    """
    sounds = [part for turn in prompt.turns for part in turn.parts if isinstance(part, Waveform)]
    peak = max((float(np.max(np.abs(sound.samples), initial=0.0)) for sound in sounds), default=0.0)
    if peak <= 1.0:
        return prompt
    note = f"turned down by {20 * math.log10(peak):.1f} dB to stay within full scale"
    factor = np.float32(1 / peak)

    def scale(audio: Audio, _: int) -> Part:
        if not isinstance(audio, Waveform):
            return audio
        samples = np.clip(audio.samples * factor, np.float32(-1.0), np.float32(1.0))  # 1 / peak is rounded
        return replace(audio, samples=samples, notes=(*audio.notes, note))

    return map_audio(prompt, scale)


def benchmark_of(context: Context) -> Benchmark:
    """The benchmark whose items are asked. Raises UsageError where a condition is loaded without one."""
    if context.benchmark is None:
        raise UsageError(f"condition={context.name} needs a benchmark, whose other items it takes sounds from")
    return context.benchmark


def check_properties(name: str, context: Context, destroyed: Collection[str]) -> None:
    """Raise UsageError where a condition destroys what a task of the benchmark asks about (`Benchmark.properties`)."""
    benchmark = benchmark_of(context)
    tasks = [task for task in benchmark.tasks if benchmark.properties.get(task) in destroyed]
    if tasks:
        rest = ",".join(task for task in benchmark.tasks if task not in tasks)
        instead = f"; leave it out: {benchmark.name}:{rest}" if rest else ""
        raise UsageError(
            f"condition={name} changes what {', '.join(tasks)} of {benchmark.name} asks about, so its answers would be "
            f"wrong{instead}"
        )
