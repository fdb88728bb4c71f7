"""Telephone: every sound as a telephone line carries it, 300 to 3400 Hz at 8 kHz in 8 bits of mu-law.

    resample to 8 kHz -> band-pass 300 to 3400 Hz -> mu-law and back (G.711, by libsndfile)

The band-pass is a linear filter of 255 taps without delay: down by 6 dB at 300 and 3400 Hz, and by 50 dB from 200 and
from 3500 Hz on. The rate stays 8 kHz; a model that hears another gets it resampled.
"""

from __future__ import annotations

import io
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
import soundfile
from msgspec import Struct

from earmark.audio.prepare import resample_waveform
from earmark.audio.read import load_waveform
from earmark.conditions._common import map_audio, with_samples, within_full_scale
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Context, Hertz, Item, Part, Prompt, Samples

RATE: Final[Hertz] = 8000
BAND: Final = (300.0, 3400.0)  # hertz
TAPS: Final = 255


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """It takes no argument."""


class Telephone(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the line is the same for all
        return map_audio(within_full_scale(map_audio(prompt, _in_band)), _coded)


def _in_band(audio: Audio, _: int) -> Part:
    sound = load_waveform(audio)
    slow = resample_waveform(sound, RATE) if sound.rate != RATE else sound
    band = np.stack([np.convolve(channel, FILTER)[TAPS // 2 :][: channel.size] for channel in slow.samples])
    return with_samples(slow, band, f"telephone band {BAND[0]:g} to {BAND[1]:g} Hz")


def _coded(audio: Audio, _: int) -> Part:
    sound = load_waveform(audio)
    return with_samples(sound, _mu_law(sound.samples), "mu-law")


def _mu_law(samples: Samples) -> Samples:
    """Samples as they come out of 8 bits of mu-law."""
    line = io.BytesIO()
    soundfile.write(line, samples.T, RATE, "ULAW", format="WAV")
    line.seek(0)
    heard: Samples = soundfile.read(line, dtype="float32", always_2d=True)[0].T
    return np.ascontiguousarray(np.clip(heard, -1.0, 1.0))


def band_pass(low: float, high: float, rate: Hertz, taps: int) -> npt.NDArray[np.float64]:
    """A filter that passes what lies between two frequencies: the difference of two sincs under a Hamming window."""
    taps_from_middle = np.arange(taps) - taps // 2
    passing = [2 * edge / rate * np.sinc(2 * edge / rate * taps_from_middle) for edge in (low, high)]
    return np.asarray((passing[1] - passing[0]) * np.hamming(taps))


FILTER: Final = band_pass(*BAND, RATE, TAPS)


def load(settings: Settings, context: Context) -> Telephone:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return Telephone()


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(),)
