"""Noise: added to every sound at a ratio of signal to noise in decibels (noise:10, noise:pink@10, noise:babble@0).

    ratio = 10 log10(mean square of the sound / mean square of the noise)

below 8 kHz, which is what models hear (a recording of 44.1 or 48 kHz is measured as it is at 16 kHz; the noise fills
all of its band), over the whole clip, all channels together. White noise is as strong in every hertz, pink noise in
every octave. Babble is six other clips of the benchmark at once, each as loud as the next, from a random place in it
on; never the item's own. Where a sum would go beyond full scale, all sounds of the prompt are turned down by one
factor, noise included. The noise depends on the seed, the item and the place of the clip in it, and on nothing else.
What is silent below 8 kHz has no ratio to noise, and gets none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from earmark.audio.limits import limits_of
from earmark.audio.prepare import mono, resample
from earmark.audio.read import load_waveform
from earmark.conditions._candidates import Candidate, other_items, sample_once
from earmark.conditions._common import benchmark_of, item_rng, map_audio, with_samples, within_full_scale
from earmark.errors import AudioError, Rejected
from earmark.plugins.examples import ConditionExample
from earmark.types import (
    Audio,
    Clip,
    Context,
    Hertz,
    Item,
    Limits,
    Part,
    Prompt,
    Samples,
    Seconds,
    Source,
    Waveform,
    replace,
)

TALKERS: Final = 6
MAX_TALKER_SECONDS: Final[Seconds] = 10.0  # of a talker; what a long recording says after that is not in the babble
BAND: Final[Hertz] = 8000  # below which the ratio is defined: models hear 16 kHz
SILENT: Final = 1e-12  # the mean square of what counts as silent: -120 dB, a 24-bit step is -138
MAX_CACHED_VOICES: Final = 24  # clips that the talkers of all items are drawn from

Floats: TypeAlias = npt.NDArray[np.float64]
Voice: TypeAlias = Callable[[str, Hertz, Limits], Floats | None]


class Settings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings, after the colon."""

    colour: Literal["white", "pink", "babble"] = "white"
    snr: Annotated[
        float,
        Meta(ge=-100, le=100, description="a ratio in decibels, after a colour or alone", examples=["10"]),
    ]


class Noise(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings
    seed: int
    sample: Callable[[], dict[str, list[Candidate]]]  # of other items, for babble,
    voice: Voice  # and their sound

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        def add_noise(audio: Audio, number: int) -> Part:
            clean = load_waveform(audio)
            rng = item_rng(self.seed, item, number)
            if self.settings.colour == "babble":
                lots = sorted(other.rank for other in other_items(self.sample(), item, same_task=False))[
                    :MAX_CACHED_VOICES
                ]
                noise = babble(clean, rng, lots, self.voice, limits_of(audio))
            else:
                noise = (pink_noise if self.settings.colour == "pink" else white_noise)(rng, clean.samples.shape)
            if not power(clean.samples, clean.rate) > SILENT or not power(noise, clean.rate) > 0:
                return replace(clean, notes=(*clean.notes, "silent: no noise has a ratio to it"))
            mixed = mix(clean.samples, noise, self.settings.snr, clean.rate)
            return with_samples(clean, mixed, f"{self.settings.colour} noise added at {self.settings.snr:g} dB")

        return within_full_scale(map_audio(prompt, add_noise))


def mix(sound: Samples, noise: Floats, snr: float, rate: Hertz) -> Floats:
    """Sound and noise at a ratio in decibels below `BAND`, shape as the sound's.

    >>> mixed = mix(np.full((1, 4), 0.1, np.float32), np.array([[1.0, -1.0, 1.0, -1.0]]), 20, 16000)
    >>> [round(float(sample), 3) for sample in mixed[0]]
    [0.11, 0.09, 0.11, 0.09]
    """
    gain = np.sqrt(power(sound, rate) / power(noise, rate) / 10 ** (snr / 10))
    return np.asarray(sound + gain * noise)


def power(samples: npt.NDArray[np.floating], rate: Hertz) -> float:
    """Mean square of samples below `BAND`: of what is left of them at twice that rate, if theirs is higher.

    >>> tone = np.sin(2 * np.pi * np.arange(48000)[None] * 12000 / 48000)
    >>> round(power(tone, 24000), 2), power(tone, 48000) < 1e-3
    (0.5, True)
    """
    if rate > 2 * BAND:
        samples = resample(samples.astype(np.float32), rate, 2 * BAND)
    return float(np.mean(np.square(samples, dtype=np.float64))) if samples.size else 0.0


def white_noise(rng: np.random.RandomState, shape: tuple[int, ...]) -> Floats:
    """Normal noise, as strong in every hertz."""
    return rng.standard_normal(shape)


def pink_noise(rng: np.random.RandomState, shape: tuple[int, ...]) -> Floats:
    """Normal noise whose power falls by 3 dB an octave from the first hertz of the clip on, without a constant part."""
    size = 1 << max(1, shape[1] - 1).bit_length()
    spectrum = np.fft.rfft(rng.standard_normal((shape[0], size)))
    spectrum[:, 1:] /= np.sqrt(np.arange(1, spectrum.shape[1]))
    spectrum[:, 0] = 0.0
    return np.asarray(np.fft.irfft(spectrum, size)[:, : shape[1]])


def babble(clean: Waveform, rng: np.random.RandomState, ranks: list[str], voice: Voice, limits: Limits) -> Floats:
    """Several other clips at once, as long as the sound and alike on all its channels."""
    channels, frames = clean.samples.shape
    talking: list[Floats] = []
    for index in rng.permutation(len(ranks)):
        start = float(rng.random_sample())
        samples = voice(ranks[int(index)], clean.rate, limits)
        if samples is not None:
            talking.append(np.resize(np.roll(samples, -int(start * samples.size)), frames))
        if len(talking) == TALKERS:
            break
    together = np.sum(talking, axis=0) if talking else np.zeros(frames)
    if not together.any():
        raise Rejected(f"{clean.name}: the benchmark has no other sound, which condition=noise:babble needs")
    return np.tile(together, (channels, 1))


def cached_voices(sample: Callable[[], dict[str, list[Candidate]]]) -> Voice:
    """Return a function that loads the audio of an item by rank, with a cache."""

    @functools.lru_cache(maxsize=32)
    def voice(rank: str, rate: Hertz, limits: Limits) -> Floats | None:
        (clip,) = (other.clips[0] for lots in sample().values() for other in lots if other.rank == rank)
        return talker(clip, rate, limits)

    return voice


def talker(clip: Source, rate: Hertz, limits: Limits) -> Floats | None:
    """The beginning of a clip on one channel, of power 1; nothing where it is silent or cannot be read."""
    if isinstance(clip, Clip):
        until = clip.start + MAX_TALKER_SECONDS
        clip = replace(clip, end=until if clip.end is None else min(until, clip.end))
    try:
        waveform = load_waveform(clip, limits)
    except AudioError:
        return None
    samples = resample(mono(waveform.samples), waveform.rate, rate)[0, : round(MAX_TALKER_SECONDS * rate)].astype(
        np.float64
    )
    power = float(np.mean(samples**2)) if samples.size else 0.0
    return samples / np.sqrt(power) if power > 0 else None


def load(settings: Settings, context: Context) -> Noise:
    """Load the condition."""
    sample = sample_once(benchmark_of(context), context.seed)
    return Noise(settings, context.seed, sample, cached_voices(sample))


def examples() -> tuple[ConditionExample, ...]:
    return (
        ConditionExample(argument="10", random=True),
        ConditionExample(argument="pink@5", random=True),
        ConditionExample(argument="babble@0", random=True),
    )
