"""A simulated listener with known thresholds, for trying an audiogram. It uses the audio only.

earmark audiogram model=fake model.reply=examples.ears:ear

It measures one property of each of two sounds, adds a normal error with the standard deviation `SPREAD` to the
difference, and chooses the sound with more of it. It is therefore correct in 75 % of trials where the difference is
0.674 times the deviation. It detects soft tones by their spectrum, limited only by the noise, and guesses about tempo
and timbre.
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
# ^ standard deviations: semitones, decibels, logarithm of a duration, milliseconds
BIN: Final = 1 << 17  # samples of a spectrum: bins of an eighth of a hertz


def ear(prompt: Prompt) -> str:
    """Return the label of one of two sounds."""
    parts = prompt.turns[-1].parts
    sounds = [load_waveform(part) for part in parts if isinstance(part, Audio)]
    question = str(parts[-1])
    measured = next((name for phrase, name in QUESTIONS.items() if phrase in question), None)
    rng = Random(b"".join(sound.samples.tobytes() for sound in sounds))  # noqa: S311 - the same sounds, the same answer
    if measured is None:
        return rng.choice(prompt.labels)
    first, second = (MEASURES[measured](sound.samples[0].astype(np.float64), sound.rate) for sound in sounds)
    return prompt.labels[0] if first - second > rng.gauss(0, SPREAD[measured]) else prompt.labels[1]


def pitch(signal: Signal, rate: int) -> float:
    """Return the strongest frequency, in semitones."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size), BIN))
    return 12 * float(np.log2(max(1, int(np.argmax(spectrum))) * rate / BIN))


def loudness(signal: Signal, _: int) -> float:
    """Return the power, in decibels."""
    return 10 * float(np.log10(np.mean(signal**2) + 1e-12))


def duration(signal: Signal, rate: int) -> float:
    """Return the logarithm of the duration above a threshold."""
    loud = np.flatnonzero(np.abs(signal) > 0.02)
    return float(np.log((loud[-1] - loud[0]) / rate)) if loud.size > 1 else 0.0


def gap(signal: Signal, rate: int) -> float:
    """Return the longest silence inside, in milliseconds."""
    loud = np.flatnonzero(np.abs(signal) > 0.001)
    return 1000 * float(np.max(np.diff(loud))) / rate if loud.size > 1 else 0.0


def tone(signal: Signal, _: int) -> float:
    """Return the power of the strongest frequency relative to the mean, in decibels."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2 + 1e-12
    return 10 * float(np.log10(np.max(spectrum) / np.mean(spectrum)))


MEASURES: Final[dict[str, Callable[[Signal, int], float]]] = {
    measure.__name__: measure for measure in (pitch, loudness, duration, gap, tone)
}
QUESTIONS: Final = {
    "higher in pitch": "pitch",
    "louder": "loudness",
    "lasts longer": "duration",
    "gap of silence": "gap",
    "tone is hidden": "tone",
    "tone is in one": "tone",
}
