"""Word, character and mixed error rate.

    rate = (sub + del + ins) / length

The reference and the reply are normalised and cut into units: words, characters, or a mixture where languages change
within a sentence. `sub + del + ins` is the least number of units to replace, delete and insert to turn the reference
into the reply, `length` the number of units of the reference; both are summed over all items before they are divided.
The rate of a benchmark is thus not the mean of the rates of its items, and it can exceed 1. Beside it:

    sub_rate, del_rate, ins_rate = sub / length, del / length, ins / length
    mean_rate   = mean over items of errors / max(1, length)    what some harnesses call the error rate
    capped_rate = sum of min(errors, length) / sum of length    so that no item counts for more than all of its units
    wrong       = items with an error / items
    looped      = items whose reply repeats itself / items

Of several references the one with the fewest errors counts. With `empty=insertions` an item without reference units,
such as silence, adds the units of its reply as insertions and nothing to `length`; with `drop` it does not count; with
`word` an empty reference or reply becomes the word "empty", as AudioBench has it. Where no item has a reference unit
the rate is not a number. An item that failed or was refused has all units of its shortest reference deleted; where that
has none it is wrong all the same, by one inserted unit.

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
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from msgspec import Struct, field
from rapidfuzz.distance import Levenshtein

from earmark.errors import BadData, BadSetup, UsageError
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import PROBE, TextScorer
from earmark.stats.ratio import divide, mean, ratio
from earmark.text.normalise import (
    TOKENS,
    Normalizer,
    Unit,
    find_normalizer,
    is_unspaced,
    split_units,
    strip_tokens,
    unit_of,
)
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, sign

NAMES: Final[dict[Unit, str]] = {"words": "wer", "characters": "cer", "mixed": "mer"}
EMPTY_WORD: Final = "empty"  # the word that stands for nothing with empty=word
UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"  # a unit that stands for an answer nobody has
LONGEST_PHRASE: Final = 20  # units of a phrase that may loop
MAX_LISTED_ERRORS: Final = 20  # errors of an item that are told one by one
RATE: Final = (0.0, math.inf)  # an error rate has no top
MIN_LOOP_REPEATS: Final = 5  # it stands in a row, at least


def rate_metric(count: str) -> Metric:
    """A count by the length of the references."""
    return mean(count, "length", RATE, "lower")


METRICS: Final = {
    "sub_rate": rate_metric("sub"),
    "del_rate": rate_metric("del"),
    "ins_rate": rate_metric("ins"),
    "mean_rate": mean("rate", "n", RATE, "lower"),
    "capped_rate": rate_metric("capped"),
    "wrong": ratio("wrong", "n", "lower"),
    "looped": ratio("looped", "n", "lower"),
}


def total_errors(counts: Counts) -> Number:
    """All errors of summed counts."""
    return np.add(np.add(counts.get("sub", 0.0), counts.get("del", 0.0)), counts.get("ins", 0.0))


class ComparisonRules(NamedTuple):
    """Normalizer and unit of a comparison, derived once from a scorer's settings."""

    normaliser: Normalizer
    unit: Unit


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Error rates of transcripts. An empty text stands for the language's own choice."""

    language: str = ""  # of the references
    normalizer: str = ""
    unit: Literal["", "words", "characters", "mixed"] = ""
    empty: Literal["insertions", "drop", "word"] = "insertions"
    tokens: Literal["removed", "kept"] = "removed"  # around a transcript, such as <|en|>
    compounds: bool = False

    def __post_init__(self) -> None:
        comparison_rules(self)
        if self.compounds and (self.unit or unit_of(self.language)) != "words":
            raise UsageError("compounds=true needs unit=words: characters make no compounds")


class WerScorer(TextScorer, frozen=True):
    """Error rates of transcripts."""

    settings: Settings = field(default_factory=Settings)
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        total = Metric(
            lambda counts: divide(total_errors(counts), counts.get("length", 0.0)), better="lower", limits=RATE
        )
        return {NAMES[comparison_rules(self.settings).unit]: total} | METRICS

    @property
    def signature(self) -> Signature:
        """Signature of the number, with every setting that is not the default.

        >>> WerScorer(Settings(language="en", normalizer="whisper-en")).signature.rules
        'wer|norm:whisper-en.1|agg:corpus|reply:tokens.1'
        """
        given = self.settings
        norm, unit = comparison_rules(given)
        parts: list[tuple[str, object]] = [("norm", norm), ("agg", "corpus")]
        if unit == "characters":
            parts.append(("blanks", "dropped" if unit_of(given.language) == "characters" else "kept"))
        parts.append(("reply", TOKENS if given.tokens == "removed" else "raw"))
        parts += [("empty", given.empty)] * (given.empty != "insertions")
        parts += [("compounds", "merged")] * given.compounds
        return sign(NAMES[unit], *parts)

    def check(self) -> None:
        """Raise BadSetup where a package that the normaliser or compounds need is not there."""
        self.pair(PROBE, PROBE)

    async def score_reply(self, item: Item, response: Response) -> Score:
        pair = self.best(item, response.text)
        cut = self.settings.tokens == "removed" and strip_tokens(response.text) != response.text
        phrase, times = find_loop(pair.reply, pair.reference)
        why = [f"repetition loop: '{self.join_units(phrase)}' {times} times"] if phrase else []
        if not self.settings.compounds:  # which no alignment of single words tells
            why += list_errors(pair)
        return Score(
            self.pair_counts(pair), self.join_units(pair.reply), rule=TOKENS if cut else "", explanation="; ".join(why)
        )

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        right = [self.pair(text, text) for text in item_references(item)]
        self._check(item, right)
        right.sort(key=lambda pair: len(pair.reference))
        best, shortest = self.pair_counts(right[-1]), right[0].reference
        if shortest or self.settings.empty == "drop":
            return self.pair_counts(Pair(shortest, [], 0, len(shortest), 0)), best
        silence = self.pair_counts(Pair([], [UNKNOWN], 0, 0, 1))  # it is right, and a failure is no silence
        return silence | {"capped": min(1.0, best["length"])}, best

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose transcript is `answer`; none is an empty one."""
        return self.pair_counts(self.best(item, answer or ""))

    def best(self, item: Item, reply: str) -> Pair:
        """The reply beside the reference it has the fewest errors against, of equals the longest."""
        stripped = strip_tokens(reply) if self.settings.tokens == "removed" else reply
        pairs = [self.pair(text, stripped) for text in item_references(item)]
        self._check(item, pairs)
        return min(pairs, key=lambda pair: (pair.sub + pair.deleted + pair.ins, -len(pair.reference)))

    def pair(self, reference: str, reply: str) -> Pair:
        """Two texts in units, and the errors between them."""
        wanted, hypothesis = (list(normalise(text, self.settings)) for text in (reference, reply))
        if self.settings.empty == "word":
            wanted, hypothesis = wanted or [EMPTY_WORD], hypothesis or [EMPTY_WORD]
        elif self.settings.empty == "drop" and not wanted:
            hypothesis = []
        return Pair(
            wanted,
            hypothesis,
            *(edits_merging_compounds if self.settings.compounds else count_edits)(wanted, hypothesis),
        )

    def pair_counts(self, pair: Pair) -> dict[str, float]:
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
            "looped": float(bool(find_loop(pair.reply, pair.reference)[0])),
            "n": float(bool(length) or self.settings.empty != "drop"),
        }

    def join_units(self, parts: Sequence[str]) -> str:
        """Units as a text again."""
        return ("" if comparison_rules(self.settings).unit == "characters" else " ").join(parts)

    def _check(self, item: Item, pairs: Sequence[Pair]) -> None:
        """Nobody is scored by blanks in a script that has none, unless they ask for it."""
        if self.settings.language or self.settings.unit:
            return
        for pair in pairs:
            if is_unspaced(text := " ".join(pair.reference)):
                raise UsageError(
                    f"item '{item.id}': '{text[:20]}' is in a script without blanks between words, and no language is "
                    "given; "
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
def comparison_rules(settings: Settings) -> ComparisonRules:
    """Normalizer and unit for some settings."""
    return ComparisonRules(
        find_normalizer(settings.normalizer, settings.language), settings.unit or unit_of(settings.language)
    )


@functools.lru_cache(maxsize=64)
def normalise(text: str, settings: Settings) -> tuple[str, ...]:
    """Units of a text. An item's score and its bounds ask for the same few."""
    norm, unit = comparison_rules(settings)
    return tuple(split_units(norm(text), unit, settings.language))


def item_references(item: Item) -> tuple[str, ...]:
    """The references of an item."""
    if not item.targets:
        raise BadData(f"item '{item.id}' has no target; expected the text that is spoken, an empty one for silence")
    return item.targets


# ---------------------------------------------------------------- errors


def count_edits(reference: Sequence[str], reply: Sequence[str]) -> tuple[int, int, int]:
    """Substitutions, deletions and insertions of a shortest way from the reference to the reply.

    >>> count_edits("the cat sat".split(), "a cat sat down".split())
    (1, 0, 1)
    """
    kinds = [edit.tag for edit in Levenshtein.editops(reference, reply)]
    return kinds.count("replace"), kinds.count("delete"), kinds.count("insert")


def edits_merging_compounds(reference: Sequence[str], reply: Sequence[str]) -> tuple[int, int, int]:
    """The same with compounds as no error.

    >>> edits_merging_compounds("a white paper".split(), "a whitepaper".split())
    (0, 0, 0)
    """
    result = _kaldialign().edit_distance(reference, reply, merge_compounds=True)
    return result["sub"], result["del"], result["ins"]


@functools.cache
def _kaldialign() -> Any:
    try:
        return import_module("kaldialign")
    except ModuleNotFoundError as error:
        raise BadSetup(
            "compounds=true needs the package kaldialign, which is not installed; pip install 'earmark[text]'"
        ) from error


class AlignedUnit(NamedTuple):
    """One unit of the reference beside one of the reply; None where the other has nothing."""

    kind: Literal["equal", "sub", "del", "ins"]
    reference: str | None
    reply: str | None


def align(reference: Sequence[str], reply: Sequence[str]) -> list[AlignedUnit]:
    """Both texts unit by unit, for display.

    >>> [tuple(pair) for pair in align("the cat".split(), "a cat sat".split())]
    [('sub', 'the', 'a'), ('equal', 'cat', 'cat'), ('ins', None, 'sat')]
    """
    out: list[AlignedUnit] = []
    for block in Levenshtein.opcodes(reference, reply):
        wanted, hypothesis = reference[block.src_start : block.src_end], reply[block.dest_start : block.dest_end]
        if block.tag == "insert":
            out += [AlignedUnit("ins", None, unit) for unit in hypothesis]
        elif block.tag == "delete":
            out += [AlignedUnit("del", unit, None) for unit in wanted]
        else:
            kind: Literal["equal", "sub"] = "equal" if block.tag == "equal" else "sub"
            out += [AlignedUnit(kind, *both) for both in zip(wanted, hypothesis, strict=True)]
    return out


def list_errors(pair: Pair) -> list[str]:
    """The errors between two texts in words, the first of many.

    >>> list_errors(WerScorer().pair("the cat ran", "a cat sat down"))
    ["sub 'the' by 'a'", "ins 'sat'", "sub 'ran' by 'down'"]
    """
    if pair.reference == pair.reply:
        return []
    wrong = [unit for unit in align(pair.reference, pair.reply) if unit.kind != "equal"]
    texts = [
        f"sub '{unit.reference}' by '{unit.reply}'"
        if unit.kind == "sub"
        else f"{unit.kind} '{unit.reference or unit.reply}'"
        for unit in wrong[:MAX_LISTED_ERRORS]
    ]
    return [*texts, f"and {len(wrong) - MAX_LISTED_ERRORS} more"] if len(wrong) > MAX_LISTED_ERRORS else texts


def find_loop(reply: Sequence[str], reference: Sequence[str]) -> tuple[list[str], int]:
    """The phrase that a reply repeats most, and how often; nothing where it does not loop.

    >>> find_loop("so thank you thank you thank you thank you thank you".split(), ["so"])
    (['thank', 'you'], 5)
    """
    best: tuple[list[str], int] = ([], 0)
    room = len(reply) - len(reference)  # units too many
    for size in range(1, 1 + min(LONGEST_PHRASE, room // (MIN_LOOP_REPEATS - 1))):
        run = 0
        for start in range(size, len(reply)):
            run = run + 1 if reply[start] == reply[start - size] else 0
            times = run // size + 1
            if times >= MIN_LOOP_REPEATS and times * size > best[1] * len(best[0]):
                best = (list(reply[start - run - size + 1 : start - run + 1]), times)
    return best


load = WerScorer.load


def examples() -> tuple[ScorerExample, ...]:
    neutral = ("sub_rate", "del_rate", "ins_rate", "looped")
    return tuple(
        ScorerExample(
            item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True, neutral=neutral, settings=settings
        )
        for settings in ({}, {"empty": "word"}, {"empty": "drop"}, {"unit": "characters"})
    )
