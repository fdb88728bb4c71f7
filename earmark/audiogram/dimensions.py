"""Dimensions of an audiogram: their levels, and the thresholds of people.

A trial has two sounds, A and B, and one of them has more of something. Sounds and questions are those of the benchmark
`acoustics`, at any level instead of six, plus soft tones at the six frequencies of a clinical audiogram.

Levels are steps of a quarter of an octave of the difference (four steps double it), or of 1.5 dB if the scale is in
decibels: nearly the same in amplitude. The highest level is the easiest.

Both sounds of a tone trial hold faint noise at -80 dB, and one of them a tone. Digital silence would not do: no
recording holds it, models may take it for missing audio, and processors that normalize each clip would amplify it. The
noise also carries tones below the last bit of 16. So the scale is dB full scale, not sound pressure level, and the
human threshold is that of a tone in this noise, played loud enough to hear the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from earmark.audio.discrimination import FIRST_OR_SECOND, NOTHING, TASKS, TrialParams
from earmark.types import Hertz, Seconds, SynthSpec, replace

Clips: TypeAlias = tuple[SynthSpec, ...]

PER_OCTAVE: Final = 4  # steps that double a difference
STEP_DB: Final = 1.5  # decibels of a step: nearly a quarter of an octave in amplitude
FLOOR: Final = -80.0  # decibels, level of the noise of a tone trial
SECONDS: Final[Seconds] = 0.6  # its duration
BAND: Final[Hertz] = 8000  # its bandwidth
FREQUENCIES: Final[tuple[Hertz, ...]] = (250, 500, 1000, 2000, 4000, 6000)
CRITICAL_RATIOS: Final = {250: 16.5, 500: 17.0, 1000: 18.0, 2000: 20.0, 4000: 23.0, 6000: 25.5}
# ^ decibels, ratio of a just audible tone to the noise in one hertz around it
CRITICAL_RATIO_1500: Final = 19.0  # the same at 1.5 kHz, near the tone of `noise`
MASKER_BAND: Final[Hertz] = 3100  # bandwidth of the noise there


class HumanThreshold(NamedTuple):
    """Threshold of trained listeners, its source, and how the measurement differs from ours."""

    threshold: float
    source: str
    differs: str


class Dimension(Struct, frozen=True):
    """A property of sound whose threshold is measured."""

    name: str
    question: str
    unit: str
    easiest: float  # in the unit
    hardest: float
    decibels: bool  # scale in decibels that may be negative; otherwise a scale of ratios
    make: Callable[[TrialParams], Clips]
    reference_value: float  # the value at which the two sounds are equal
    human: HumanThreshold | None

    @property
    def top(self) -> int:
        """Number of the easiest level; 0 is the hardest."""
        return round(self._steps_below_easiest(self.hardest))

    def value(self, level: float) -> float:
        """Convert a level to its unit, rounded to four digits.

        >>> pitch = find_dimension("pitch")
        >>> pitch.value(pitch.top), pitch.value(pitch.top - 4)
        (12.0, 6.0)
        """
        steps = self.top - level
        exact = self.easiest - steps * STEP_DB if self.decibels else self.easiest / 2 ** (steps / PER_OCTAVE)
        return float(f"{exact:.4g}")

    def level(self, value: float) -> float:
        """Convert a value to its level, with fractions.

        >>> round(find_dimension("noise").level(-21.0), 3)
        9.0
        """
        return self.top - self._steps_below_easiest(value)

    def _steps_below_easiest(self, value: float) -> float:
        return (self.easiest - value) / STEP_DB if self.decibels else math.log2(self.easiest / value) * PER_OCTAVE

    def format_value(self, value: float) -> str:
        """Format a value with its unit.

        >>> find_dimension("pitch").format_value(0.5249)
        '0.525 semitones'
        """
        return f"{value:.3g} {self.unit}" if not self.decibels else f"{value:.1f} {self.unit}"


def _tone(frequency: Hertz) -> Callable[[TrialParams], Clips]:
    """Return a function that makes a soft tone in one of two faint noises; `step` is its level in decibels."""

    def make(params: TrialParams) -> Clips:
        floors = [
            SynthSpec("noise", {"seconds": SECONDS, "level": FLOOR, "seed": f"{params.seed}:{side}"}) for side in "mn"
        ]
        whole = 10 * math.log10(10 ** (FLOOR / 10) + 10 ** (params.step / 10))
        tone = {"frequency": float(frequency), "ratio": round(params.step - FLOOR, 4), "level": round(whole, 4)}
        with_tone = replace(floors[0], generator="tone_in_noise", settings=floors[0].settings | tone)
        return params.in_answer_order(with_tone, floors[1])

    return make


def _tone_threshold(frequency: Hertz) -> HumanThreshold:
    return HumanThreshold(
        round(FLOOR - 10 * math.log10(BAND) + CRITICAL_RATIOS[frequency], 1),
        "Hawkins and Stevens 1950",
        "a tone in white noise by its critical ratio, longer tones; rounded",
    )


def _from_acoustics_task(
    task: str, unit: str, ends: tuple[float, float], human: HumanThreshold | None, *, decibels: bool = False
) -> Dimension:
    """Create the dimension of a task of acoustics."""
    equal = NOTHING if decibels else 0.0
    return Dimension(task, TASKS[task].question, unit, *ends, decibels, TASKS[task].make, equal, human)


HUMAN: Final[dict[str, HumanThreshold | None]] = {
    "pitch": HumanThreshold(
        0.04,
        "Wier, Jesteadt and Green 1977",
        "trained listeners, 400 Hz, and about the same share of the frequency at 2 kHz; people without training about "
        "six times as much (Micheyl et al. 2006)",
    ),
    "loudness": HumanThreshold(
        1.0, "Jesteadt, Wier and Green 1977", "tones of 1 kHz at 40 dB above threshold; half as much at 80 dB"
    ),
    "duration": HumanThreshold(
        9.0, "Abel 1972", "15 ms of 100 ms and 60 ms of 1 s, read off between them at 400 ms; noise, not tones"
    ),
    "gap": HumanThreshold(
        2.5, "Plomp 1964", "2 to 3 ms, wideband noise; Snell and Hu 1995 have 2.0 ms for noise to 6 kHz"
    ),
    "tempo": HumanThreshold(3.0, "Drake and Botte 1993", "rows of four to six intervals, all tempi; 1.5 % at best"),
    "timbre": None,
    "noise": HumanThreshold(
        round(CRITICAL_RATIO_1500 - 10 * math.log10(MASKER_BAND), 1),
        "Hawkins and Stevens 1950",
        "a tone of 1.5 kHz in noise to 3.1 kHz by its critical ratio of 19 dB, longer tones",
    ),
    "distance": HumanThreshold(
        2.5, "Larsen et al. 2008", "2 to 3 dB around 0 dB, noise bursts; older work has 5 to 6 dB"
    ),
}

DIMENSIONS: Final[tuple[Dimension, ...]] = (
    _from_acoustics_task("pitch", "semitones", (12.0, 0.01), HUMAN["pitch"]),
    _from_acoustics_task("loudness", "dB", (24.0, 0.1), HUMAN["loudness"]),
    _from_acoustics_task("duration", "%", (150.0, 0.5), HUMAN["duration"]),
    _from_acoustics_task("gap", "ms", (100.0, 0.5), HUMAN["gap"]),
    _from_acoustics_task("tempo", "%", (100.0, 0.5), HUMAN["tempo"]),
    _from_acoustics_task("timbre", "dB an octave", (12.0, 0.1), HUMAN["timbre"]),
    _from_acoustics_task("distance", "dB direct to reverberant", (24.0, 0.5), HUMAN["distance"]),
    _from_acoustics_task("noise", "dB SNR", (6.0, -34.5), HUMAN["noise"], decibels=True),
    *(
        Dimension(
            f"tone-{frequency}",
            "You hear two recordings. A tone is in one of them, the other has only faint noise. In which one is the "
            "tone?",
            "dBFS",
            -20.0,
            -110.0,
            True,
            _tone(frequency),
            NOTHING - 20,
            _tone_threshold(frequency),
        )
        for frequency in FREQUENCIES
    ),
)
TONES: Final = {f"tone-{frequency}": frequency for frequency in FREQUENCIES}
DEFAULT_DIMENSIONS: Final = tuple(dimension.name for dimension in DIMENSIONS if dimension.name != "distance")
CHOICES: Final = FIRST_OR_SECOND


def find_dimension(name: str) -> Dimension:
    """Return the dimension of a name."""
    return next(dimension for dimension in DIMENSIONS if dimension.name == name)
