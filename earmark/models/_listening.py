"""Checks that audio passes a processor and reaches the model, before the first prompt.

A processor ignores an argument that it does not know, with a warning, and the model then answers without its audio. So
two different sounds are processed first: both must give features, and different ones. A sound longer than the window is
processed too, since most extractors truncate it silently.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from earmark.errors import BadSetup
from earmark.types import Hertz, Prompt, Samples, Seconds, Turn, Waveform

Inputs = Callable[[list[Prompt]], Mapping[str, Any]]
COMMON_INPUTS: Final = "input_features, input_values, audio_values, audio_input_features or input_audio_embeds"
PROBE: Final[Seconds] = 1.0


def extractor_of(processor: Any) -> Any:
    """Feature extractor of a processor; None if it takes no audio."""
    return getattr(processor, "audio_processor", None) or getattr(processor, "feature_extractor", None)


def rate_of(extractor: Any) -> Hertz:
    """Sampling rate of a feature extractor."""
    inner = getattr(extractor, "feature_extractor", extractor)  # some are processors themselves
    return int(getattr(inner, "sampling_rate", 16000))


def audio_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Select the inputs that are audio features: floats, unlike tokens and masks.

    >>> sorted(audio_inputs({"input_ids": np.zeros(3, int), "input_features": np.zeros(3)}))
    ['input_features']
    """
    return {name: value for name, value in inputs.items() if "float" in str(getattr(value, "dtype", ""))}


def check_audio_reaches_model(inputs: Inputs, rate: Hertz, kind: str) -> None:
    """Raise BadSetup for a processor whose audio does not reach the model's inputs."""
    low, high = (inputs([probe_prompt(_tone(frequency, rate), rate)]) for frequency in (440.0, 880.0))
    check_audio_inputs(low, kind)
    check_audio_inputs(high, kind)
    if inputs_equal(audio_inputs(low), audio_inputs(high)):
        raise BadSetup(
            f"{kind} makes the same {', '.join(audio_inputs(low))} of two different sounds, so the model would receive "
            "no audio; check the versions of transformers and of the model's own code"
        )


def check_audio_inputs(inputs: Mapping[str, Any], kind: str) -> None:
    """Raise BadSetup for inputs without audio features."""
    if not audio_inputs(inputs):
        raise BadSetup(
            f"{kind} made {', '.join(inputs) or 'nothing'} of a prompt with audio, and no features of the audio; "
            f"expected {COMMON_INPUTS}: check the versions of transformers and of the model's own code"
        )


def window_of(extractor: Any, inputs: Inputs, rate: Hertz) -> Seconds | None:
    """Length beyond which a clip is truncated; None: longer clips are taken whole, or in pieces."""
    seconds = window_from_extractor(extractor, rate)
    if seconds is None:
        return None
    noise = np.random.default_rng(0).normal(0, 0.1, round((seconds + PROBE) * rate)).astype(np.float32)
    longer, window = (inputs([probe_prompt(clip, rate)]) for clip in (noise, noise[: round(seconds * rate)]))
    return seconds if inputs_equal(audio_inputs(longer), audio_inputs(window)) else None


def window_from_extractor(extractor: Any, rate: Hertz) -> Seconds | None:
    """Read the window of an extractor: its length in seconds, or the default of `max_length` in samples."""
    chunk = getattr(extractor, "chunk_length", None)
    if chunk:
        return float(chunk)
    most = inspect.signature(extractor.__call__).parameters.get("max_length")
    return most.default / rate if most and isinstance(most.default, int) else None


def inputs_equal(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """True if two sets of inputs are equal."""
    return first.keys() == second.keys() and all(
        first[name].shape == second[name].shape and bool((first[name] == second[name]).all()) for name in first
    )


def probe_prompt(samples: Samples, rate: Hertz) -> Prompt:
    """Build a prompt about one sound."""
    return Prompt((Turn("user", (Waveform(samples[None], rate, "a probe"), "What do you hear?")),))


def _tone(frequency: float, rate: Hertz) -> Samples:
    return (0.1 * np.sin(2 * np.pi * frequency * np.arange(round(PROBE * rate)) / rate)).astype(np.float32)
