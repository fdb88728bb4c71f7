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

from earmark.audio import encode, read
from earmark.audio.limits import DEFAULT_LIMITS
from earmark.errors import AudioError, Rejected
from earmark.types import (
    Audio,
    Capabilities,
    Clip,
    EncodedAudio,
    Hertz,
    ImageBytes,
    ImageRef,
    Limits,
    LoadedClip,
    Part,
    Prompt,
    Samples,
    SynthSpec,
    Turn,
    Waveform,
    replace,
)

MIN_MIX_LEVEL: Final = 1e-3  # of the power of the channels: a mix below that, 30 dB down, has lost the sound


def load_media(prompt: Prompt, capabilities: Capabilities, loader: read.ClipLoader, *, unchanged: bool) -> Prompt:
    """The same prompt with its clips and pictures read; `unchanged` where no condition comes before they are sent.

    Raises AudioError for a clip that cannot be read, Rejected for what the model does not take.
    """

    def load(part: Part) -> Part:
        if isinstance(part, Clip):
            return loader.load(part, _formats_as_is(capabilities) if unchanged else None)
        return _load_image(part, capabilities) if isinstance(part, ImageRef) else part

    if unchanged and capabilities.join is None:
        _check_clip_count(prompt, capabilities)
    turns = tuple(Turn(turn.role, tuple(load(part) for part in turn.parts)) for turn in prompt.turns)
    return replace(prompt, turns=turns)


def prepare_audio(prompt: Prompt, capabilities: Capabilities, limits: Limits = DEFAULT_LIMITS) -> Prompt:
    """The same prompt with every sound as `EncodedAudio`, or as `Waveform` for a model that takes samples.

    Raises AudioError for a sound that cannot be read or fitted, Rejected for more clips, or for pictures, than a model
    takes.
    """
    if capabilities.join is not None and capabilities.clips is not None and _count_clips(prompt) > capabilities.clips:
        from earmark.audio.join import join_turns  # noqa: PLC0415 - it resamples by this module

        prompt = join_turns(prompt, capabilities.join)
    _check_clip_count(prompt, capabilities)
    turns = tuple(
        Turn(turn.role, tuple(_part(part, capabilities, limits) for part in turn.parts)) for turn in prompt.turns
    )
    return replace(prompt, turns=turns)


def _count_clips(prompt: Prompt) -> int:
    by_turn = (sum(isinstance(part, Audio) for part in turn.parts) for turn in prompt.turns)
    return max(by_turn, default=0) if prompt.replies == "joined" else sum(by_turn)  # of one request


def _check_clip_count(prompt: Prompt, capabilities: Capabilities) -> None:
    clips = _count_clips(prompt)
    if clips and capabilities.clips == 0:
        raise Rejected(
            "the prompt holds sound, and the model takes none; ask one that hears, or a cascade (model=cascade)"
        )
    if capabilities.clips is not None and clips > capabilities.clips:
        raise Rejected(
            f"the prompt holds {clips} clips, the model takes {capabilities.clips}; set `join: 1` beside `clips` in "
            "its settings to send them as one, a second of silence between (acousticbench: join=true), or raise "
            "`clips` if it takes more"
        )


def _part(part: Part, capabilities: Capabilities, limits: Limits) -> Part:
    if isinstance(part, Audio):
        return fit_audio(part, capabilities, limits)
    return _load_image(part, capabilities) if isinstance(part, ImageRef) else part


def _load_image(image: ImageRef, capabilities: Capabilities) -> ImageBytes:
    if not capabilities.images:
        raise Rejected(f"the prompt holds the picture {image.name or image.path}, and the model takes none")
    from earmark.audio import media  # noqa: PLC0415 - few prompts hold pictures

    return media.load_image(image)


def _formats_as_is(capabilities: Capabilities) -> tuple[str, ...] | None:
    """Formats of which a model takes a file as it is; None where it takes samples."""
    return None if "samples" in capabilities.formats else capabilities.formats


def fit_audio(audio: Audio, capabilities: Capabilities, limits: Limits = DEFAULT_LIMITS) -> EncodedAudio | Waveform:
    """One sound, as a model takes it. Raises AudioError where it cannot be read or fitted."""
    fitted = _fit(audio, capabilities, limits)
    if capabilities.base64 and isinstance(fitted, EncodedAudio):
        return replace(fitted, base64=pybase64.b64encode(fitted.data))
    return fitted


def _fit(audio: Audio, capabilities: Capabilities, limits: Limits) -> EncodedAudio | Waveform:
    if isinstance(audio, Clip):
        audio = read.ClipLoader(limits).load(audio, _formats_as_is(capabilities))
    if isinstance(audio, LoadedClip) and not audio.clip.start and audio.clip.end is None:
        encoded = None if "samples" in capabilities.formats else read.passthrough(audio, capabilities.formats)
        if encoded and _fits(encoded, capabilities):
            return encoded
    if isinstance(audio, EncodedAudio) and _fits(audio, capabilities):
        read.check_encoded(audio, limits)
        return audio
    waveform = read.load_waveform(audio, limits)
    if "samples" in capabilities.formats:
        return _convert(waveform, capabilities)
    return _encode_best(waveform, capabilities, recoded=not isinstance(audio, Waveform | SynthSpec))


def _fits(sound: EncodedAudio, capabilities: Capabilities) -> bool:
    """True if a model takes bytes as they are. Raises AudioError for those that last too long in any form."""
    _check_length(sound, capabilities)
    return (
        (not capabilities.formats or sound.format in capabilities.formats)
        and (not capabilities.rates or sound.rate in capabilities.rates)
        and (capabilities.channels is None or sound.channels <= capabilities.channels)
    )


def _encode_best(waveform: Waveform, capabilities: Capabilities, *, recoded: bool) -> EncodedAudio:
    """Samples as bytes in the best format that a model takes."""
    form = next((form for form in encode.FORMATS if not capabilities.formats or form in capabilities.formats), None)
    if form is None:
        raise AudioError(
            f"{waveform.name}: the model takes {', '.join(capabilities.formats)}, which Earmark cannot make; it makes "
            f"{', '.join(encode.FORMATS)}"
        )
    ready = _convert(waveform, capabilities)
    rate = encode.rate_for(form, ready.rate)
    if rate != ready.rate:
        ready = _within_full_scale(resample_waveform(ready, rate))
    notes = (*ready.notes, f"re-encoded as {form}") if recoded or form != "wav" else ready.notes
    data = encode.encode(ready, form)
    return EncodedAudio(data, form, ready.rate, ready.samples.shape[0], ready.seconds, ready.name, ready.source, notes)


def _check_length(sound: EncodedAudio | Waveform, capabilities: Capabilities) -> None:
    if capabilities.seconds is not None and sound.seconds > capabilities.seconds:
        raise AudioError(
            f"{sound.name}: lasts {sound.seconds:.2f} s, the model hears {capabilities.seconds:g} s; nothing was cut "
            "or sent"
        )


def _convert(waveform: Waveform, capabilities: Capabilities) -> Waveform:
    """At a rate and with as many channels as a model takes, within full scale."""
    _check_length(waveform, capabilities)
    if capabilities.channels is not None and waveform.samples.shape[0] > capabilities.channels:
        waveform = mix_down(waveform)
    if capabilities.rates and waveform.rate not in capabilities.rates:
        waveform = resample_waveform(
            waveform, min((r for r in capabilities.rates if r > waveform.rate), default=max(capabilities.rates))
        )
    return _within_full_scale(waveform)


def _within_full_scale(waveform: Waveform) -> Waveform:
    """Within full scale, which whoever takes 16-bit samples would cut it to."""
    loud = encode.count_clipped(waveform)
    if not loud:
        return waveform
    samples = np.clip(waveform.samples, np.float32(-1.0), np.float32(1.0))
    return replace(waveform, samples=samples, notes=(*waveform.notes, f"clipped samples: {loud}"))


def mix_down(waveform: Waveform) -> Waveform:
    """All channels as one, with a note; the loudest alone where the channels cancel each other."""
    channels = waveform.samples.shape[0]
    mixed = mono(waveform.samples)
    powers = [float(np.vdot(channel, channel)) for channel in waveform.samples]
    if float(np.vdot(mixed, mixed)) < MIN_MIX_LEVEL * max(powers):
        loudest = int(np.argmax(powers))
        note = f"channel {loudest + 1} of {channels} taken alone: mixed, the channels cancel each other"
        return replace(waveform, samples=waveform.samples[loudest : loudest + 1], notes=(*waveform.notes, note))
    return replace(waveform, samples=mixed, notes=(*waveform.notes, f"mixed {channels} channels to 1"))


def resample_waveform(waveform: Waveform, rate: Hertz) -> Waveform:
    """At another rate, with a note. Raises AudioError for what is shorter than one sample there."""
    samples = resample(waveform.samples, waveform.rate, rate)
    if not samples.shape[1]:
        raise AudioError(
            f"{waveform.name}: {waveform.samples.shape[1]} samples at {waveform.rate} Hz are less than one at {rate} Hz"
        )
    note = f"resampled {waveform.rate} to {rate} Hz (soxr HQ {soxr.__version__})"
    return replace(waveform, samples=samples, rate=rate, notes=(*waveform.notes, note))


def mono(samples: Samples) -> Samples:
    """The mean of the channels, shape (1, frames). Channels are added one by one: ten times quicker than a mean over
    them.
    """
    total = samples[:1].copy()
    for channel in range(1, samples.shape[0]):
        total += samples[channel]
    return np.multiply(total, np.float32(1 / samples.shape[0]), dtype=np.float32)


def resample(samples: Samples, rate: Hertz, target: Hertz) -> Samples:
    """Samples at another rate, shape (channels, frames), by the resampler that does not alias."""
    if rate == target:
        return samples
    return np.ascontiguousarray(soxr.resample(samples.T, rate, target, quality="HQ").T, dtype=np.float32)
