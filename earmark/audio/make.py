"""Sound that is computed: the same recipe gives the same samples on every machine.

A maker is a function of this file whose arguments are a recipe's settings: frequencies in hertz, durations in seconds,
levels in decibels relative to a full-scale sine (of a sound that is no sine: one of the same power). Everything is made
at 16 kHz and put on the grid of 16-bit samples: what is sent is what was made. Processors differ in the last of the 53
bits of a sine; the grid is coarse beside that, and lies so that no round number falls between two of its steps.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from earmark.audio.dice import dice, hiss
from earmark.audio.room import convolved, tail
from earmark.data.clips import source
from earmark.errors import SoundFailed
from earmark.types import Hertz, Recipe, Samples, Seconds, Wave

Floats: TypeAlias = npt.NDArray[np.float64]

RATE: Final[Hertz] = 16000
RAMP: Final[Seconds] = 0.01  # raised-cosine onset and offset, so that an edge does not click
SHARP: Final[Seconds] = 0.0005  # the edges of a gap in noise, where nobody hears a click
PIP: Final[Seconds] = 0.03  # how long a short tone of a row lasts
HIGHEST: Final = 7000.0  # hertz, of an overtone
STEPS: Final = 32768  # of the grid, from zero to full scale
OFF: Final = (
    2.0**-12
)  # of a step, by which the grid is moved: what should be half a step, exactly, rounds alike everywhere


def make(recipe: Recipe) -> Wave:
    """The sound of a recipe. Raises SoundFailed where its settings make none, or one beyond full scale.

    >>> make(Recipe("tone", {"frequency": 440, "seconds": 0.5, "level": -20})).seconds
    0.5
    """
    name = recipe.name or recipe.maker
    if recipe.maker not in MAKERS:
        raise SoundFailed(f"{name}: no maker is called '{recipe.maker}'; there are: {', '.join(MAKERS)}")
    maker = MAKERS[recipe.maker]
    try:
        settings = signature(maker).bind(**recipe.settings)
    except TypeError as error:
        raise SoundFailed(f"{name}: {recipe.maker} cannot be made of these settings ({error})") from error
    made = np.atleast_2d(maker(*settings.args, **settings.kwargs))
    if not made.shape[1]:
        raise SoundFailed(f"{name}: {recipe.maker} with these settings lasts no time at all")
    loudest = float(np.max(np.abs(made)))
    if not loudest <= 1.0:
        raise SoundFailed(f"{name}: {recipe.maker} with these settings reaches {loudest:.3g}, full scale is 1")
    return Wave(on_grid(made), RATE, name, recipe.words, source(recipe))


def on_grid(samples: Floats) -> Samples:
    """The nearest samples of 16 bits, as floats."""
    steps = np.rint(samples * STEPS + OFF)
    return np.asarray(np.minimum(steps, STEPS - 1) / STEPS, np.float32)


def silence(seconds: Seconds) -> Floats:
    """Nothing at all, as zeros."""
    return np.zeros(_frames(seconds))


def tone(frequency: float, seconds: Seconds, level: float) -> Floats:
    """A sine with smooth edges."""
    return _gain(level) * np.sin(2 * np.pi * frequency * _time(seconds)) * _edges(_frames(seconds))


def noise(seconds: Seconds, level: float, seed: str, gap: Seconds = 0.0, at: float = 0.5) -> Floats:
    """White noise; a gap of silence, if any, has its middle at that share of the whole."""
    hiss = _hiss(_frames(seconds), level, seed) * _edges(_frames(seconds))
    if gap:
        width, sharp = _frames(gap), _frames(SHARP)
        first = round(at * hiss.size) - width // 2
        hiss[first : first + width] = 0.0
        hiss[first - sharp : first] *= np.linspace(1, 0, sharp, endpoint=False)
        hiss[first + width : first + width + sharp] *= np.linspace(0, 1, sharp, endpoint=False)
    return hiss


def hidden(frequency: float, seconds: Seconds, level: float, ratio: float, seed: str) -> Floats:
    """A tone in white noise, its power so many decibels beside that of the noise; both together have the level."""
    whole = _hiss(_frames(seconds), 0.0, seed) + tone(frequency, seconds, ratio)
    return _levelled(whole * _edges(whole.size), level)


def pips(
    frequency: float, level: float, every: Seconds, seconds: Seconds, start: Seconds = 0.0, count: int = 0
) -> Floats:
    """A row of short tones from `start` on, as many as `count`, or as fit."""
    fit = int((seconds - start - PIP) / every + 1e-9) + 1
    pip = tone(frequency, PIP, level)
    row = np.zeros(_frames(seconds))
    for at in range(min(fit, int(count) or fit)):
        first = _frames(start + at * every)
        row[first : first + pip.size] += pip
    return row


def onsets(low: float, high: float, seconds: Seconds, lead: Seconds, level: float) -> Floats:
    """A low and a high tone that end together; the low one begins first by `lead`, or the high one where that is negative."""
    late = seconds - abs(lead)
    both = [(low, late if lead < 0 else seconds), (high, late if lead > 0 else seconds)]
    whole = np.zeros(_frames(seconds))
    for frequency, lasting in both:
        part = tone(frequency, lasting, level)
        whole[whole.size - part.size :] += part
    return whole


def overtones(frequency: float, seconds: Seconds, level: float, slope: float) -> Floats:
    """A tone with all its overtones to 7 kHz, each weaker than the one before by `slope` decibels an octave."""
    time = _time(seconds)
    numbers = range(1, int(HIGHEST / frequency) + 1)
    whole = np.zeros(time.size)
    for number in numbers:
        phase = np.pi * number * number / len(numbers)  # spread over the period, so that the peaks do not pile up
        whole += _gain(-slope * float(np.log2(number))) * np.sin(2 * np.pi * frequency * number * time + phase)
    return _levelled(whole * _edges(time.size), level)


def glide(frequency: float, seconds: Seconds, level: float, semitones: float) -> Floats:
    """A tone whose pitch moves evenly by so many semitones, up or down, with `frequency` in the middle."""
    first, last = (round(frequency * 2.0 ** (sign * semitones / 24), 6) for sign in (-1, 1))
    time = _time(seconds)
    turns = first * time + (last - first) / (2 * seconds) * time * time
    return np.asarray(_gain(level) * np.sin(2 * np.pi * turns) * _edges(time.size))


def room(frequency: float, level: float, ratio: float, decay: Seconds, seed: str) -> Floats:
    """Three short bright tones in a room: direct sound and reverberation with a ratio of powers in decibels.

    `decay` is the time in which the reverberation loses 60 dB. Whatever the ratio, the whole has the level.
    """
    dry = np.zeros(_frames(0.3 * 3 + decay))
    for at in range(3):
        beep = overtones(frequency, 0.1, 0.0, 3.0)
        dry[_frames(0.3 * at) :][: beep.size] += beep
    wet = convolved(dry, tail(decay, RATE, dice("room", seed)))
    wet *= np.sqrt(np.sum(dry**2) / np.sum(wet**2) / 10 ** (ratio / 10))
    return _levelled(dry + wet, level)


def sides(frequency: float, seconds: Seconds, level: float, difference: float) -> Floats:
    """A tone with overtones on two channels, louder on the right by so many decibels, or on the left where negative."""
    centre = overtones(frequency, seconds, level, 6.0)
    return np.stack([centre * _gain(-difference / 2), centre * _gain(difference / 2)])


def _hiss(frames: int, level: float, seed: str) -> Floats:
    return np.asarray(hiss(dice("hiss", seed), frames) * (_gain(level) / np.sqrt(2.0)))


def _levelled(samples: Floats, level: float) -> Floats:
    return np.asarray(samples * (_gain(level) / np.sqrt(2 * np.mean(samples**2))))


def _gain(level: float) -> float:
    return float(10.0 ** (level / 20))


def _frames(seconds: Seconds) -> int:
    return round(seconds * RATE)


def _time(seconds: Seconds) -> Floats:
    return np.arange(_frames(seconds)) / RATE


def _edges(frames: int) -> Floats:
    ramp = min(round(RAMP * RATE), frames // 2)
    edges = np.ones(frames)
    edges[:ramp] = (1 - np.cos(np.pi * (np.arange(ramp) + 0.5) / ramp)) / 2
    edges[frames - ramp :] = edges[:ramp][::-1]
    return edges


MAKERS: Final[dict[str, Callable[..., Floats]]] = {
    maker.__name__: maker for maker in (silence, tone, noise, hidden, pips, onsets, overtones, glide, room, sides)
}
