"""Two-interval listening tasks: questions, levels and their synthesized clips."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, TypeAlias

from earmark.audio.synth import RAMP, steady_level
from earmark.text.choices import format_choices
from earmark.types import Item, Prompt, Seconds, SynthSpec, Turn, replace

LEVELS: Final = ("easy", "fair", "moderate", "hard", "threshold", "impossible")

PROPERTIES: Final = {"loudness": "level", "noise": "tone in noise"}  # of the other tasks: their name
SPLITS: Final = ("train", "eval")

FIRST_OR_SECOND: Final = ("the first", "the second")

NOTHING: Final = -100.0  # decibels, of a tone that is not there: beside any of our noises it is below the last bit

SPACING: Final = ((5, 0.4), (9, 0.25), (15, 0.16), (24, 0.1), (99, 0.07))  # seconds between beeps, for up to so many

Clips: TypeAlias = tuple[SynthSpec, ...]

Numbers: TypeAlias = dict[str, float | int | str]  # a recipe's settings


class TrialParams(NamedTuple):
    """Random parameters of one trial."""

    rng: Random
    step: float  # of the level
    right: str  # A or B
    seed: str  # for noise

    def uniform(self, low: float, high: float, digits: int = 2) -> float:
        """A number in between, short enough to be written alike everywhere."""
        return round(self.rng.uniform(low, high), digits)

    def level(self) -> float:
        """The level of a sound whose level tells nothing."""
        return self.uniform(-28, -16)

    def length(self) -> Seconds:
        """The length of a sound whose length tells nothing."""
        return self.uniform(0.4, 0.7, 3)

    def tilt(self) -> float:
        """The tilt of a noise whose spectrum tells nothing."""
        return self.uniform(-0.16, 0.16)

    def under(self, side: str, low: float = -75, high: float = -55) -> Numbers:
        """Faint noise of any level under a sound, so that its bytes as a lossless file tell its level and length no
        more.
        """
        return {"floor": self.uniform(low, high), "floor_seed": f"{self.seed}:{side}"}

    def in_answer_order(self, more: SynthSpec, less: SynthSpec) -> Clips:
        """Two sounds, the one with more of it where the answer is."""
        return (more, less) if self.right == "A" else (less, more)


class Task(NamedTuple):
    """Question of a task, and the generator of its clips."""

    question: str
    choices: tuple[str, ...]  # none: the number of beeps in the clip, and its neighbour
    difference: str  # how a step is written
    steps: tuple[float, ...]  # the difference at each level
    make: Callable[[TrialParams], Clips]


def _pitch(params: TrialParams) -> Clips:
    middle = params.uniform(2050, 2400)  # where the ear, and an A-weighted meter, is as good on either side
    both = [
        _tone(middle * 2 ** (sign * params.step / 24), params.length(), params.level(), params.under(side))
        for sign, side in ((1, "m"), (-1, "n"))
    ]
    return params.in_answer_order(both[0], both[1])


def _loudness(params: TrialParams) -> Clips:
    frequency, loud = params.uniform(1500, 3000), params.uniform(-16, -8)
    both = [
        _tone(frequency * params.uniform(0.94, 1.06, 4), params.length(), level, params.under(side, -68, -50))
        for level, side in ((loud, "m"), (loud - params.step, "n"))
    ]
    return params.in_answer_order(both[0], both[1])


def _duration(params: TrialParams) -> Clips:
    frequency, short = params.uniform(400, 1200), params.uniform(0.3, 0.5)
    both = []
    for lasting, side in ((short * (1 + params.step / 100), "m"), (short, "n")):
        energy, peak, whole = params.uniform(-25, -21), params.uniform(-13, -9), params.uniform(1.5, 2.1)
        level = steady_level(10 ** (energy / 10), 10 ** (peak / 20), lasting)
        row = _tone(frequency * params.uniform(0.97, 1.03, 4), lasting, level, params.under(side))
        before = params.uniform(0.05, 0.2)
        both.append(_with(row, accent=round(peak - level, 3), **_around(before, lasting, whole)))
    return params.in_answer_order(both[0], both[1])


def _gap(params: TrialParams) -> Clips:
    both = []
    for gap, side in ((params.step / 1000, "m"), (0.0, "n")):
        sounding, before, whole = params.uniform(0.4, 0.9), params.uniform(0.05, 0.15), params.uniform(1.2, 1.4)
        row = _noise(params, params.level(), side, sounding + gap)
        both.append(_with(row, gap=gap, position=params.uniform(0.3, 0.7), **_around(before, sounding + gap, whole)))
    return params.in_answer_order(both[0], both[1])


def _tempo(params: TrialParams) -> Clips:
    slow = params.uniform(0.4, 0.5, 4)
    rows = []
    for every in (slow / (1 + params.step / 100), slow):
        start, count, whole = params.uniform(0, 0.3), params.rng.randrange(4, 7), params.uniform(3.0, 3.4)
        rows.append(_pips(params, every, count, params.uniform(0.03, 0.1, 3), (start, whole)))
    return params.in_answer_order(rows[0], rows[1])


def _order(params: TrialParams) -> Clips:
    lead = params.step / 1000 * (1 if params.right == "A" else -1)
    settings: Numbers = {
        "low": params.uniform(300, 450),
        "high": params.uniform(1200, 1800),
        "low_seconds": params.length(),
        "high_seconds": params.length(),
        "level": params.level(),
    }
    return (SynthSpec("onset_asynchrony", {"lead": lead, **settings}),)


def _timbre(params: TrialParams) -> Clips:
    frequency, middle = params.uniform(180, 300), params.uniform(-1, 1)
    bright, dull = (
        SynthSpec(
            "brightness",
            {
                "frequency": frequency,
                "seconds": params.length(),
                "level": params.level(),
                "slope": round(middle + sign * params.step / 2, 3),
                "seed": f"{params.seed}:{side}",
            },
        )
        for sign, side in ((-1, "m"), (1, "n"))
    )
    return params.in_answer_order(bright, dull)


def _distance(params: TrialParams) -> Clips:
    middle = params.uniform(-2, 2)
    both = []
    for sign, side in ((-1, "m"), (1, "n")):
        settings: Numbers = {
            "bursts": params.rng.randrange(1, 4),
            "burst": params.uniform(0.25, 0.55),
            "level": params.level(),
            "ratio": round(middle + sign * params.step / 2, 3),
            "seed": f"{params.seed}:{side}",
            "tilt": params.tilt(),
        }
        around: Numbers = {"before": params.uniform(0.05, 0.6), "after": params.uniform(0.05, 0.6)}
        both.append(SynthSpec("beeps_in_room", settings | around | params.under(side, -60, -42)))
    return params.in_answer_order(both[0], both[1])


def _side(params: TrialParams) -> Clips:
    difference = params.step * (-1 if params.right == "A" else 1)
    frequency = params.uniform(150, 300)
    settings: Numbers = {
        "frequency": frequency,
        "seconds": params.length(),
        "level": params.level(),
        "difference": difference,
    }
    return (SynthSpec("level_difference", settings),)


def _tone_in_noise(params: TrialParams) -> Clips:
    both = []
    for ratio, side in ((params.step, "m"), (NOTHING, "n")):
        settings: Numbers = {
            "frequency": params.uniform(1150, 1950),  # on average the middle of the noise
            "seconds": params.uniform(0.4, 0.9),
            "level": params.level(),
            "ratio": ratio,
            "seed": f"{params.seed}:{side}",
            "below": params.rng.randrange(2800, 3400),
        }
        both.append(SynthSpec("tone_in_noise", settings))
    return params.in_answer_order(both[0], both[1])


def _count(params: TrialParams) -> Clips:
    fewer = int(params.step) + params.rng.randrange(2)
    count = fewer + (params.right == "B")
    span = (fewer - 0.5) * next(gap for most, gap in SPACING if fewer <= most) * params.rng.uniform(0.85, 1.15)
    energy = (
        params.uniform(0.012, 0.024, 5) * fewer / count
    )  # of one beep, so that all have as much whatever the answer
    start, rest = params.uniform(0.05, 0.3), params.uniform(0.1, 0.35)
    return (_pips(params, span / (count - 1), count, energy + 1.25 * RAMP, (start, start + span + rest)),)


def _numbers(clip: SynthSpec, right: str) -> tuple[str, str]:
    """The number of beeps in a clip and its neighbour, the smaller first."""
    fewer = int(clip.settings["count"]) - (right == "B")
    return str(fewer), str(fewer + 1)


def _contour(params: TrialParams) -> Clips:
    semitones = params.step * (1 if params.right == "A" else -1)
    frequency, seconds = params.uniform(400, 900), params.uniform(0.5, 0.7)
    settings: Numbers = {"frequency": frequency, "seconds": seconds, "level": params.level(), "semitones": semitones}
    return (SynthSpec("chirp", settings),)


def _tone(frequency: float, seconds: Seconds, level: float, under: Numbers) -> SynthSpec:
    settings: Numbers = {"frequency": round(frequency, 4), "seconds": round(seconds, 4), "level": round(level, 3)}
    return SynthSpec("tone", settings | under)


def _noise(params: TrialParams, level: float, side: str, seconds: Seconds) -> SynthSpec:
    return SynthSpec("noise", {"seconds": round(seconds, 4), "level": level, "seed": f"{params.seed}:{side}"})


def _pips(params: TrialParams, every: Seconds, count: int, pip: Seconds, around: tuple[Seconds, Seconds]) -> SynthSpec:
    """A row of beeps, of any frequency and level; `around` is the silence before it and how long the file is."""
    settings: Numbers = {
        "frequency": params.uniform(800, 1600),
        "level": params.level(),
        "every": round(every, 6),
        "count": count,
    }
    row = SynthSpec("beep_train", settings | {"pip": round(pip, 5)})
    # the word is a seed: the bytes of items hang on it, whatever the generator is called
    return _with(row, **params.under(f"pips{every}"), **_around(around[0], every * (count - 1) + pip, around[1]))


def _around(before: Seconds, seconds: Seconds, whole: Seconds) -> Numbers:
    """Silence before and after a sound, so that the file lasts as long as `whole`."""
    return {"before": before, "after": round(whole - before - seconds, 4)}


def _with(spec: SynthSpec, **settings: float | str) -> SynthSpec:
    return replace(spec, settings=spec.settings | settings)


TASKS: Final[dict[str, Task]] = {
    "pitch": Task(
        "You hear two tones. Which one is higher in pitch?",
        FIRST_OR_SECOND,
        "{:g} semitones",
        (12, 4, 1.5, 0.5, 0.15, 0.01),
        _pitch,
    ),
    "loudness": Task(
        "You hear two tones. Which one is louder?", FIRST_OR_SECOND, "{:g} dB", (16, 8, 4, 2, 1, 0.1), _loudness
    ),
    "duration": Task(
        "You hear two tones. Which one lasts longer?", FIRST_OR_SECOND, "{:g} %", (150, 80, 40, 20, 10, 1), _duration
    ),
    "gap": Task(
        "You hear two noises. One of them has a short gap of silence in it. Which one?",
        FIRST_OR_SECOND,
        "{:g} ms",
        (100, 40, 15, 6, 3, 1),
        _gap,
    ),
    "tempo": Task(
        "You hear two rows of beeps. Which one is faster?", FIRST_OR_SECOND, "{:g} %", (80, 40, 20, 10, 4, 0.5), _tempo
    ),
    "order": Task(
        "You hear a low tone and a high tone. Which one begins first?",
        ("the low one", "the high one"),
        "{:g} ms",
        (400, 200, 100, 50, 20, 2),
        _order,
    ),
    "timbre": Task(
        "You hear two tones of the same pitch. Which one sounds brighter?",
        FIRST_OR_SECOND,
        "{:g} dB an octave",
        (12, 6, 3, 1.5, 0.7, 0.1),
        _timbre,
    ),
    "distance": Task(
        "You hear two noises in the same room. Which one comes from farther away?",
        FIRST_OR_SECOND,
        "{:g} dB direct to reverberant",
        (24, 16, 10, 6, 3, 0.5),
        _distance,
    ),
    "side": Task(
        "Does the sound come from the left or from the right?",
        ("the left", "the right"),
        "{:g} dB",
        (20, 10, 5, 2.5, 1, 0.1),
        _side,
    ),
    "noise": Task(
        "You hear two noises. A steady tone is hidden in one of them. In which one?",
        FIRST_OR_SECOND,
        "{:g} dB signal to noise",
        (-5, -8, -11, -13, -16, -28),
        _tone_in_noise,
    ),
    "count": Task("How many beeps do you hear?", (), "one beep in {:g}", (2, 4, 7, 12, 20, 40), _count),
    "contour": Task(
        "Does the pitch of the tone rise or fall?",
        ("it rises", "it falls"),
        "{:g} semitones",
        (12, 5, 2, 0.8, 0.3, 0.02),
        _contour,
    ),
}


def prompt(item: Item) -> Prompt:
    """The sounds, then the question."""
    text = f"{item.question}\n{format_choices(item.choices, item.labels)}\nAnswer with the letter only."
    return Prompt(
        (Turn("user", (*item.clips, text)),), item.choices, item.labels, {"max_tokens": 16, "temperature": 0.0}
    )


def properties_of(tasks: tuple[str, ...]) -> dict[str, str]:
    """Return the property that each task asks about, in the words in which conditions say what they destroy."""
    return {task: PROPERTIES.get(task, task) for task in tasks}
