"""Codec: every sound as it comes out of lossy coding, at a bit rate (codec:mp3@32k, codec:opus@16k).

libsndfile encodes and decodes, by LAME at a constant rate and by libopus at an average one; the rate is of all channels
together, and the notes say what came of it. Where a codec lacks the sound's sampling rate, the sound is resampled to the next
that it has; where it has no rate so low there (mp3 from 32 kHz on: 32 kbit/s), to the highest at which it has. Where the most
that it has is less than what is asked for, that is used, and noted. mp3 begins late and ends late; the sound is brought back to its place and length.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import soundfile
from msgspec import Struct

from earmark.audio.encode import ENCODERS, encoded, rate_for, reach
from earmark.audio.prepare import mixed, resampled
from earmark.audio.read import decode, wave
from earmark.conditions._sounds import changed, each_sound, within_full_scale
from earmark.errors import UsageError
from earmark.types import Benchmark, Heard, Item, Part, Prompt, Samples, Wave

LATEST: Final = 3000  # frames by which a codec may begin late
SPANS: Final = {"mp3": (8, 320), "opus": (6, 512)}  # kbit a second


class Codec(Struct, frozen=True):
    """The condition."""

    codec: str
    kilobits: int  # a second

    @property
    def name(self) -> str:
        return f"codec:{self.codec}@{self.kilobits}k"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return within_full_scale(each_sound(prompt, self._coded))

    def _coded(self, heard: Heard, _: int) -> Part:
        sound = _taken(wave(heard), self.codec, self.kilobits * 1000)
        most = reach(self.codec, sound.rate, sound.samples.shape[0])[1] // 1000
        data = encoded(sound, self.codec, bits=self.kilobits * 1000)
        back = decode(data, sound.name).samples
        real = len(data) * 8 / sound.seconds / 1000
        only = "" if self.kilobits <= most else ", the most that it has here"
        note = f"through {self.codec} at {min(self.kilobits, most)} kbit/s{only} ({real:.1f} with its head; libsndfile {soundfile.__libsndfile_version__})"
        return changed(sound, in_place(back, sound.samples), note)


def _taken(sound: Wave, codec: str, bits: int) -> Wave:
    """The sound as the codec takes it."""
    if sound.samples.shape[0] > ENCODERS[codec].channels:
        sound = mixed(sound)
    rate = rate_for(codec, sound.rate)
    if bits < reach(codec, rate, sound.samples.shape[0])[0]:
        low = [slow for slow in ENCODERS[codec].rates if slow <= rate and reach(codec, slow)[0] <= bits]
        rate = max(low, default=rate)
    return sound if rate == sound.rate else resampled(sound, rate)


def in_place(back: Samples, before: Samples) -> Samples:
    """What came back, shifted to where the sound was and as long as that, shape as `before`."""
    frames = before.shape[1]
    if back.shape[1] > frames:
        size = 1 << (back.shape[1] + frames).bit_length()
        alike = np.fft.irfft(np.fft.rfft(back[0], size) * np.conj(np.fft.rfft(before[0], size)), size)
        late = int(np.argmax(alike[: min(LATEST, back.shape[1] - frames + 1)]))
        back = back[:, late : late + frames]
    return np.pad(back, ((0, 0), (0, frames - back.shape[1])))


def load(argument: str, seed: int, benchmark: Benchmark) -> Codec:  # noqa: ARG001
    """The condition from what stands after its name: a codec and its kilobits a second."""
    told = re.fullmatch(r"(\w+)@(\d+)k", argument)
    low, high = SPANS.get(told[1], (1, 0)) if told else (1, 0)
    if told is None or not low <= int(told[2]) <= high:
        spans = " or ".join(f"{codec}@{low}k to {codec}@{high}k" for codec, (low, high) in SPANS.items())
        raise UsageError(f"codec takes {spans}, found 'codec:{argument}'; write for instance condition=codec:mp3@32k")
    return Codec(told[1], int(told[2]))
