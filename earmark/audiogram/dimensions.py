"""What an audiogram measures: the dimensions, their levels and what people hear.

A trial has two sounds, A and B, and one of them has more of something. Sounds and questions are those of the benchmark
`acoustics`, at any level instead of six; and the softest tones at six frequencies, which is what an audiogram of people has.

Levels are steps of a quarter of an octave of the difference (four steps double it), or of 1.5 dB where the scale is one of
decibels: as much in amplitude. The highest is the easiest.

A soft tone is asked for beside a floor: both sounds hold the same faint noise, at -80 dB, one of them a tone as well. Not beside
digital silence, which no recording holds, which models may take for no sound, and which processors that scale each clip
to its own level would blow up. The floor is also what carries tones below the last bit of 16. So the scale is decibels of
full scale, not of sound pressure, and the human threshold is that of a tone in this noise, played loud enough to hear the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from earmark.benchmarks.acoustics import EITHER, NOTHING, TASKS, Throw
from earmark.types import Hertz, Recipe, Seconds, replace

Clips: TypeAlias = tuple[Recipe, ...]

PER_OCTAVE: Final = 4  # steps that double a difference
DECIBELS: Final = 1.5  # of a step, where a scale is one of decibels: a quarter of an octave in amplitude, nearly
FLOOR: Final = -80.0  # decibels, of the noise beside which a soft tone is asked for
SECONDS: Final[Seconds] = 0.6  # of that
BAND: Final[Hertz] = 8000  # that the noise fills
FREQUENCIES: Final[tuple[Hertz, ...]] = (250, 500, 1000, 2000, 4000, 6000)
CRITICAL_RATIOS: Final = {250: 16.5, 500: 17.0, 1000: 18.0, 2000: 20.0, 4000: 23.0, 6000: 25.5}
# ^ decibels, of a tone that is just heard to the noise in one hertz around it
MASKED: Final = 19.0  # the same at 1.5 kHz, about where a tone is hidden in `noise`
MASKING: Final[Hertz] = 3100  # that the noise fills there


class Human(NamedTuple):
    """What people hear: a threshold of good listeners, who measured it, and how it differs from ours."""

    threshold: float
    source: str
    differs: str


class Dimension(Struct, frozen=True):
    """One thing that is measured."""

    name: str
    question: str
    unit: str
    easiest: float  # in the unit
    hardest: float
    decibels: bool  # whether the scale is one of decibels that may go below 0, else it is one of ratios
    make: Callable[[Throw], Clips]
    nothing: float  # the step at which the two sounds do not differ
    human: Human | None

    @property
    def top(self) -> int:
        """The number of the easiest level; 0 is the hardest."""
        return round(self._below(self.hardest))

    def value(self, level: float) -> float:
        """What a level is in the unit, short enough to be written alike everywhere.

        >>> by_name("pitch").value(by_name("pitch").top), by_name("pitch").value(by_name("pitch").top - 4)
        (12.0, 6.0)
        """
        below = self.top - level
        exact = self.easiest - below * DECIBELS if self.decibels else self.easiest / 2 ** (below / PER_OCTAVE)
        return float(f"{exact:.4g}")

    def level(self, value: float) -> float:
        """Which level a value is, with parts of a step.

        >>> round(by_name("noise").level(-21.0), 3)
        9.0
        """
        return self.top - self._below(value)

    def _below(self, value: float) -> float:
        """How many steps a value lies below the easiest."""
        return (self.easiest - value) / DECIBELS if self.decibels else math.log2(self.easiest / value) * PER_OCTAVE

    def told(self, value: float) -> str:
        """A value with its unit.

        >>> by_name("pitch").told(0.5249)
        '0.525 semitones'
        """
        return f"{value:.3g} {self.unit}" if not self.decibels else f"{value:.1f} {self.unit}"


def _tone(frequency: Hertz) -> Callable[[Throw], Clips]:
    """A soft tone in one of two faint noises; `step` is its level in decibels."""

    def make(throw: Throw) -> Clips:
        floors = [
            Recipe("noise", {"seconds": SECONDS, "level": FLOOR, "seed": f"{throw.seed}:{side}"}) for side in "mn"
        ]
        whole = 10 * math.log10(10 ** (FLOOR / 10) + 10 ** (throw.step / 10))
        tone = {"frequency": float(frequency), "ratio": round(throw.step - FLOOR, 4), "level": round(whole, 4)}
        heard = replace(floors[0], maker="hidden", settings=floors[0].settings | tone)
        return throw.either(heard, floors[1])

    return make


def _masked(frequency: Hertz) -> Human:
    return Human(
        round(FLOOR - 10 * math.log10(BAND) + CRITICAL_RATIOS[frequency], 1),
        "Hawkins and Stevens 1950",
        "a tone in white noise by its critical ratio, longer tones; rounded",
    )


def _asked(
    task: str, unit: str, ends: tuple[float, float], human: Human | None, *, decibels: bool = False
) -> Dimension:
    """A task of acoustics, at any level."""
    nothing = NOTHING if decibels else 0.0
    return Dimension(task, TASKS[task].question, unit, *ends, decibels, TASKS[task].make, nothing, human)


HUMAN: Final[dict[str, Human | None]] = {
    "pitch": Human(
        0.04,
        "Wier, Jesteadt and Green 1977",
        "trained listeners, 400 Hz, and about the same share of the frequency at 2 kHz; people without training about six times as much (Micheyl et al. 2006)",
    ),
    "loudness": Human(
        1.0, "Jesteadt, Wier and Green 1977", "tones of 1 kHz at 40 dB above threshold; half as much at 80 dB"
    ),
    "duration": Human(
        9.0, "Abel 1972", "15 ms of 100 ms and 60 ms of 1 s, read off between them at 400 ms; noise, not tones"
    ),
    "gap": Human(2.5, "Plomp 1964", "2 to 3 ms, wideband noise; Snell and Hu 1995 have 2.0 ms for noise to 6 kHz"),
    "tempo": Human(3.0, "Drake and Botte 1993", "rows of four to six intervals, all tempi; 1.5 % at best"),
    "timbre": None,
    "noise": Human(
        round(MASKED - 10 * math.log10(MASKING), 1),
        "Hawkins and Stevens 1950",
        "a tone of 1.5 kHz in noise to 3.1 kHz by its critical ratio of 19 dB, longer tones",
    ),
    "distance": Human(2.5, "Larsen et al. 2008", "2 to 3 dB around 0 dB, noise bursts; older work has 5 to 6 dB"),
}

DIMENSIONS: Final[tuple[Dimension, ...]] = (
    _asked("pitch", "semitones", (12.0, 0.01), HUMAN["pitch"]),
    _asked("loudness", "dB", (24.0, 0.1), HUMAN["loudness"]),
    _asked("duration", "%", (150.0, 0.5), HUMAN["duration"]),
    _asked("gap", "ms", (100.0, 0.5), HUMAN["gap"]),
    _asked("tempo", "%", (100.0, 0.5), HUMAN["tempo"]),
    _asked("timbre", "dB an octave", (12.0, 0.1), HUMAN["timbre"]),
    _asked("distance", "dB direct to reverberant", (24.0, 0.5), HUMAN["distance"]),
    _asked("noise", "dB SNR", (6.0, -34.5), HUMAN["noise"], decibels=True),
    *(
        Dimension(
            f"tone-{frequency}",
            "You hear two recordings. A tone is in one of them, the other has only faint noise. In which one is the tone?",
            "dBFS",
            -20.0,
            -110.0,
            True,
            _tone(frequency),
            NOTHING - 20,
            _masked(frequency),
        )
        for frequency in FREQUENCIES
    ),
)
TONES: Final = {f"tone-{frequency}": frequency for frequency in FREQUENCIES}
USUAL: Final = tuple(one.name for one in DIMENSIONS if one.name != "distance")
CHOICES: Final = EITHER


def by_name(name: str) -> Dimension:
    """A dimension that there is."""
    return next(one for one in DIMENSIONS if one.name == name)
