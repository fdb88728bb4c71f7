"""Spoken words: one word is said, which of a closed set is it?

Data      Debian's asterisk-core-sounds-en-wav 1.6.1: studio recordings of one speaker, 8 kHz
Tasks     digits (10), weekdays (7), months (12), letters (26), nato (26)
Sound     8 kHz mono, 0.4 to 1.5 s
Scored    accuracy over all words of the set

Limits: one professional voice, telephone band, recordings that have been public since the 2000s, so a model trained on
the web may have met them. Nothing is committed or shipped: the package is fetched and unpacked into the cache. Where
there is no apt, a packaged voice says the words instead, and the table says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from earmark.audio.speak import VOICE, speak
from earmark.benchmarks._choices import check_tasks
from earmark.data import debian
from earmark.errors import BadData
from earmark.plugins.examples import BenchmarkExample
from earmark.scorers.choice import ChoiceScorer
from earmark.text.choices import LETTERS, choice_letters, format_choices, shuffle_choices
from earmark.types import Benchmark, Clip, Context, Item, Prompt, Turn

PACKAGE: Final = "asterisk-core-sounds-en-wav"
SOUNDS: Final = "usr/share/asterisk/sounds/en_US_f_Allison"
NATO: Final = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo "
    "sierra tango uniform victor whiskey xray yankee zulu"
)
WORDS: Final[dict[str, dict[str, str]]] = {  # of each task: the words, and the file that says each
    "digits": {
        word: f"digits/{digit}"
        for digit, word in enumerate("zero one two three four five six seven eight nine".split())
    },
    "weekdays": {
        word: f"digits/day-{digit}"
        for digit, word in enumerate("Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split())
    },
    "months": {
        word: f"digits/mon-{digit}"
        for digit, word in enumerate(
            "January February March April May June July August September October November December".split()
        )
    },
    "letters": {letter: f"letters/{letter.lower()}" for letter in LETTERS},
    "nato": {word: f"phonetic/{word[0]}_p" for word in NATO.split()},
}
QUESTION: Final = "Which of these is said in the audio?"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, as `name=value` on the command line."""

    seed: int = 0
    voice: Literal["auto", "recorded", "packaged"] = "auto"  # auto: recorded where apt is there


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    recorded = settings.voice == "recorded" or (
        settings.voice == "auto" and (debian.find_unpacked(PACKAGE) is not None or debian.is_available())
    )
    return Benchmark(
        version=1,
        tasks=check_tasks(context.name, context.tasks, tuple(WORDS)),
        items=functools.partial(items, settings.seed, check_tasks(context.name, context.tasks, tuple(WORDS)), recorded),
        prompt=prompt,
        scorers=lambda _: (ChoiceScorer(),),
        fetch=functools.partial(fetch, recorded),
        settings={"seed": settings.seed, "voice": "recorded" if recorded else "packaged"},
        source=f"Debian {PACKAGE} 1.6.1" if recorded else f"spoken by {VOICE}",
        license="CC-BY-SA-3.0 (Digium; spoken by Allison Smith)" if recorded else "CC0 (voice)",
        warnings=(
            "spoken words: one professional speaker, telephone band; public since the 2000s, so a model may have met "
            "them"
            if recorded
            else "spoken words: no apt here, so a packaged voice speaks instead of the recordings; not comparable with "
            "them",
        ),
        needs_ears=False,
        seed=settings.seed,
    )


def fetch(recorded: bool, log: Callable[[str], None]) -> None:
    """Bring the recordings, or speak the words, where they are not there yet."""
    if not recorded:
        speak([word for words in WORDS.values() for word in words], log)
    elif debian.find_unpacked(PACKAGE) is None:
        log(f"fetching Debian's {PACKAGE} (18 MB, CC-BY-SA-3.0)")
        debian.fetch_package(PACKAGE)


def items(seed: int, tasks: tuple[str, ...], recorded: bool) -> Iterator[Item]:
    """Every word of every task once, among all the words of its task."""
    for task in tasks:
        words = WORDS[task]
        files = _recordings(words) if recorded else dict(zip(words, speak(list(words)), strict=True))
        labels = choice_letters(len(words))
        for word in words:
            # a letter stands under itself: "A. Q" would make two answers of the reply "A"
            choices = tuple(words) if task == "letters" else shuffle_choices(list(words), seed, f"{task}/{word}")
            clip = Clip(str(files[word]), name=f"{task}/{word}.wav", transcript=word)
            target = labels[choices.index(word)]
            yield Item(
                word,
                task,
                QUESTION,
                (clip,),
                choices,
                labels,
                (target,),
                group=word,
                tags={"voice": "recorded" if recorded else "packaged"},
            )


def _recordings(words: dict[str, str]) -> dict[str, Path]:
    place = debian.fetch_package(PACKAGE) / SOUNDS
    files = {word: place / f"{name}.wav" for word, name in words.items()}
    missing = [path for path in files.values() if not path.exists()]
    if missing:
        raise BadData(
            f"{missing[0]}: not in Debian's {PACKAGE}, which had it in version 1.6.1; remove "
            f"{debian.find_unpacked(PACKAGE)} to fetch it again"
        )
    return files


def prompt(item: Item) -> Prompt:
    """The word, then the question with its choices."""
    text = f"{item.question}\n{format_choices(item.choices, item.labels)}\nAnswer with the letter only."
    return Prompt(
        (Turn("user", (*item.clips, text)),), item.choices, item.labels, {"max_tokens": 16, "temperature": 0.0}
    )


def examples() -> tuple[BenchmarkExample, ...]:
    return (BenchmarkExample(),)
