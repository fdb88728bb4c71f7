"""Sound that is computed: the same recipe gives the same samples on every machine.

A maker is a function of this file whose arguments are a recipe's settings: frequencies in hertz, durations in seconds,
levels in decibels relative to a full-scale sine (of a sound that is no sine: one of the same power). Any recipe may
also have silence `before` and `after` its sound, in seconds, and white noise under all of it: its level `floor` and its
`floor_seed`. Everything is made at 16 kHz and put on the grid of 16-bit samples: what is sent is what was made.
Processors differ in the last of the 53 bits of a sine; the grid is coarse beside that, and lies so that no round number
falls between two of its steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from earmark.audio.random import seeded_rng, white_noise
from earmark.audio.room import convolve, reverb_tail
from earmark.data.clips import source_digest
from earmark.errors import AudioError, alternatives
from earmark.types import Hertz, Samples, Seconds, SynthSpec, Waveform

Floats: TypeAlias = npt.NDArray[np.float64]

RATE: Final[Hertz] = 16000
RAMP: Final[Seconds] = 0.01  # raised-cosine onset and offset, so that an edge does not click
SHARP_RAMP: Final[Seconds] = 0.0005  # the edges of a gap in noise, where nobody hears a click
BEEP_SECONDS: Final[Seconds] = 0.03  # how long a short tone of a row lasts
PAUSE: Final[Seconds] = 0.3  # between two bursts of noise in a room
TAPS: Final = 129  # of a low-pass filter
DECAY: Final[Seconds] = 0.6  # in which the reverberation of the room loses 60 dB
BAND: Final = (1400.0, 4600.0)  # hertz, whose lower and upper half have the same A-weight, about
ACCENT: Final[Seconds] = 0.02  # in which a tone falls from its accent to its level
HIGHEST: Final = 7000.0  # hertz, of an overtone
STEPS: Final = 32768  # of the grid, from zero to full scale
ONSET_LEVEL: Final = 2.0**-12  # of a step, by which the grid is moved: exactly half a step rounds alike everywhere


def synthesize(spec: SynthSpec) -> Waveform:
    """The sound of a recipe. Raises AudioError where its settings make none, or one beyond full scale.

    >>> synthesize(SynthSpec("tone", {"frequency": 440, "seconds": 0.5, "level": -20})).seconds
    0.5
    """
    name = spec.name or spec.generator
    if spec.generator not in GENERATORS:
        raise AudioError(f"{name}: no maker is called '{spec.generator}'{alternatives(spec.generator, GENERATORS)}")
    around: dict[str, Any] = {key: value for key, value in spec.settings.items() if key in AROUND}
    own = {key: value for key, value in spec.settings.items() if key not in AROUND}
    if not NEEDED[spec.generator] <= own.keys() <= TAKEN[spec.generator]:
        takes = ", ".join(parameter.name for parameter in PARAMETERS[spec.generator])
        given = ", ".join(own) or "none"
        raise AudioError(f"{name}: {spec.generator} cannot be made of these settings: found {given}, it takes {takes}")
    made = _surround(np.atleast_2d(GENERATORS[spec.generator](**own)), **around)
    if not made.shape[1]:
        raise AudioError(f"{name}: {spec.generator} with these settings lasts no time at all")
    loudest = float(np.max(np.abs(made)))
    if not loudest <= 1.0:
        raise AudioError(f"{name}: {spec.generator} with these settings reaches {loudest:.3g}, full scale is 1")
    return Waveform(on_grid(made), RATE, name, spec.transcript, source_digest(spec))


def on_grid(samples: Floats) -> Samples:
    """The nearest samples of 16 bits, as floats."""
    steps = np.rint(samples * STEPS + ONSET_LEVEL)
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

    So neither energy nor peak tells how long it lasts. The ramps, the fall from the accent and the rest add up to x^2
    (seconds - 1.625 r - 2/3 f) + x peak f / 3 + peak^2 (3/8 r + f / 3), for ramps of r, a fall of f and the level x.
    """
    square = seconds - 1.625 * RAMP - ACCENT * 2 / 3
    linear, rest = peak * ACCENT / 3, peak**2 * (0.375 * RAMP + ACCENT / 3) - energy
    level = (-linear + math.sqrt(linear**2 - 4 * square * rest)) / (2 * square)
    return round(20 * math.log10(level), 3)


def noise(seconds: Seconds, level: float, seed: str, gap: Seconds = 0.0, position: float = 0.5) -> Floats:
    """White noise; a gap of silence, if any, has its middle at that share of the whole."""
    noise_samples = _noise(_frames(seconds), level, seed) * _edges(_frames(seconds))
    if gap:
        width, sharp = _frames(gap), _frames(SHARP_RAMP)
        first = round(position * noise_samples.size) - width // 2
        noise_samples[first : first + width] = 0.0
        noise_samples[first - sharp : first] *= np.linspace(1, 0, sharp, endpoint=False)
        noise_samples[first + width : first + width + sharp] *= np.linspace(0, 1, sharp, endpoint=False)
    return noise_samples


def tone_in_noise(
    frequency: float, seconds: Seconds, level: float, ratio: float, seed: str, below: Hertz = 0
) -> Floats:
    """A tone in white noise, or in noise below a frequency; its power so many decibels beside the noise's, both have
    the level.
    """
    noise_samples = _noise(_frames(seconds), 0.0, seed)
    if below:
        noise_samples = _set_level(np.convolve(noise_samples, _low_pass(below), "same"), 0.0)
    whole = noise_samples + tone(frequency, seconds, ratio)
    return _set_level(whole * _edges(whole.size), level)


def beep_train(frequency: float, level: float, every: Seconds, count: int, pip: Seconds = BEEP_SECONDS) -> Floats:
    """A row of short tones, each as long as `pip`."""
    beep = tone(frequency, pip, level)
    row = np.zeros(_frames((count - 1) * every) + beep.size)
    for index in range(int(count)):
        first = _frames(index * every)
        row[first : first + beep.size] += beep
    return row


def onset_asynchrony(
    low: float, high: float, lead: Seconds, low_seconds: Seconds, high_seconds: Seconds, level: float
) -> Floats:
    """A low and a high tone; the low one begins first by `lead`, or the high one where that is negative."""
    both = [tone(low, low_seconds, level), tone(high, high_seconds, level)]
    first = [_frames(max(0.0, -lead)), _frames(max(0.0, lead))]
    whole = np.zeros(max(start + part.size for start, part in zip(first, both, strict=True)))
    for start, part in zip(first, both, strict=True):
        whole[start : start + part.size] += part
    return whole


def harmonic_tone(frequency: float, seconds: Seconds, level: float, slope: float) -> Floats:
    """A tone with all its overtones to 7 kHz, each weaker than the one before by `slope` decibels an octave."""
    numbers = np.arange(1, int(HIGHEST / frequency) + 1)
    phases = np.pi * numbers * numbers / numbers.size  # spread over the period, so that the peaks do not pile up
    return _set_level(_harmonics(frequency, numbers, slope, phases, _time(seconds)), level)


def brightness(frequency: float, seconds: Seconds, level: float, slope: float, seed: str) -> Floats:
    """The overtones of a tone between 1.4 and 4.6 kHz, each weaker than the one before by `slope` decibels an octave.

    A slope up and one down have the same peaks, as their phases are random, and the same A-weighted level, as both
    halves of the band have the same weight.
    """
    numbers = np.arange(math.ceil(BAND[0] / frequency), int(BAND[1] / frequency) + 1)
    phases = 2 * np.pi * seeded_rng("phases", seed).random_sample(numbers.size)
    return _set_level(_harmonics(frequency, numbers, slope, phases, _time(seconds)), level)


def chirp(frequency: float, seconds: Seconds, level: float, semitones: float) -> Floats:
    """A tone whose pitch moves evenly by so many semitones, up or down, with `frequency` in the middle."""
    first, last = (round(frequency * 2.0 ** (sign * semitones / 24), 6) for sign in (-1, 1))
    time = _time(seconds)
    turns = first * time + (last - first) / (2 * seconds) * time * time
    return np.asarray(_gain(level) * np.sin(2 * np.pi * turns) * _edges(time.size))


def beeps_in_room(bursts: int, burst: Seconds, level: float, ratio: float, seed: str, tilt: float = 0.0) -> Floats:
    """Bursts of noise in a room: direct sound and reverberation with a ratio of powers in decibels.

    The reverberation loses 60 dB in `DECAY`. Whatever the ratio, the whole has the level. Long bursts of noise, because
    their peaks hardly change with the ratio, as those of clicks and short tones do.
    """
    dry = np.zeros(_frames(bursts * (burst + PAUSE) - PAUSE + DECAY))
    for index in range(bursts):
        for part in range(4):  # together they are as close to the normal distribution as what the room makes of them
            noise_samples = _tilt(noise(burst, -6.0, f"{seed}:{index}:{part}"), tilt)
            dry[_frames((burst + PAUSE) * index) :][: noise_samples.size] += noise_samples
    wet = convolve(dry, reverb_tail(DECAY, RATE, seeded_rng("room", seed)))
    wet *= np.sqrt(np.sum(dry**2) / np.sum(wet**2) / 10 ** (ratio / 10))
    return _set_level(dry + wet, level)


def level_difference(frequency: float, seconds: Seconds, level: float, difference: float) -> Floats:
    """A tone with overtones on two channels, louder on the right by so many decibels, or on the left where negative."""
    centre = harmonic_tone(frequency, seconds, level, 6.0)
    return np.stack([centre * _gain(-difference / 2), centre * _gain(difference / 2)])


def _surround(
    sound: Floats, before: Seconds = 0.0, after: Seconds = 0.0, floor: float | None = None, floor_seed: str = ""
) -> Floats:
    """A sound of shape (channels, frames) with silence around it and noise under all of it."""
    if before or after:
        sound = np.pad(sound, ((0, 0), (_frames(before), _frames(after))))
    return sound if floor is None else sound + _noise(sound.shape[1], floor, f"floor:{floor_seed}")


def _harmonics(frequency: float, numbers: npt.NDArray[np.int_], slope: float, phases: Floats, time: Floats) -> Floats:
    whole = np.zeros(time.size)
    for number, phase in zip(numbers, phases, strict=True):
        whole += _gain(-slope * float(np.log2(number))) * np.sin(2 * np.pi * frequency * number * time + phase)
    return np.asarray(whole * _edges(time.size))


def _noise(frames: int, level: float, seed: str) -> Floats:
    return np.asarray(white_noise(seeded_rng("hiss", seed), frames) * (_gain(level) / np.sqrt(2.0)))


def _tilt(noise_samples: Floats, tilt: float) -> Floats:
    """White noise with more power below 4 kHz than above, or less where `tilt` is negative; as much in all, and at 4
    kHz.
    """
    return (noise_samples + tilt * np.roll(noise_samples, 1)) / np.sqrt(1 + tilt * tilt) if tilt else noise_samples


def _low_pass(hertz: Hertz) -> Floats:
    """A filter of `TAPS` taps without delay: a sinc under a Hamming window."""
    taps = np.arange(TAPS) - TAPS // 2
    return np.asarray(2 * hertz / RATE * np.sinc(2 * hertz / RATE * taps) * np.hamming(TAPS))


def _set_level(samples: Floats, level: float) -> Floats:
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


GENERATORS: Final[dict[str, Callable[..., Floats]]] = {
    maker.__name__: maker
    for maker in (
        silence,
        tone,
        noise,
        tone_in_noise,
        beep_train,
        onset_asynchrony,
        harmonic_tone,
        brightness,
        chirp,
        beeps_in_room,
        level_difference,
    )
}
PARAMETERS: Final = {name: signature(maker).parameters.values() for name, maker in GENERATORS.items()}
TAKEN: Final = {name: {parameter.name for parameter in taken} for name, taken in PARAMETERS.items()}
NEEDED: Final = {
    name: {parameter.name for parameter in taken if parameter.default is parameter.empty}
    for name, taken in PARAMETERS.items()
}
AROUND: Final = tuple(signature(_surround).parameters)[1:]
