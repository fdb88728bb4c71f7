"""The one place where sound is fitted to what a model hears.

Bytes that already fit pass through untouched. What does not fit is decoded, mixed, resampled and encoded as far as it
must be, and every step is noted. What cannot be fitted is a failure, never a silent cut. What a model gets lies within
full scale and holds no number that is none.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pybase64
import soxr

from earmark.audio import encode, media, read
from earmark.audio.limits import Limits
from earmark.errors import Rejected, SoundFailed
from earmark.types import Clip, Heard, Hears, Hertz, Part, Picture, Prompt, Recipe, Samples, Sound, Turn, Wave, replace

CANCELLED: Final = 1e-3  # of the power of the channels: a mix below that, 30 dB down, has lost the sound


def prepare(prompt: Prompt, hears: Hears, limits: Limits | None = None) -> Prompt:
    """The same prompt with every sound as `Sound`, or as `Wave` for a model that takes samples.

    Raises SoundFailed for a sound that cannot be read or fitted, Rejected for more clips, or for pictures, than a model takes.
    """
    clips = sum(isinstance(part, Heard) for turn in prompt.turns for part in turn.parts)
    if clips and hears.clips == 0:
        raise Rejected(
            "the prompt holds sound, and the model takes none; ask one that hears, or a cascade (model=cascade)"
        )
    if hears.clips is not None and clips > hears.clips:
        raise Rejected(
            f"the prompt holds {clips} clips, the model takes {hears.clips}; raise `clips` in its settings if it takes more"
        )
    turns = tuple(Turn(turn.role, tuple(_part(part, hears, limits) for part in turn.parts)) for turn in prompt.turns)
    return replace(prompt, turns=turns)


def _part(part: Part, hears: Hears, limits: Limits | None) -> Part:
    if isinstance(part, Heard):
        return fit(part, hears, limits)
    if isinstance(part, Picture):
        if not hears.pictures:
            raise Rejected(f"the prompt holds the picture {part.name or part.path}, and the model takes none")
        return media.image(part)
    return part


def fit(heard: Heard, hears: Hears, limits: Limits | None = None) -> Sound | Wave:
    """One sound, as a model takes it. Raises SoundFailed where it cannot be read or fitted."""
    fitted = _fitted(heard, hears, limits)
    if hears.base64 and isinstance(fitted, Sound):
        return replace(fitted, base64=pybase64.b64encode(fitted.data))
    return fitted


def _fitted(heard: Heard, hears: Hears, limits: Limits | None) -> Sound | Wave:
    if isinstance(heard, Clip) and "samples" not in hears.formats and not heard.start and heard.end is None:
        data, source = read.clip_bytes(heard, limits)
        data = media.coded(heard) if heard.coded else data
        as_it_is = read.untouched(heard, data, source, hears.formats, limits)
        if as_it_is and _fits(as_it_is, hears):
            return as_it_is
        return _encoded(read.wave_of(heard, data, source, limits), hears, again=True)
    if isinstance(heard, Sound) and _fits(heard, hears):
        return heard
    wave = read.wave(heard, limits)
    if "samples" in hears.formats:
        return _reshaped(wave, hears)
    return _encoded(wave, hears, again=not isinstance(heard, Wave | Recipe))


def _fits(sound: Sound, hears: Hears) -> bool:
    """Whether a model takes bytes as they are. Raises SoundFailed for those that last too long in any form."""
    _check_length(sound, hears)
    return (
        (not hears.formats or sound.format in hears.formats)
        and (not hears.rates or sound.rate in hears.rates)
        and (hears.channels is None or sound.channels <= hears.channels)
    )


def _encoded(wave: Wave, hears: Hears, *, again: bool) -> Sound:
    """Samples as bytes in the best format that a model takes."""
    form = next((form for form in encode.FORMATS if not hears.formats or form in hears.formats), None)
    if form is None:
        raise SoundFailed(
            f"{wave.name}: the model takes {', '.join(hears.formats)}, which Earmark cannot make; it makes {', '.join(encode.FORMATS)}"
        )
    ready = _reshaped(wave, hears)
    rate = encode.rate_for(form, ready.rate)
    if rate != ready.rate:
        ready = _within(resampled(ready, rate))
    notes = (*ready.notes, f"re-encoded as {form}") if again or form != "wav" else ready.notes
    data = encode.encoded(ready, form)
    return Sound(data, form, ready.rate, ready.samples.shape[0], ready.seconds, ready.name, ready.source, notes)


def _check_length(sound: Sound | Wave, hears: Hears) -> None:
    if hears.seconds is not None and sound.seconds > hears.seconds:
        raise SoundFailed(
            f"{sound.name}: lasts {sound.seconds:.2f} s, the model hears {hears.seconds:g} s; nothing was cut or sent"
        )


def _reshaped(wave: Wave, hears: Hears) -> Wave:
    """At a rate and with as many channels as a model takes, within full scale."""
    _check_length(wave, hears)
    if hears.channels is not None and wave.samples.shape[0] > hears.channels:
        wave = mixed(wave)
    if hears.rates and wave.rate not in hears.rates:
        wave = resampled(wave, min((r for r in hears.rates if r > wave.rate), default=max(hears.rates)))
    return _within(wave)


def _within(wave: Wave) -> Wave:
    """Within full scale, which whoever takes 16-bit samples would cut it to."""
    loud = encode.clipped(wave)
    if not loud:
        return wave
    samples = np.clip(wave.samples, np.float32(-1.0), np.float32(1.0))
    return replace(wave, samples=samples, notes=(*wave.notes, f"clipped samples: {loud}"))


def mixed(wave: Wave) -> Wave:
    """All channels as one, with a note; the loudest alone where the channels cancel each other."""
    channels = wave.samples.shape[0]
    one = mono(wave.samples)
    powers = [float(np.vdot(channel, channel)) for channel in wave.samples]
    if float(np.vdot(one, one)) < CANCELLED * max(powers):
        loudest = int(np.argmax(powers))
        note = f"channel {loudest + 1} of {channels} taken alone: mixed, the channels cancel each other"
        return replace(wave, samples=wave.samples[loudest : loudest + 1], notes=(*wave.notes, note))
    return replace(wave, samples=one, notes=(*wave.notes, f"mixed {channels} channels to 1"))


def resampled(wave: Wave, rate: Hertz) -> Wave:
    """At another rate, with a note. Raises SoundFailed for what is shorter than one sample there."""
    samples = resample(wave.samples, wave.rate, rate)
    if not samples.shape[1]:
        raise SoundFailed(
            f"{wave.name}: {wave.samples.shape[1]} samples at {wave.rate} Hz are less than one at {rate} Hz"
        )
    note = f"resampled {wave.rate} to {rate} Hz (soxr HQ {soxr.__version__})"
    return replace(wave, samples=samples, rate=rate, notes=(*wave.notes, note))


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
