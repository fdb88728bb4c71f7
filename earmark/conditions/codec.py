"""Codec: every sound as it comes out of lossy coding, at a bit rate (codec:mp3@32k, codec:opus@16k).

libsndfile encodes and decodes, by LAME at a constant rate and by libopus at an average one; the rate is of all channels
together, and the notes say what came of it. Where a codec lacks the sound's sampling rate, the sound is resampled to
the next that it has; where it has no rate so low there (mp3 from 32 kHz on: 32 kbit/s), to the highest at which it has.
Where the most that it has is less than what is asked for, that is used, and noted. mp3 begins late and ends late; the
sound is brought back to its place and length.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

import numpy as np
import soundfile
from msgspec import Meta, Struct

from earmark.audio.encode import ENCODERS, bitrate_range, encode, rate_for
from earmark.audio.limits import limits_of
from earmark.audio.prepare import mix_down, resample_waveform
from earmark.audio.read import decode_audio, load_waveform
from earmark.conditions._common import map_audio, with_samples, within_full_scale
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Item, Part, Prompt, Samples, Waveform

MAX_DELAY: Final = 3000  # frames by which a codec may begin late
BITRATE_RANGES: Final = {"mp3": (8, 320), "opus": (6, 512)}  # kbit a second


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    codec: Annotated[Literal["mp3", "opus"], Meta(examples=["mp3"])]
    bitrate: Annotated[
        str, Meta(pattern="^[0-9]+k$", description="mp3@8k to mp3@320k or opus@6k to opus@512k", examples=["32k"])
    ]

    def __post_init__(self) -> None:
        low, high = BITRATE_RANGES[self.codec]
        if not low <= self.kilobits <= high:
            raise ValueError(f"{self.codec} has bit rates from {low}k to {high}k")

    @property
    def kilobits(self) -> int:
        return int(self.bitrate[:-1])


class Codec(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(map_audio(prompt, self._encode))

    def _encode(self, audio: Audio, _: int) -> Part:
        codec, kilobits = self.settings.codec, self.settings.kilobits
        sound = _prepare_for_codec(load_waveform(audio), codec, kilobits * 1000)
        most = bitrate_range(codec, sound.rate, sound.samples.shape[0])[1] // 1000
        data = encode(sound, codec, bits=kilobits * 1000)
        back = decode_audio(data, sound.name, limits=limits_of(audio)).samples
        real = len(data) * 8 / sound.seconds / 1000
        only = "" if kilobits <= most else ", the most that it has here"
        note = (
            f"through {codec} at {min(kilobits, most)} kbit/s{only} ({real:.1f} with its head; libsndfile "
            f"{soundfile.__libsndfile_version__})"
        )
        return with_samples(sound, align(back, sound.samples), note)


def _prepare_for_codec(sound: Waveform, codec: str, bits: int) -> Waveform:
    """The sound as the codec takes it."""
    if sound.samples.shape[0] > ENCODERS[codec].channels:
        sound = mix_down(sound)
    rate = rate_for(codec, sound.rate)
    if bits < bitrate_range(codec, rate, sound.samples.shape[0])[0]:
        low = [slow for slow in ENCODERS[codec].rates if slow <= rate and bitrate_range(codec, slow)[0] <= bits]
        rate = max(low, default=rate)
    return sound if rate == sound.rate else resample_waveform(sound, rate)


def align(back: Samples, before: Samples) -> Samples:
    """Align decoded audio with the original, cut to its length; shape as `before`."""
    frames = before.shape[1]
    if back.shape[1] > frames:
        size = 1 << (back.shape[1] + frames).bit_length()
        alike = np.fft.irfft(np.fft.rfft(back[0], size) * np.conj(np.fft.rfft(before[0], size)), size)
        late = int(np.argmax(alike[: min(MAX_DELAY, back.shape[1] - frames + 1)]))
        back = back[:, late : late + frames]
    return np.pad(back, ((0, 0), (0, frames - back.shape[1])))


def load(settings: Settings, context: Context) -> Codec:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return Codec(settings)


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(argument="mp3@32k"), ConditionExample(argument="opus@16k"))
