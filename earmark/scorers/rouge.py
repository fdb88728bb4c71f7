"""ROUGE-L of summaries and captions.

    P = lcs / tokens of the reply,  R = lcs / tokens of the reference,  rouge_l = 2 P R / (P + R)

`lcs` is the length of the longest sequence of tokens that both have in the same order, with anything between. The
number is the mean over items; `rouge_l_precision` and `rouge_l_recall` are the means of P and R. Of several references
the one with the highest F counts. Where either side has no token all three are 0.

Tokens are those of Google's rouge-score, runs of the letters a to z and digits in lower case, without its stemmer. For
another language than English they are the words or, where the script puts no blanks between words, the characters of
the text as `text/normalise.py` compares it: by rouge-score's own rule such a text would have no token at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import Struct
from rapidfuzz.distance import LCSseq

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import PROBE, TextScorer
from earmark.stats.ratio import mean
from earmark.text.normalise import find_normalizer, language_of, split_units, unit_of
from earmark.types import Item, Metric, Response, Score, Signature, sign

METRICS: Final = {name: mean(name, "n", (0, 1)) for name in ("rouge_l", "rouge_l_precision", "rouge_l_recall")}
WORD: Final = re.compile(r"[a-z0-9]+")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """ROUGE-L against the item's targets."""

    language: str = "en"

    def __post_init__(self) -> None:
        language_of(self.language)


class RougeScorer(TextScorer, frozen=True):
    """ROUGE-L against the item's targets."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> RougeScorer().signature.rules
        'rouge-l|tok:rouge-score|agg:mean'
        """
        language = self.settings.language
        english = language_of(language) == "en"
        tokens = "rouge-score" if english else f"{find_normalizer(language=language)},{unit_of(language)}"
        return sign("rouge-l", ("tok", tokens), ("agg", "mean"))

    def check(self) -> None:
        """Raise BadSetup where a package that the normaliser needs is not there."""
        self.tokens(PROBE)

    async def score_reply(self, item: Item, response: Response) -> Score:
        return Score(self.counts(item, response.text), response.text.strip())

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), max(
            (self.counts(item, text) for text in item.targets), key=lambda c: c["rouge_l"]
        )

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply is `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected a reference text")
        reply = self.tokens(answer or "")
        best = max(rouge_l(self.tokens(target), reply) for target in item.targets)
        return dict(zip(METRICS, best, strict=True)) | {"n": 1.0}

    def tokens(self, text: str) -> list[str]:
        """A text in the units that are compared."""
        if language_of(self.settings.language) == "en":
            return WORD.findall(text.lower())
        return split_units(
            find_normalizer(language=self.settings.language)(text),
            unit_of(self.settings.language),
            self.settings.language,
        )


def rouge_l(reference: list[str], reply: list[str]) -> tuple[float, float, float]:
    """F, precision and recall of two lists of tokens.

    >>> rouge_l("the cat sat".split(), "the big cat".split())[1:]
    (0.6666666666666666, 0.6666666666666666)
    """
    common = LCSseq.similarity(reference, reply)
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(reply), common / len(reference)
    return 2 * precision * recall / (precision + recall), precision, recall


load = RougeScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True),)
