"""An ear whose thresholds are known, for trying an audiogram: what it says comes from the sound alone.

earmark audiogram model=fake model.reply=examples.ears:ear

It measures one thing in each of two sounds, adds a normal error of the spread `SPREAD` to the difference, and takes the
sound that seems to have more of it. So it is right in 75 % of the trials where the difference is 0.674 times the
spread. Soft tones it finds by their spectrum, without an error of its own: what limits it there is the noise. It knows
nothing of tempo and timbre, and guesses.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from earmark.audio.read import load_waveform
from earmark.types import Audio, Prompt

Signal: TypeAlias = npt.NDArray[np.float64]
SPREAD: Final = {"pitch": 0.5, "loudness": 1.5, "duration": 0.15, "gap": 6.0, "tone": 0.0}
# ^ semitones, decibels, of the logarithm of a length, milliseconds
BIN: Final = 1 << 17  # samples of a spectrum: an eighth of a hertz apart


def ear(prompt: Prompt) -> str:
    """What it hears: the label of one of two sounds."""
    parts = prompt.turns[-1].parts
    sounds = [load_waveform(part) for part in parts if isinstance(part, Audio)]
    question = str(parts[-1])
    sense = next((name for words, name in ASKED.items() if words in question), None)
    dice = Random(b"".join(sound.samples.tobytes() for sound in sounds))  # noqa: S311 - the same sounds, the same answer
    if sense is None:
        return dice.choice(prompt.labels)
    first, second = (MEASURES[sense](sound.samples[0].astype(np.float64), sound.rate) for sound in sounds)
    return prompt.labels[0] if first - second > dice.gauss(0, SPREAD[sense]) else prompt.labels[1]


def pitch(signal: Signal, rate: int) -> float:
    """The strongest frequency, in semitones."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size), BIN))
    return 12 * float(np.log2(max(1, int(np.argmax(spectrum))) * rate / BIN))


def loudness(signal: Signal, _: int) -> float:
    """The power, in decibels."""
    return 10 * float(np.log10(np.mean(signal**2) + 1e-12))


def duration(signal: Signal, rate: int) -> float:
    """The logarithm of how long anything is heard."""
    loud = np.flatnonzero(np.abs(signal) > 0.02)
    return float(np.log((loud[-1] - loud[0]) / rate)) if loud.size > 1 else 0.0


def gap(signal: Signal, rate: int) -> float:
    """The longest silence inside, in milliseconds."""
    loud = np.flatnonzero(np.abs(signal) > 0.001)
    return 1000 * float(np.max(np.diff(loud))) / rate if loud.size > 1 else 0.0


def tone(signal: Signal, _: int) -> float:
    """How far the strongest frequency stands out, in decibels."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2 + 1e-12
    return 10 * float(np.log10(np.max(spectrum) / np.mean(spectrum)))


MEASURES: Final[dict[str, Callable[[Signal, int], float]]] = {
    measure.__name__: measure for measure in (pitch, loudness, duration, gap, tone)
}
ASKED: Final = {
    "higher in pitch": "pitch",
    "louder": "loudness",
    "lasts longer": "duration",
    "gap of silence": "gap",
    "tone is hidden": "tone",
    "tone is in one": "tone",
}
