"""Sounds that conditions are applied to, and what comes out of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from mine import bench
from sounds import decibels, sine

from earmark.audio import read
from earmark.engine.load import load_conditions
from earmark.types import Audio, Benchmark, Item, NamedCondition, Prompt, Turn, Waveform

RATE = 16000
ITEM = Item("1", "t")
NONE = bench.make()


def make_condition(name: str, argument: str, seed: int, benchmark: Benchmark) -> NamedCondition:
    """A condition by its name and what stands after the colon."""
    (condition,) = load_conditions([":".join(filter(None, (name.replace("_", "-"), argument)))], seed, benchmark)
    assert condition is not None
    return condition


def through(condition: NamedCondition, *waves: Audio, item: Item = ITEM) -> list[Waveform]:
    prompt = condition.apply(Prompt((Turn("user", (*waves, "Which?")),)), item)
    return [read.load_waveform(part) for part in prompt.turns[0].parts if isinstance(part, Audio)]


def tone(frequency: float, seconds: float = 1.0, rate: int = RATE, amplitude: float = 0.3) -> Waveform:
    return read.from_array(sine(frequency, seconds, rate, amplitude), rate, "tone")


def speech_like(seconds: float = 2.0, rate: int = RATE, channels: int = 1) -> Waveform:
    """A hum with overtones to 3 kHz, four syllables a second."""
    at = np.arange(round(seconds * rate)) / rate
    hum = np.sum(
        [np.sin(2 * np.pi * 110 * k * (at + 0.003 * np.sin(9 * at)) + k * k) / k for k in range(1, 28)], axis=0
    )
    samples = np.stack([hum * (0.1 + np.sin(4 * np.pi * at + channel) ** 2) for channel in range(channels)])
    return read.from_array(0.3 * samples / np.max(np.abs(samples)), rate, "speech")


def level(samples: npt.NDArray[np.floating], frequency: float, rate: int) -> float:
    """The power of one frequency in decibels."""
    at = np.arange(samples.size) / rate
    window = np.hanning(samples.size)
    return decibels(float(np.abs(np.sum(samples * window * np.exp(-2j * np.pi * frequency * at))) ** 2) + 1e-20)
