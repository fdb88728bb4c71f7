"""Word, character and mixed error rate.

    rate = (sub + del + ins) / length

The reference and the reply are normalised and cut into units: words, characters, or a mixture where languages change
within a sentence. `sub + del + ins` is the least number of units to replace, delete and insert to turn the reference into
the reply, `length` the number of units of the reference; both are summed over all items before they are divided. The rate
of a benchmark is thus not the mean of the rates of its items, and it can exceed 1. Beside it:

    sub_rate, del_rate, ins_rate = sub / length, del / length, ins / length
    mean_rate   = mean over items of errors / max(1, length)    what some harnesses call the error rate
    capped_rate = sum of min(errors, length) / sum of length    so that no item counts for more than all of its units
    wrong       = items with an error / items
    looped      = items whose reply repeats itself / items

Of several references the one with the fewest errors counts. With `empty=insertions` an item without reference units, such
as silence, adds the units of its reply as insertions and nothing to `length`; with `drop` it does not count; with `word`
an empty reference or reply becomes the word "empty", as AudioBench has it. Where no item has a reference unit the rate is
not a number. An item that failed or was refused has all units of its shortest reference deleted; where that has none it
is wrong all the same, by one inserted unit.

With `compounds` neighbouring words that spell one word of the other side together are no error ("white paper",
"whitepaper"), as on the Open ASR leaderboard.

A reply loops where one phrase of up to 20 units stands at least 5 times in a row and makes the reply longer than the
reference by at least 4. A loop is told, never cut.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from rapidfuzz.distance import Levenshtein

from earmark import __version__
from earmark.errors import BadData, BadSetup, UsageError
from earmark.scorers.choice import PROBE, divided, no_answer, ratio
from earmark.text.normalise import TOKENS, Normaliser, Unit, blankless, normaliser, unit_of, units, without_tokens
from earmark.types import Counts, Item, Metric, Number, Response, Score, replace

NAMES: Final[dict[Unit, str]] = {"words": "wer", "characters": "cer", "mixed": "mer"}
EMPTY: Final = "empty"  # the word that stands for nothing with empty=word
UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"  # a unit that stands for an answer nobody has
LONGEST_PHRASE: Final = 20  # units of a phrase that may loop
TOLD: Final = 20  # errors of an item that are told one by one
RATE: Final = (0.0, math.inf)  # an error rate has no top
TIMES: Final = 5  # it stands in a row, at least


def rate(count: str) -> Metric:
    """A count by the length of the references."""
    return replace(ratio(count, "length"), better="lower", share=None, limits=RATE)


METRICS: Final = {
    "sub_rate": rate("sub"),
    "del_rate": rate("del"),
    "ins_rate": rate("ins"),
    "mean_rate": replace(ratio("rate", "n"), better="lower", share=None, limits=RATE),
    "capped_rate": rate("capped"),
    "wrong": replace(ratio("wrong", "n"), better="lower"),
    "looped": replace(ratio("looped", "n"), better="lower"),
}


def errors(counts: Counts) -> Number:
    """All errors of summed counts."""
    return np.add(np.add(counts.get("sub", 0.0), counts.get("del", 0.0)), counts.get("ins", 0.0))


class Way(NamedTuple):
    """How texts are compared, worked out once for the settings of a scorer."""

    normaliser: Normaliser
    unit: Unit


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Error rates of transcripts. An empty text stands for the language's own choice."""

    name: ClassVar[str] = "wer"

    language: str = ""  # of the references
    normalizer: str = ""
    unit: Literal["", "words", "characters", "mixed"] = ""
    empty: Literal["insertions", "drop", "word"] = "insertions"
    tokens: Literal["removed", "kept"] = "removed"  # around a transcript, such as <|en|>
    compounds: bool = False

    def __post_init__(self) -> None:
        way(self)
        if self.compounds and (self.unit or unit_of(self.language)) != "words":
            raise UsageError("compounds=true needs unit=words: characters make no compounds")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        total = Metric(lambda counts: divided(errors(counts), counts.get("length", 0.0)), better="lower", limits=RATE)
        return {NAMES[way(self).unit]: total} | METRICS

    @property
    def signature(self) -> str:
        """What makes the number again, settings that are not the usual ones among it.

        >>> Settings(language="en", normalizer="whisper-en").signature.partition("|v:")[0]
        'wer|norm:whisper-en.1|agg:corpus|reply:tokens.1'
        """
        norm, unit = way(self)
        said = [NAMES[unit], f"norm:{norm}", "agg:corpus"]
        if unit == "characters":
            said.append(f"blanks:{'dropped' if unit_of(self.language) == 'characters' else 'kept'}")
        said.append(f"reply:{TOKENS if self.tokens == 'removed' else 'raw'}")
        said += [f"empty:{self.empty}"] * (self.empty != "insertions") + ["compounds:merged"] * self.compounds
        return "|".join([*said, f"v:{__version__}"])

    def check(self) -> None:
        """Raise BadSetup where a package that the normaliser or compounds need is not there."""
        self.pair(PROBE, PROBE)

    async def score(self, item: Item, response: Response) -> Score:
        if (none := no_answer(self, item, response)) is not None:
            return none
        pair = self.best(item, response.text)
        cut = self.tokens == "removed" and without_tokens(response.text) != response.text
        phrase, times = loop(pair.reply, pair.reference)
        why = [f"repetition loop: '{self.joined(phrase)}' {times} times"] if phrase else []
        if not self.compounds:  # which no alignment of single words tells
            why += told(pair)
        return Score(self.counted(pair), self.joined(pair.reply), rule=TOKENS if cut else "", why="; ".join(why))

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        right = [self.pair(text, text) for text in references(item)]
        self._check(item, right)
        right.sort(key=lambda pair: len(pair.reference))
        best, shortest = self.counted(right[-1]), right[0].reference
        if shortest or self.empty == "drop":
            return self.counted(Pair(shortest, [], 0, len(shortest), 0)), best
        silence = self.counted(Pair([], [UNKNOWN], 0, 0, 1))  # it is right, and a failure is no silence
        return silence | {"capped": min(1.0, best["length"])}, best

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose transcript is `answer`; none is an empty one."""
        return self.counted(self.best(item, answer or ""))

    def best(self, item: Item, reply: str) -> Pair:
        """The reply beside the reference it has the fewest errors against, of equals the longest."""
        said = without_tokens(reply) if self.tokens == "removed" else reply
        pairs = [self.pair(text, said) for text in references(item)]
        self._check(item, pairs)
        return min(pairs, key=lambda pair: (pair.sub + pair.deleted + pair.ins, -len(pair.reference)))

    def pair(self, reference: str, reply: str) -> Pair:
        """Two texts in units, and the errors between them."""
        wanted, said = (list(normalise(text, self)) for text in (reference, reply))
        if self.empty == "word":
            wanted, said = wanted or [EMPTY], said or [EMPTY]
        elif self.empty == "drop" and not wanted:
            said = []
        return Pair(wanted, said, *(merged if self.compounds else edits)(wanted, said))

    def counted(self, pair: Pair) -> dict[str, float]:
        """The counts of two texts."""
        length, errors = len(pair.reference), pair.sub + pair.deleted + pair.ins
        return {
            "sub": float(pair.sub),
            "del": float(pair.deleted),
            "ins": float(pair.ins),
            "length": float(length),
            "rate": errors / max(1, length),
            "capped": float(min(errors, length)),
            "wrong": float(errors > 0),
            "looped": float(bool(loop(pair.reply, pair.reference)[0])),
            "n": float(bool(length) or self.empty != "drop"),
        }

    def joined(self, parts: Sequence[str]) -> str:
        """Units as a text again."""
        return ("" if way(self).unit == "characters" else " ").join(parts)

    def _check(self, item: Item, pairs: Sequence[Pair]) -> None:
        """Nobody is scored by blanks in a script that has none, unless they ask for it."""
        if self.language or self.unit:
            return
        for pair in pairs:
            if blankless(text := " ".join(pair.reference)):
                raise UsageError(
                    f"item '{item.id}': '{text[:20]}' is in a script without blanks between words, and no language is given; "
                    "give language=zh, yue, ja or th, or unit=characters, mixed or words"
                )


class Pair(NamedTuple):
    """A reference and a reply in units, and the errors between them."""

    reference: list[str]
    reply: list[str]
    sub: int
    deleted: int
    ins: int


@functools.cache
def way(settings: Settings) -> Way:
    """How texts are compared under some settings."""
    return Way(normaliser(settings.normalizer, settings.language), settings.unit or unit_of(settings.language))


@functools.lru_cache(maxsize=64)
def normalise(text: str, settings: Settings) -> tuple[str, ...]:
    """Units of a text. An item's score and its bounds ask for the same few."""
    norm, unit = way(settings)
    return tuple(units(norm(text), unit, settings.language))


def references(item: Item) -> tuple[str, ...]:
    """The references of an item."""
    if not item.targets:
        raise BadData(f"item '{item.id}' has no target; expected the text that is spoken, an empty one for silence")
    return item.targets


# ---------------------------------------------------------------- errors


def edits(reference: Sequence[str], reply: Sequence[str]) -> tuple[int, int, int]:
    """Substitutions, deletions and insertions of a shortest way from the reference to the reply.

    >>> edits("the cat sat".split(), "a cat sat down".split())
    (1, 0, 1)
    """
    kinds = [edit.tag for edit in Levenshtein.editops(reference, reply)]
    return kinds.count("replace"), kinds.count("delete"), kinds.count("insert")


def merged(reference: Sequence[str], reply: Sequence[str]) -> tuple[int, int, int]:
    """The same with compounds as no error.

    >>> merged("a white paper".split(), "a whitepaper".split())
    (0, 0, 0)
    """
    found = _kaldialign().edit_distance(reference, reply, merge_compounds=True)
    return found["sub"], found["del"], found["ins"]


@functools.cache
def _kaldialign() -> Any:
    try:
        return import_module("kaldialign")
    except ModuleNotFoundError as error:
        raise BadSetup(
            "compounds=true needs the package kaldialign, which is not installed; pip install 'earmark[text]'"
        ) from error


class Aligned(NamedTuple):
    """One unit of the reference beside one of the reply; None where the other has nothing."""

    kind: Literal["equal", "sub", "del", "ins"]
    reference: str | None
    reply: str | None


def aligned(reference: Sequence[str], reply: Sequence[str]) -> list[Aligned]:
    """Both texts unit by unit, for display.

    >>> [tuple(pair) for pair in aligned("the cat".split(), "a cat sat".split())]
    [('sub', 'the', 'a'), ('equal', 'cat', 'cat'), ('ins', None, 'sat')]
    """
    out: list[Aligned] = []
    for block in Levenshtein.opcodes(reference, reply):
        wanted, said = reference[block.src_start : block.src_end], reply[block.dest_start : block.dest_end]
        if block.tag == "insert":
            out += [Aligned("ins", None, unit) for unit in said]
        elif block.tag == "delete":
            out += [Aligned("del", unit, None) for unit in wanted]
        else:
            kind: Literal["equal", "sub"] = "equal" if block.tag == "equal" else "sub"
            out += [Aligned(kind, *both) for both in zip(wanted, said, strict=True)]
    return out


def told(pair: Pair) -> list[str]:
    """The errors between two texts in words, the first of many.

    >>> told(Settings().pair("the cat ran", "a cat sat down"))
    ["sub 'the' by 'a'", "ins 'sat'", "sub 'ran' by 'down'"]
    """
    if pair.reference == pair.reply:
        return []
    wrong = [one for one in aligned(pair.reference, pair.reply) if one.kind != "equal"]
    said = [
        f"sub '{one.reference}' by '{one.reply}'" if one.kind == "sub" else f"{one.kind} '{one.reference or one.reply}'"
        for one in wrong[:TOLD]
    ]
    return [*said, f"and {len(wrong) - TOLD} more"] if len(wrong) > TOLD else said


def loop(reply: Sequence[str], reference: Sequence[str]) -> tuple[list[str], int]:
    """The phrase that a reply repeats most, and how often; nothing where it does not loop.

    >>> loop("so thank you thank you thank you thank you thank you".split(), ["so"])
    (['thank', 'you'], 5)
    """
    best: tuple[list[str], int] = ([], 0)
    room = len(reply) - len(reference)  # units too many
    for size in range(1, 1 + min(LONGEST_PHRASE, room // (TIMES - 1))):
        run = 0
        for at in range(size, len(reply)):
            run = run + 1 if reply[at] == reply[at - size] else 0
            times = run // size + 1
            if times >= TIMES and times * size > best[1] * len(best[0]):
                best = (list(reply[at - run - size + 1 : at - run + 1]), times)
    return best


def load(settings: Settings) -> Settings:
    """A scorer is its settings."""
    return settings
