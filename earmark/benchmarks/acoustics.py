"""Acoustics: sounds without words, made from a seed. Which has more of something, or what happens in it?

Data      generated: the same seed gives the same bytes anywhere; nothing to fetch, nothing to memorise
Tasks     two clips    pitch, loudness, duration, gap, tempo, timbre, distance, noise
          one clip     order, side, count, contour
Halves    train and eval, of different items, each with every level and with its answers in balance
Sound     16 kHz, one channel (side: two), 0.4 to 4.1 s
Scored    accuracy over two answers, A or B, each right in half of the items of every level

Six levels go from easy to impossible. The fifth is near what people can just hear, the sixth far below that and still
in the samples. No words are in these sounds: whatever hears through a transcript is deaf to them, and so is a guess from
the text, which is the same for all items of a task (count: names two numbers, either right as often). What is asked in
the style of AcousticBench, whose items are not public, and of SonicBench (arXiv 2601.11039); none of it is theirs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from earmark.audio.make import RAMP, steady_level
from earmark.benchmarks._choices import checked_tasks, letters, listed, shuffled
from earmark.scorers.choice import Choice
from earmark.types import Benchmark, Item, Prompt, Recipe, Seconds, Turn, replace

LEVELS: Final = ("easy", "fair", "moderate", "hard", "threshold", "impossible")
HALVES: Final = ("train", "eval")
EITHER: Final = ("the first", "the second")
NOTHING: Final = -100.0  # decibels, of a tone that is not there: beside any of our noises it is below the last bit
SPACING: Final = ((5, 0.4), (9, 0.25), (15, 0.16), (24, 0.1), (99, 0.07))  # seconds between beeps, for up to so many

Clips: TypeAlias = tuple[Recipe, ...]
Numbers: TypeAlias = dict[str, float | int | str]  # a recipe's settings


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set on the command line."""

    seed: int = 0
    items: int = 48  # of each task, both halves together; a multiple of 24 has as many of every level in each half
    split: Literal["all", "train", "eval"] = "all"


class Throw(NamedTuple):
    """What is thrown for one item."""

    dice: Random
    step: float  # of the level
    right: str  # A or B
    seed: str  # for noise

    def between(self, low: float, high: float, digits: int = 2) -> float:
        """A number in between, short enough to be written alike everywhere."""
        return round(self.dice.uniform(low, high), digits)

    def level(self) -> float:
        """The level of a sound whose level tells nothing."""
        return self.between(-28, -16)

    def length(self) -> Seconds:
        """The length of a sound whose length tells nothing."""
        return self.between(0.4, 0.7, 3)

    def tilt(self) -> float:
        """The tilt of a noise whose spectrum tells nothing."""
        return self.between(-0.16, 0.16)

    def under(self, side: str, low: float = -75, high: float = -55) -> Numbers:
        """Faint noise of any level under a sound, so that its bytes as a lossless file tell its level and length no more."""
        return {"floor": self.between(low, high), "floor_seed": f"{self.seed}:{side}"}

    def either(self, more: Recipe, less: Recipe) -> Clips:
        """Two sounds, the one with more of it where the answer is."""
        return (more, less) if self.right == "A" else (less, more)


class Task(NamedTuple):
    """What is asked, and how its sounds are made."""

    question: str
    choices: tuple[str, ...]  # none: the number of beeps in the clip, and its neighbour
    difference: str  # how a step is written
    steps: tuple[float, ...]  # the difference at each level
    make: Callable[[Throw], Clips]


def _pitch(throw: Throw) -> Clips:
    middle = throw.between(2050, 2400)  # where the ear, and an A-weighted meter, is as good on either side
    both = [
        _tone(middle * 2 ** (sign * throw.step / 24), throw.length(), throw.level(), throw.under(side))
        for sign, side in ((1, "m"), (-1, "n"))
    ]
    return throw.either(both[0], both[1])


def _loudness(throw: Throw) -> Clips:
    frequency, loud = throw.between(1500, 3000), throw.between(-16, -8)
    both = [
        _tone(frequency * throw.between(0.94, 1.06, 4), throw.length(), level, throw.under(side, -68, -50))
        for level, side in ((loud, "m"), (loud - throw.step, "n"))
    ]
    return throw.either(both[0], both[1])


def _duration(throw: Throw) -> Clips:
    frequency, short = throw.between(400, 1200), throw.between(0.3, 0.5)
    both = []
    for lasting, side in ((short * (1 + throw.step / 100), "m"), (short, "n")):
        energy, peak, whole = throw.between(-25, -21), throw.between(-13, -9), throw.between(1.5, 2.1)
        level = steady_level(10 ** (energy / 10), 10 ** (peak / 20), lasting)
        row = _tone(frequency * throw.between(0.97, 1.03, 4), lasting, level, throw.under(side))
        before = throw.between(0.05, 0.2)
        both.append(_with(row, accent=round(peak - level, 3), **_around(before, lasting, whole)))
    return throw.either(both[0], both[1])


def _gap(throw: Throw) -> Clips:
    both = []
    for gap, side in ((throw.step / 1000, "m"), (0.0, "n")):
        sounding, before, whole = throw.between(0.4, 0.9), throw.between(0.05, 0.15), throw.between(1.2, 1.4)
        row = _noise(throw, throw.level(), side, sounding + gap)
        both.append(_with(row, gap=gap, at=throw.between(0.3, 0.7), **_around(before, sounding + gap, whole)))
    return throw.either(both[0], both[1])


def _tempo(throw: Throw) -> Clips:
    slow = throw.between(0.4, 0.5, 4)
    rows = []
    for every in (slow / (1 + throw.step / 100), slow):
        start, count, whole = throw.between(0, 0.3), throw.dice.randrange(4, 7), throw.between(3.0, 3.4)
        rows.append(_pips(throw, every, count, throw.between(0.03, 0.1, 3), (start, whole)))
    return throw.either(rows[0], rows[1])


def _order(throw: Throw) -> Clips:
    lead = throw.step / 1000 * (1 if throw.right == "A" else -1)
    settings: Numbers = {
        "low": throw.between(300, 450),
        "high": throw.between(1200, 1800),
        "low_seconds": throw.length(),
        "high_seconds": throw.length(),
        "level": throw.level(),
    }
    return (Recipe("onsets", {"lead": lead, **settings}),)


def _timbre(throw: Throw) -> Clips:
    frequency, middle = throw.between(180, 300), throw.between(-1, 1)
    bright, dull = (
        Recipe(
            "brightness",
            {
                "frequency": frequency,
                "seconds": throw.length(),
                "level": throw.level(),
                "slope": round(middle + sign * throw.step / 2, 3),
                "seed": f"{throw.seed}:{side}",
            },
        )
        for sign, side in ((-1, "m"), (1, "n"))
    )
    return throw.either(bright, dull)


def _distance(throw: Throw) -> Clips:
    middle = throw.between(-2, 2)
    both = []
    for sign, side in ((-1, "m"), (1, "n")):
        settings: Numbers = {
            "bursts": throw.dice.randrange(1, 4),
            "burst": throw.between(0.25, 0.55),
            "level": throw.level(),
            "ratio": round(middle + sign * throw.step / 2, 3),
            "seed": f"{throw.seed}:{side}",
            "tilt": throw.tilt(),
        }
        around: Numbers = {"before": throw.between(0.05, 0.6), "after": throw.between(0.05, 0.6)}
        both.append(Recipe("room", settings | around | throw.under(side, -60, -42)))
    return throw.either(both[0], both[1])


def _side(throw: Throw) -> Clips:
    difference = throw.step * (-1 if throw.right == "A" else 1)
    frequency = throw.between(150, 300)
    settings: Numbers = {
        "frequency": frequency,
        "seconds": throw.length(),
        "level": throw.level(),
        "difference": difference,
    }
    return (Recipe("sides", settings),)


def _hidden(throw: Throw) -> Clips:
    both = []
    for ratio, side in ((throw.step, "m"), (NOTHING, "n")):
        settings: Numbers = {
            "frequency": throw.between(1150, 1950),  # on average the middle of the noise
            "seconds": throw.between(0.4, 0.9),
            "level": throw.level(),
            "ratio": ratio,
            "seed": f"{throw.seed}:{side}",
            "below": throw.dice.randrange(2800, 3400),
        }
        both.append(Recipe("hidden", settings))
    return throw.either(both[0], both[1])


def _count(throw: Throw) -> Clips:
    fewer = int(throw.step) + throw.dice.randrange(2)
    count = fewer + (throw.right == "B")
    span = (fewer - 0.5) * next(gap for most, gap in SPACING if fewer <= most) * throw.dice.uniform(0.85, 1.15)
    energy = throw.between(0.012, 0.024, 5) * fewer / count  # of one beep, so that all have as much whatever the answer
    start, rest = throw.between(0.05, 0.3), throw.between(0.1, 0.35)
    return (_pips(throw, span / (count - 1), count, energy + 1.25 * RAMP, (start, start + span + rest)),)


def _numbers(clip: Recipe, right: str) -> tuple[str, str]:
    """The number of beeps in a clip and its neighbour, the smaller first."""
    fewer = int(clip.settings["count"]) - (right == "B")
    return str(fewer), str(fewer + 1)


def _contour(throw: Throw) -> Clips:
    semitones = throw.step * (1 if throw.right == "A" else -1)
    frequency, seconds = throw.between(400, 900), throw.between(0.5, 0.7)
    settings: Numbers = {"frequency": frequency, "seconds": seconds, "level": throw.level(), "semitones": semitones}
    return (Recipe("glide", settings),)


def _tone(frequency: float, seconds: Seconds, level: float, under: Numbers) -> Recipe:
    settings: Numbers = {"frequency": round(frequency, 4), "seconds": round(seconds, 4), "level": round(level, 3)}
    return Recipe("tone", settings | under)


def _noise(throw: Throw, level: float, side: str, seconds: Seconds) -> Recipe:
    return Recipe("noise", {"seconds": round(seconds, 4), "level": level, "seed": f"{throw.seed}:{side}"})


def _pips(throw: Throw, every: Seconds, count: int, pip: Seconds, around: tuple[Seconds, Seconds]) -> Recipe:
    """A row of beeps, of any frequency and level; `around` is the silence before it and how long the file is."""
    settings: Numbers = {
        "frequency": throw.between(800, 1600),
        "level": throw.level(),
        "every": round(every, 6),
        "count": count,
    }
    row = Recipe("pips", settings | {"pip": round(pip, 5)})
    return _with(row, **throw.under("pips" + str(every)), **_around(around[0], every * (count - 1) + pip, around[1]))


def _around(before: Seconds, seconds: Seconds, whole: Seconds) -> Numbers:
    """Silence before and after a sound, so that the file lasts as long as `whole`."""
    return {"before": before, "after": round(whole - before - seconds, 4)}


def _with(recipe: Recipe, **settings: float | str) -> Recipe:
    return replace(recipe, settings=recipe.settings | settings)


TASKS: Final[dict[str, Task]] = {
    "pitch": Task(
        "You hear two tones. Which one is higher in pitch?",
        EITHER,
        "{:g} semitones",
        (12, 4, 1.5, 0.5, 0.15, 0.01),
        _pitch,
    ),
    "loudness": Task("You hear two tones. Which one is louder?", EITHER, "{:g} dB", (16, 8, 4, 2, 1, 0.1), _loudness),
    "duration": Task(
        "You hear two tones. Which one lasts longer?", EITHER, "{:g} %", (150, 80, 40, 20, 10, 1), _duration
    ),
    "gap": Task(
        "You hear two noises. One of them has a short gap of silence in it. Which one?",
        EITHER,
        "{:g} ms",
        (100, 40, 15, 6, 3, 1),
        _gap,
    ),
    "tempo": Task(
        "You hear two rows of beeps. Which one is faster?", EITHER, "{:g} %", (80, 40, 20, 10, 4, 0.5), _tempo
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
        EITHER,
        "{:g} dB an octave",
        (12, 6, 3, 1.5, 0.7, 0.1),
        _timbre,
    ),
    "distance": Task(
        "You hear two noises in the same room. Which one comes from farther away?",
        EITHER,
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
        EITHER,
        "{:g} dB signal to noise",
        (-5, -8, -11, -13, -16, -28),
        _hidden,
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

PROPERTIES: Final = {"loudness": "level", "noise": "tone in noise"}  # of the other tasks: their name


def load(settings: Settings, tasks: tuple[str, ...] = ()) -> Benchmark:
    """The benchmark."""
    chosen = checked_tasks("acoustics", tasks, tuple(TASKS))
    return Benchmark(
        name="acoustics",
        version=3,
        tasks=chosen,
        items=functools.partial(items, settings, chosen),
        prompt=prompt,
        scorers=lambda _: (Choice(),),
        settings={"seed": settings.seed, "items": settings.items, "split": settings.split},
        source="generated by Earmark",
        licence="Apache-2.0",
        notices=("side: left and right are lost on a model that is sent one channel",) if "side" in chosen else (),
        seed=settings.seed,
        averages={"mean over tasks": chosen} if len(chosen) > 1 else {},
        slices=("level", "half"),
        properties=properties(chosen),
    )


def properties(tasks: tuple[str, ...]) -> dict[str, str]:
    """What each task asks about, in the words in which conditions say what they destroy."""
    return {task: PROPERTIES.get(task, task) for task in tasks}


def items(settings: Settings, tasks: tuple[str, ...]) -> Iterator[Item]:
    """The items of every task. Two and two share a level and a half, one with the answer A and one with B."""
    for task in tasks:
        for at in range(settings.items):
            half = HALVES[at // 2 % len(HALVES)]
            if settings.split in ("all", half):
                yield _item(settings.seed, task, at, half)


def _item(seed: int, name: str, at: int, half: str) -> Item:
    """An item from its number alone, so that it stays what it is however many there are."""
    task, level, item = TASKS[name], at // 4 % len(LEVELS), f"{name}-{at + 1:03}"
    right = shuffled("AB", seed, f"{name}:{at // 2}")[at % 2]
    words = f"{seed}:{name}:{at}"
    clips = task.make(Throw(Random(words), task.steps[level], right, words))  # noqa: S311 - sounds, not secrets
    sides = "ab" if len(clips) > 1 else ""
    named = (f"{item}-{side}" for side in sides) if sides else iter((item,))
    return Item(
        item,
        name,
        task.question,
        tuple(replace(clip, name=called) for clip, called in zip(clips, named, strict=True)),
        task.choices or _numbers(clips[0], right),
        letters(2),
        (right,),
        group=item,
        tags={"level": LEVELS[level], "difference": task.difference.format(task.steps[level]), "half": half},
    )


def prompt(item: Item) -> Prompt:
    """The sounds, then the question."""
    text = f"{item.question}\n{listed(item.choices, item.labels)}\nAnswer with the letter only."
    return Prompt(
        (Turn("user", (*item.clips, text)),), item.choices, item.labels, {"max_tokens": 16, "temperature": 0.0}
    )
