"""The one place where sound is fitted to what a model hears.

Bytes that already fit pass through untouched. What does not fit is decoded, mixed, resampled and encoded as far as it
must be, and every step is noted. What cannot be fitted is a failure, never a silent cut.
"""

from __future__ import annotations

import numpy as np
import pybase64
import soxr

from earmark.audio import encode, read
from earmark.data.clips import clip_with_source
from earmark.errors import Rejected, SoundFailed
from earmark.types import Clip, Heard, Hears, Hertz, Part, Prompt, Recipe, Samples, Sound, Turn, Wave, replace


def prepare(prompt: Prompt, hears: Hears) -> Prompt:
    """The same prompt with every sound as `Sound`, or as `Wave` for a model that takes samples."""
    clips = sum(isinstance(part, Heard) for turn in prompt.turns for part in turn.parts)
    if hears.clips is not None and clips > hears.clips:
        raise Rejected(
            f"the prompt holds {clips} clips, the model takes {hears.clips}; raise `clips` in its settings if it takes more"
        )
    turns = tuple(Turn(turn.role, tuple(_part(part, hears) for part in turn.parts)) for turn in prompt.turns)
    return replace(prompt, turns=turns)


def _part(part: Part, hears: Hears) -> Part:
    return fit(part, hears) if isinstance(part, Heard) else part


def fit(heard: Heard, hears: Hears) -> Sound | Wave:
    """One sound, as a model takes it."""
    fitted = heard if isinstance(heard, Sound) else _fitted(heard, hears)
    if hears.base64 and isinstance(fitted, Sound):
        return replace(fitted, base64=pybase64.b64encode(fitted.data))
    return fitted


def _fitted(heard: Clip | Recipe | Wave, hears: Hears) -> Sound | Wave:
    if isinstance(heard, Clip) and "samples" not in hears.formats and not heard.start and heard.end is None:
        data, source = clip_with_source(heard)
        info = read.inspect(data, read.title(heard))
        as_it_is = Sound(data, info.format, info.rate, info.channels, info.seconds, read.title(heard), source=source)
        if info.plain and info.format in hears.formats and _fits(info.rate, info.channels, hears):
            _check_length(as_it_is, hears)
            return as_it_is
    wave = _reshape(read.wave(heard), hears)
    _check_length(wave, hears)
    if "samples" in hears.formats:
        return wave
    notes = wave.notes + ((f"clipped {loud} samples",) if (loud := encode.clipped(wave)) else ())
    if not isinstance(heard, Wave | Recipe):
        notes = (*notes, "re-encoded as wav")
    channels = wave.samples.shape[0]
    return Sound(
        encode.wav(wave), "wav", wave.rate, channels, wave.seconds, name=wave.name, source=wave.source, notes=notes
    )


def _fits(rate: Hertz, channels: int, hears: Hears) -> bool:
    return (not hears.rates or rate in hears.rates) and (hears.channels is None or channels <= hears.channels)


def _check_length(sound: Sound | Wave, hears: Hears) -> None:
    if hears.seconds is not None and sound.seconds > hears.seconds:
        raise SoundFailed(
            f"{sound.name}: lasts {sound.seconds:.2f} s, the model hears {hears.seconds:g} s; nothing was cut or sent"
        )


def _reshape(wave: Wave, hears: Hears) -> Wave:
    samples, rate, notes = wave.samples, wave.rate, wave.notes
    if hears.channels is not None and samples.shape[0] > hears.channels:
        notes = (*notes, f"mixed {samples.shape[0]} channels to 1")
        samples = mono(samples)
    if hears.rates and rate not in hears.rates:
        target = min((r for r in hears.rates if r > rate), default=max(hears.rates))
        samples = resample(samples, rate, target)
        notes = (*notes, f"resampled {rate} to {target} Hz (soxr HQ {soxr.__version__})")
        rate = target
    return replace(wave, samples=samples, rate=rate, notes=notes)


def mono(samples: Samples) -> Samples:
    """The mean of the channels, shape (1, frames). Channels are added one by one: ten times quicker than a mean over them."""
    total = samples[:1].copy()
    for channel in range(1, samples.shape[0]):
        total += samples[channel]
    return np.multiply(total, np.float32(1 / samples.shape[0]), dtype=np.float32)


def resample(samples: Samples, rate: Hertz, target: Hertz) -> Samples:
    """Samples at another rate, shape (channels, frames), by the resampler that does not alias."""
    if rate == target:
        return samples
    return np.ascontiguousarray(soxr.resample(samples.T, rate, target, quality="HQ").T, dtype=np.float32)
