"""Whether a processor listens: what it makes of sound, before anything is asked.

A processor that does not know the name of an argument ignores it with a warning, and a model without its sound still
answers. So two different sounds are put through it first: both must leave numbers among the model's inputs, and not the
same. And a sound that is longer than its window is put through it too, for most extractors cut it without a word.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from earmark.errors import BadSetup
from earmark.types import Hertz, Prompt, Samples, Seconds, Turn, Wave

Inputs = Callable[[list[Prompt]], Mapping[str, Any]]
USUAL: Final = "input_features, input_values, audio_values, audio_input_features or input_audio_embeds"
PROBE: Final[Seconds] = 1.0


def extractor_of(processor: Any) -> Any:
    """What makes features of sound; None where a processor takes none."""
    return getattr(processor, "audio_processor", None) or getattr(processor, "feature_extractor", None)


def rate_of(extractor: Any) -> Hertz:
    """The rate that a model hears at."""
    inner = getattr(extractor, "feature_extractor", extractor)  # some are processors themselves
    return int(getattr(inner, "sampling_rate", 16000))


def sound_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that hold sound: numbers that are neither tokens nor masks.

    >>> sorted(sound_inputs({"input_ids": np.zeros(3, int), "input_features": np.zeros(3)}))
    ['input_features']
    """
    return {name: value for name, value in inputs.items() if "float" in str(getattr(value, "dtype", ""))}


def check_listening(inputs: Inputs, rate: Hertz, kind: str) -> None:
    """Refuse a processor whose sound does not reach the model's inputs."""
    low, high = (inputs([about(_tone(frequency, rate), rate)]) for frequency in (440.0, 880.0))
    missing_sound(low, kind)
    missing_sound(high, kind)
    if same(sound_inputs(low), sound_inputs(high)):
        raise BadSetup(
            f"{kind} makes the same {', '.join(sound_inputs(low))} of two different sounds, so the model would hear none; "
            "expected inputs that differ: check the versions of transformers and of the model's own code"
        )


def missing_sound(inputs: Mapping[str, Any], kind: str) -> None:
    """Refuse inputs that hold no sound."""
    if not sound_inputs(inputs):
        raise BadSetup(
            f"{kind} made {', '.join(inputs) or 'nothing'} of a prompt with sound: no features of the sound are among them, "
            f"so the model would hear none; expected {USUAL}: check the versions of transformers and of the model's own code"
        )


def window_of(extractor: Any, inputs: Inputs, rate: Hertz) -> Seconds | None:
    """How long a clip may be before it is cut; None: a longer one is taken whole, or in pieces."""
    seconds = stated_window(extractor, rate)
    if seconds is None:
        return None
    noise = np.random.default_rng(0).normal(0, 0.1, round((seconds + PROBE) * rate)).astype(np.float32)
    longer, window = (inputs([about(heard, rate)]) for heard in (noise, noise[: round(seconds * rate)]))
    return seconds if same(sound_inputs(longer), sound_inputs(window)) else None


def stated_window(extractor: Any, rate: Hertz) -> Seconds | None:
    """The window that an extractor tells: a length in seconds, or the samples at which its call cuts."""
    chunk = getattr(extractor, "chunk_length", None)
    if chunk:
        return float(chunk)
    most = inspect.signature(extractor.__call__).parameters.get("max_length")
    return most.default / rate if most and isinstance(most.default, int) else None


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two sets of inputs are equal, number for number."""
    return one.keys() == other.keys() and all(
        one[name].shape == other[name].shape and bool((one[name] == other[name]).all()) for name in one
    )


def about(heard: Samples, rate: Hertz) -> Prompt:
    """A prompt about one sound."""
    return Prompt((Turn("user", (Wave(heard[None], rate, "a probe"), "What do you hear?")),))


def _tone(frequency: float, rate: Hertz) -> Samples:
    return (0.1 * np.sin(2 * np.pi * frequency * np.arange(round(PROBE * rate)) / rate)).astype(np.float32)
