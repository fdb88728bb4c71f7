"""Acoustics: sounds without words, made from a seed. Which has more of something, or what happens in it?

Data      generated: the same seed gives the same bytes anywhere; nothing to fetch, nothing to memorise
Tasks     two clips    pitch, loudness, duration, gap, tempo, timbre, distance, noise
          one clip     order, side, count, contour
Halves    train and eval, of different items, each with every level and with its answers in balance
Sound     16 kHz, one channel (side: two), 0.3 to 4 s
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

from earmark.benchmarks._choices import checked_tasks, letters, listed, shuffled
from earmark.scorers.choice import Choice
from earmark.types import Benchmark, Item, Prompt, Recipe, Seconds, Turn, replace

LEVELS: Final = ("easy", "fair", "moderate", "hard", "threshold", "impossible")
HALVES: Final = ("train", "eval")
EITHER: Final = ("the first", "the second")
SECONDS: Final[Seconds] = 0.5  # of a sound whose length does not matter
LEVEL: Final = -20.0  # decibels
SPACING: Final = ((5, 0.4), (9, 0.25), (15, 0.16), (24, 0.1), (99, 0.07))  # seconds between beeps, for up to so many

Clips: TypeAlias = tuple[Recipe, ...]


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
    low = throw.between(300, 600)
    return throw.either(_tone(low * 2 ** (throw.step / 12)), _tone(low))


def _loudness(throw: Throw) -> Clips:
    frequency, loud = throw.between(400, 1200), throw.between(-14, -10)
    return throw.either(_tone(frequency, level=loud), _tone(frequency, level=loud - throw.step))


def _duration(throw: Throw) -> Clips:
    frequency, short = throw.between(400, 1200), throw.between(0.3, 0.5)
    longer = short * (1 + throw.step / 100)
    both = [_tone(frequency, seconds=lasting, level=throw.between(-22, -18)) for lasting in (longer, short)]
    return throw.either(both[0], both[1])


def _gap(throw: Throw) -> Clips:
    at, levels = throw.between(0.3, 0.7), (throw.between(-22, -18), throw.between(-22, -18))
    both = [_noise(throw, level, side) for level, side in zip(levels, "mn", strict=True)]
    return throw.either(_with(both[0], gap=throw.step / 1000, at=at), both[1])


def _tempo(throw: Throw) -> Clips:
    slow = throw.between(0.45, 0.6, 4)
    quick = slow / (1 + throw.step / 100)
    rows = [
        Recipe(
            "pips",
            {
                "frequency": 1000.0,
                "level": LEVEL,
                "every": round(every, 6),
                "seconds": 3.0,
                "start": throw.between(0, 0.3),
            },
        )
        for every in (quick, slow)
    ]
    return throw.either(rows[0], rows[1])


def _order(throw: Throw) -> Clips:
    lead = throw.step / 1000 * (1 if throw.right == "A" else -1)
    low, high = throw.between(300, 450), throw.between(1200, 1800)
    return (Recipe("onsets", {"low": low, "high": high, "seconds": 1.0, "lead": lead, "level": LEVEL}),)


def _timbre(throw: Throw) -> Clips:
    frequency, slope = throw.between(150, 300), throw.between(2, 5)
    bright, dull = (
        Recipe(
            "overtones",
            {"frequency": frequency, "seconds": SECONDS, "level": LEVEL, "slope": round(slope + more, 3)},
        )
        for more in (0.0, throw.step)
    )
    return throw.either(bright, dull)


def _distance(throw: Throw) -> Clips:
    frequency, middle = throw.between(150, 300), throw.between(-2, 2)
    far, near = (
        Recipe(
            "room",
            {
                "frequency": frequency,
                "level": LEVEL,
                "ratio": round(middle + sign * throw.step / 2, 3),
                "decay": 0.6,
                "seed": f"{throw.seed}:{side}",
            },
        )
        for sign, side in ((-1, "m"), (1, "n"))
    )
    return throw.either(far, near)


def _side(throw: Throw) -> Clips:
    difference = throw.step * (-1 if throw.right == "A" else 1)
    frequency = throw.between(150, 300)
    return (Recipe("sides", {"frequency": frequency, "seconds": SECONDS, "level": LEVEL, "difference": difference}),)


def _hidden(throw: Throw) -> Clips:
    levels = (throw.between(-22, -18), throw.between(-22, -18))
    both = [_noise(throw, level, side) for level, side in zip(levels, "mn", strict=True)]
    tone = _with(replace(both[0], maker="hidden"), frequency=throw.between(500, 2000), ratio=throw.step)
    return throw.either(tone, both[1])


def _count(throw: Throw) -> Clips:
    fewer = int(throw.step) + throw.dice.randrange(2)
    count = fewer + (throw.right == "B")
    every = round(next(gap for most, gap in SPACING if fewer <= most) * throw.dice.uniform(0.85, 1.15), 4)
    seconds = round(count * every + 0.1, 4)
    row = Recipe("pips", {"frequency": 1000.0, "level": LEVEL, "every": every, "seconds": seconds, "start": 0.05})
    return (_with(row, count=count),)


def _numbers(clip: Recipe, right: str) -> tuple[str, str]:
    """The number of beeps in a clip and its neighbour, the smaller first."""
    fewer = int(clip.settings["count"]) - (right == "B")
    return str(fewer), str(fewer + 1)


def _contour(throw: Throw) -> Clips:
    semitones = throw.step * (1 if throw.right == "A" else -1)
    frequency = throw.between(400, 900)
    return (Recipe("glide", {"frequency": frequency, "seconds": 0.6, "level": LEVEL, "semitones": semitones}),)


def _tone(frequency: float, *, seconds: Seconds = SECONDS, level: float = LEVEL) -> Recipe:
    return Recipe("tone", {"frequency": round(frequency, 4), "seconds": round(seconds, 4), "level": round(level, 3)})


def _noise(throw: Throw, level: float, side: str) -> Recipe:
    return Recipe("noise", {"seconds": 0.6, "level": level, "seed": f"{throw.seed}:{side}"})


def _with(recipe: Recipe, **settings: float) -> Recipe:
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
        "You hear the same beeps twice, in the same room. Which ones come from farther away?",
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
        (0, -6, -12, -16, -20, -32),
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


def load(settings: Settings, tasks: tuple[str, ...] = ()) -> Benchmark:
    """The benchmark."""
    chosen = checked_tasks("acoustics", tasks, tuple(TASKS))
    return Benchmark(
        name="acoustics",
        version=2,
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
    )


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
