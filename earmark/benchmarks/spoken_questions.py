"""Spoken questions: common knowledge asked aloud, two written answers to choose from.

Data      forty questions of our own, spoken by a packaged Piper voice (en_US-joe-medium, CC0)
Tasks     questions
Sound     22 kHz mono, 1 to 3 s
Scored    accuracy over two answers; which one stands first is decided by the seed

The words carry the answer, so a cascade can do well here. What a model gets under silence is what the two answers give
away by themselves: guess rates above one half are common.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from earmark.audio.speak import VOICE, speak
from earmark.benchmarks._choices import check_tasks
from earmark.plugins.examples import BenchmarkExample
from earmark.scorers.choice import ChoiceScorer
from earmark.text.choices import choice_letters, format_choices, shuffle_choices
from earmark.types import Benchmark, Clip, Context, Item, Prompt, Turn

QUESTIONS: Final = (  # the question, its right answer, a wrong one
    ("Which animal barks?", "dog", "fish"),
    ("What colour is the sky on a clear day?", "blue", "brown"),
    ("How many legs does a cat have?", "four", "nine"),
    ("Which of these is a fruit?", "apple", "hammer"),
    ("What do bees make?", "honey", "milk"),
    ("Which is hotter?", "fire", "ice"),
    ("What is two plus two?", "four", "seven"),
    ("Which is the capital of France?", "Paris", "Madrid"),
    ("Which one can fly?", "bird", "snake"),
    ("What do you use to cut paper?", "scissors", "spoon"),
    ("Which day comes after Monday?", "Tuesday", "Friday"),
    ("Which is a musical instrument?", "piano", "table"),
    ("What do cows drink as calves?", "milk", "petrol"),
    ("Which is larger?", "elephant", "mouse"),
    ("Where do fish live?", "water", "trees"),
    ("What is the opposite of hot?", "cold", "tall"),
    ("Which season is coldest?", "winter", "summer"),
    ("What do we breathe?", "air", "sand"),
    ("Which one is a vehicle?", "car", "carrot"),
    ("Which is used to write?", "pencil", "plate"),
    ("Which planet do we live on?", "Earth", "Mars"),
    ("What language is spoken in Spain?", "Spanish", "Chinese"),
    ("Which is a drink?", "juice", "chair"),
    ("What shines at night?", "moon", "grass"),
    ("Which is faster?", "train", "snail"),
    ("Who treats sick people?", "doctor", "baker"),
    ("What grows on trees?", "leaves", "cars"),
    ("What is frozen water called?", "ice", "steam"),
    ("Which is a number?", "three", "green"),
    ("Which is a colour?", "red", "loud"),
    ("What do you wear on your feet?", "shoes", "gloves"),
    ("Which animal says meow?", "cat", "cow"),
    ("What is the opposite of up?", "down", "left"),
    ("What do birds lay?", "eggs", "bricks"),
    ("Where do you sleep?", "bed", "oven"),
    ("What has keys and makes music?", "piano", "drum"),
    ("Which month is first in the year?", "January", "June"),
    ("What does a clock show?", "time", "weight"),
    ("Which one is made of water?", "rain", "stone"),
    ("How many days are in a week?", "seven", "three"),
)
QUESTION: Final = "Answer the spoken question."


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, as `name=value` on the command line."""

    seed: int = 0


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    return Benchmark(
        version=1,
        tasks=check_tasks(context.name, context.tasks, ("questions",)),
        items=functools.partial(items, settings.seed),
        prompt=prompt,
        scorers=lambda _: (ChoiceScorer(),),
        fetch=fetch,
        source=f"Earmark's own, spoken by {VOICE}",
        license="Apache-2.0 (questions), CC0 (voice)",
        needs_ears=False,
        seed=settings.seed,
    )


def fetch(log: Callable[[str], None]) -> None:
    """Speak the questions, where they have not been spoken yet."""
    speak([question for question, _, _ in QUESTIONS], log)


def items(seed: int) -> Iterator[Item]:
    """Every question once. Each answer stands first in half of the items, which half is the seed's choice."""
    files = speak([question for question, _, _ in QUESTIONS])
    first = shuffle_choices(["AB"[index % 2] for index in range(len(QUESTIONS))], seed, "spoken_questions")
    for index, (question, right, wrong) in enumerate(QUESTIONS):
        choices = (right, wrong) if first[index] == "A" else (wrong, right)
        clip = Clip(str(files[index]), name=f"question-{index + 1:02}.wav", transcript=question)
        yield Item(
            f"q{index + 1:02}",
            "questions",
            QUESTION,
            (clip,),
            choices,
            choice_letters(2),
            (first[index],),
            group=f"q{index + 1:02}",
        )


def prompt(item: Item) -> Prompt:
    """The spoken question, then the two answers."""
    text = f"{item.question}\n{format_choices(item.choices, item.labels)}\nAnswer with the letter only."
    return Prompt(
        (Turn("user", (*item.clips, text)),), item.choices, item.labels, {"max_tokens": 16, "temperature": 0.0}
    )


def examples() -> tuple[BenchmarkExample, ...]:
    return (BenchmarkExample(),)
