"""Sound that is computed: the same recipe gives the same samples on every machine.

A maker is a function of this file whose arguments are a recipe's settings: frequencies in hertz, durations in seconds,
levels in decibels relative to a full-scale sine (of a sound that is no sine: one of the same power). Any recipe may also
have silence `before` and `after` its sound, in seconds, and white noise under all of it: its level `floor` and its `floor_seed`.
Everything is made at 16 kHz and put on the grid of 16-bit samples: what is sent is what was made. Processors differ in the last of the 53
bits of a sine; the grid is coarse beside that, and lies so that no round number falls between two of its steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any, Final, TypeAlias

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
PAUSE: Final[Seconds] = 0.3  # between two bursts of noise in a room
TAPS: Final = 129  # of a low-pass filter
DECAY: Final[Seconds] = 0.6  # in which the reverberation of the room loses 60 dB
BAND: Final = (1400.0, 4600.0)  # hertz, whose lower and upper half have the same A-weight, about
ACCENT: Final[Seconds] = 0.02  # in which a tone falls from its accent to its level
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
    around: dict[str, Any] = {key: value for key, value in recipe.settings.items() if key in AROUND}
    own = {key: value for key, value in recipe.settings.items() if key not in AROUND}
    if not NEEDED[recipe.maker] <= own.keys() <= TAKEN[recipe.maker]:
        takes = ", ".join(one.name for one in PARAMETERS[recipe.maker])
        found = ", ".join(own) or "none"
        raise SoundFailed(f"{name}: {recipe.maker} cannot be made of these settings: found {found}, it takes {takes}")
    made = _surround(np.atleast_2d(MAKERS[recipe.maker](**own)), **around)
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


def tone(frequency: float, seconds: Seconds, level: float, accent: float = 0.0) -> Floats:
    """A sine with smooth edges; it may begin so many decibels louder, with an accent."""
    time = _time(seconds)
    loud = 1.0 + (_gain(accent) - 1.0) * np.clip(1.0 - (time - RAMP) / ACCENT, 0.0, 1.0)
    return np.asarray(_gain(level) * np.sin(2 * np.pi * frequency * time) * loud * _edges(time.size))


def steady_level(energy: float, peak: float, seconds: Seconds) -> float:
    """The level in decibels of a tone whose squared amplitude adds up to an energy, and which begins with a peak.

    So neither energy nor peak tells how long it lasts. The ramps, the fall from the accent and the rest add up to
    x^2 (seconds - 1.625 r - 2/3 f) + x peak f / 3 + peak^2 (3/8 r + f / 3), for ramps of r, a fall of f and the level x.
    """
    square = seconds - 1.625 * RAMP - ACCENT * 2 / 3
    linear, rest = peak * ACCENT / 3, peak**2 * (0.375 * RAMP + ACCENT / 3) - energy
    level = (-linear + math.sqrt(linear**2 - 4 * square * rest)) / (2 * square)
    return round(20 * math.log10(level), 3)


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


def hidden(frequency: float, seconds: Seconds, level: float, ratio: float, seed: str, below: Hertz = 0) -> Floats:
    """A tone in white noise, or in noise below a frequency; its power so many decibels beside the noise's, both have the level."""
    hiss = _hiss(_frames(seconds), 0.0, seed)
    if below:
        hiss = _levelled(np.convolve(hiss, _low_pass(below), "same"), 0.0)
    whole = hiss + tone(frequency, seconds, ratio)
    return _levelled(whole * _edges(whole.size), level)


def pips(frequency: float, level: float, every: Seconds, count: int, pip: Seconds = PIP) -> Floats:
    """A row of short tones, each as long as `pip`."""
    one = tone(frequency, pip, level)
    row = np.zeros(_frames((count - 1) * every) + one.size)
    for at in range(int(count)):
        first = _frames(at * every)
        row[first : first + one.size] += one
    return row


def onsets(low: float, high: float, lead: Seconds, low_seconds: Seconds, high_seconds: Seconds, level: float) -> Floats:
    """A low and a high tone; the low one begins first by `lead`, or the high one where that is negative."""
    both = [tone(low, low_seconds, level), tone(high, high_seconds, level)]
    first = [_frames(max(0.0, -lead)), _frames(max(0.0, lead))]
    whole = np.zeros(max(at + part.size for at, part in zip(first, both, strict=True)))
    for at, part in zip(first, both, strict=True):
        whole[at : at + part.size] += part
    return whole


def overtones(frequency: float, seconds: Seconds, level: float, slope: float) -> Floats:
    """A tone with all its overtones to 7 kHz, each weaker than the one before by `slope` decibels an octave."""
    numbers = np.arange(1, int(HIGHEST / frequency) + 1)
    phases = np.pi * numbers * numbers / numbers.size  # spread over the period, so that the peaks do not pile up
    return _levelled(_harmonics(frequency, numbers, slope, phases, _time(seconds)), level)


def brightness(frequency: float, seconds: Seconds, level: float, slope: float, seed: str) -> Floats:
    """The overtones of a tone between 1.4 and 4.6 kHz, each weaker than the one before by `slope` decibels an octave.

    A slope up and one down have the same peaks, as their phases are random, and the same A-weighted level, as both halves of
    the band have the same weight.
    """
    numbers = np.arange(math.ceil(BAND[0] / frequency), int(BAND[1] / frequency) + 1)
    phases = 2 * np.pi * dice("phases", seed).random_sample(numbers.size)
    return _levelled(_harmonics(frequency, numbers, slope, phases, _time(seconds)), level)


def glide(frequency: float, seconds: Seconds, level: float, semitones: float) -> Floats:
    """A tone whose pitch moves evenly by so many semitones, up or down, with `frequency` in the middle."""
    first, last = (round(frequency * 2.0 ** (sign * semitones / 24), 6) for sign in (-1, 1))
    time = _time(seconds)
    turns = first * time + (last - first) / (2 * seconds) * time * time
    return np.asarray(_gain(level) * np.sin(2 * np.pi * turns) * _edges(time.size))


def room(bursts: int, burst: Seconds, level: float, ratio: float, seed: str, tilt: float = 0.0) -> Floats:
    """Bursts of noise in a room: direct sound and reverberation with a ratio of powers in decibels.

    The reverberation loses 60 dB in `DECAY`. Whatever the ratio, the whole has the level. Long bursts of noise, because their peaks
    hardly change with the ratio, as those of clicks and short tones do.
    """
    dry = np.zeros(_frames(bursts * (burst + PAUSE) - PAUSE + DECAY))
    for at in range(bursts):
        for part in range(4):  # together they are as close to the normal distribution as what the room makes of them
            hiss = _tilted(noise(burst, -6.0, f"{seed}:{at}:{part}"), tilt)
            dry[_frames((burst + PAUSE) * at) :][: hiss.size] += hiss
    wet = convolved(dry, tail(DECAY, RATE, dice("room", seed)))
    wet *= np.sqrt(np.sum(dry**2) / np.sum(wet**2) / 10 ** (ratio / 10))
    return _levelled(dry + wet, level)


def sides(frequency: float, seconds: Seconds, level: float, difference: float) -> Floats:
    """A tone with overtones on two channels, louder on the right by so many decibels, or on the left where negative."""
    centre = overtones(frequency, seconds, level, 6.0)
    return np.stack([centre * _gain(-difference / 2), centre * _gain(difference / 2)])


def _surround(
    sound: Floats, before: Seconds = 0.0, after: Seconds = 0.0, floor: float | None = None, floor_seed: str = ""
) -> Floats:
    """A sound of shape (channels, frames) with silence around it and noise under all of it."""
    if before or after:
        sound = np.pad(sound, ((0, 0), (_frames(before), _frames(after))))
    return sound if floor is None else sound + _hiss(sound.shape[1], floor, f"floor:{floor_seed}")


def _harmonics(frequency: float, numbers: npt.NDArray[np.int_], slope: float, phases: Floats, time: Floats) -> Floats:
    whole = np.zeros(time.size)
    for number, phase in zip(numbers, phases, strict=True):
        whole += _gain(-slope * float(np.log2(number))) * np.sin(2 * np.pi * frequency * number * time + phase)
    return np.asarray(whole * _edges(time.size))


def _hiss(frames: int, level: float, seed: str) -> Floats:
    return np.asarray(hiss(dice("hiss", seed), frames) * (_gain(level) / np.sqrt(2.0)))


def _tilted(hiss: Floats, tilt: float) -> Floats:
    """White noise with more power below 4 kHz than above, or less where `tilt` is negative; as much in all, and at 4 kHz."""
    return (hiss + tilt * np.roll(hiss, 1)) / np.sqrt(1 + tilt * tilt) if tilt else hiss


def _low_pass(hertz: Hertz) -> Floats:
    """A filter of `TAPS` taps without delay: a sinc under a Hamming window."""
    at = np.arange(TAPS) - TAPS // 2
    return np.asarray(2 * hertz / RATE * np.sinc(2 * hertz / RATE * at) * np.hamming(TAPS))


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
    maker.__name__: maker
    for maker in (silence, tone, noise, hidden, pips, onsets, overtones, brightness, glide, room, sides)
}
PARAMETERS: Final = {name: signature(maker).parameters.values() for name, maker in MAKERS.items()}
TAKEN: Final = {name: {one.name for one in taken} for name, taken in PARAMETERS.items()}
NEEDED: Final = {name: {one.name for one in taken if one.default is one.empty} for name, taken in PARAMETERS.items()}
AROUND: Final = tuple(signature(_surround).parameters)[1:]
