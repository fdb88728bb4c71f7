"""One minus the error rate of each item, at least 0, and the mean of that: for sets whose numbers must be in 0 to 1.

    clipped_accuracy = mean over items of max(0, 1 - errors / length)

`errors` is the least number of units to replace, delete and insert. Units are what stands between blanks, once
punctuation is taken out: `words` and `phones` in lower case, `tags` (of parts of speech) in the case they have.
Among words a Chinese character is one of its own. Of
several references the best counts. An empty reference is met by an empty reply and no other. This is the rule of
Dynamic-SUPERB phase 2 as HUMANS writes it down; the error rate over all items is what `wer` gives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from msgspec import Struct
from rapidfuzz.distance import Levenshtein

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import TextScorer
from earmark.stats.ratio import ratio
from earmark.types import Item, Metric, Response, Score, Signature, sign

HAN: Final = re.compile(r"[\u3400-\u9fff]")
METRICS: Final = {"clipped_accuracy": ratio("kept", "n"), "exact": ratio("exact", "n")}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which units."""

    unit: Literal["words", "phones", "tags"] = "words"


class ClippedAccuracyScorer(TextScorer, frozen=True):
    """One minus the error rate of each item, never below 0."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> ClippedAccuracyScorer(Settings("phones")).signature.rules
        'clipped_accuracy|unit:phones|case:lower|punctuation:removed'
        """
        case = "kept" if self.settings.unit == "tags" else "lower"
        return sign("clipped_accuracy", ("unit", self.settings.unit), ("case", case), ("punctuation", "removed"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        if not response.text.strip():
            return Score(self.counts(item, ""), state="unparsed", rule="empty")
        return Score(self.counts(item, response.text), " ".join(self.units(response.text)))

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        best = self.counts(item, item.targets[0] if item.targets else "")
        return {"kept": 0.0, "exact": 0.0, "n": 1.0}, best

    def units(self, text: str) -> list[str]:
        """
        >>> ClippedAccuracyScorer(Settings("tags")).units("NN, VB."), ClippedAccuracyScorer().units("Hello, World!")
        (['NN', 'VB'], ['hello', 'world'])
        """
        plain = "".join(sign for sign in text if not unicodedata.category(sign).startswith("P"))
        plain = HAN.sub(r" \g<0> ", plain) if self.settings.unit == "words" else plain
        return (plain if self.settings.unit == "tags" else plain.lower()).split()

    def counts(self, item: Item, answer: str) -> dict[str, float]:
        """The counts of one item whose reply is `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected the {self.settings.unit} of the right answer")
        reply = self.units(answer)
        kept = max(self._kept(self.units(target), reply) for target in item.targets)
        return {"kept": kept, "exact": float(kept == 1.0), "n": 1.0}

    def _kept(self, reference: list[str], reply: list[str]) -> float:
        if not reference:
            return float(not reply)
        return max(0.0, 1.0 - Levenshtein.distance(reference, reply) / len(reference))


load = ClippedAccuracyScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True),
        ScorerExample(
            item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True, settings={"unit": "tags"}
        ),
    )
