"""Exact match of short answers, strict and lenient.

    exact_match              = replies equal to a reference / n
    quasi_exact_match        = the same, once both are normalised
    quasi_prefix_exact_match = normalised replies that begin with a normalised reference / n
    contains                 = normalised replies in which a normalised reference occurs, as whole words / n

White space at either end is no difference. Quasi-exact is HELM's rule for any script: one form of each letter, lower
case, without punctuation and without the articles a, an and the; `normalizer=helm` knows ASCII punctuation only, as
HELM does. With `boundary=letters` a reference may also occur inside a word, as VocalBench counts it. An empty
reference, where silence is right, is matched by an empty reply and no other, in all four; an empty reply matches
nothing else. Any other reference that normalises to nothing is matched by no reply in the last two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import PROBE, TextScorer
from earmark.stats.ratio import ratio
from earmark.text.normalise import find_normalizer, is_unspaced
from earmark.types import Item, Metric, Response, Score, Signature, sign

MATCHES: Final = ("exact_match", "quasi_exact_match", "quasi_prefix_exact_match", "contains")
METRICS: Final = {match: ratio(match, "n") for match in MATCHES}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """How texts are compared."""

    normalizer: str = "answer"  # or another of text/normalise.py
    boundary: Literal["words", "letters"] = "words"
    case: Literal["kept", "ignored"] = "kept"  # in exact_match
    blanks: Literal["stripped", "kept"] = "stripped"  # at either end, in exact_match
    headline: Literal["exact_match", "quasi_exact_match", "quasi_prefix_exact_match", "contains"] = "exact_match"

    def __post_init__(self) -> None:
        find_normalizer(self.normalizer)


class ExactScorer(TextScorer, frozen=True):
    """Exact match with any of the item's targets."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return dict(sorted(METRICS.items(), key=lambda entry: entry[0] != self.settings.headline))

    @property
    def signature(self) -> Signature:
        """
        >>> ExactScorer().signature.rules
        'exact|norm:answer.1|boundary:words'
        """
        given = self.settings
        parts: list[tuple[str, object]] = [("norm", find_normalizer(given.normalizer)), ("boundary", given.boundary)]
        parts += [("case", given.case)] * (given.case != "kept") + [("blanks", given.blanks)] * (
            given.blanks != "stripped"
        )
        parts += [("headline", given.headline)] * (given.headline != "exact_match")
        return sign("exact", *parts)

    def check(self) -> None:
        """Raise BadSetup where a package that the normaliser needs is not there."""
        find_normalizer(self.settings.normalizer)(PROBE)

    async def score_reply(self, item: Item, response: Response) -> Score:
        counts = self.counts(item, response.text)
        return Score(counts, response.text.strip(), rule=next((match for match in MATCHES if counts[match]), ""))

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        right = [self.counts(item, target) for target in item.targets]
        return self.counts(item, None), {name: max(counts[name] for counts in right) for name in right[0]}

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply is `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected the text of the right answer")
        pairs = [self._matches(answer, wanted) for wanted in item.targets] if answer is not None else []
        best = (float(any(column)) for column in zip((False,) * 4, *pairs, strict=True))
        return dict(zip(MATCHES, best, strict=True)) | {"n": 1.0}

    def _is_same(self, prediction: str, wanted: str) -> bool:
        if self.settings.blanks == "stripped":
            prediction, wanted = prediction.strip(), wanted.strip()
        return prediction.lower() == wanted.lower() if self.settings.case == "ignored" else prediction == wanted

    def _matches(self, prediction: str, wanted: str) -> tuple[bool, bool, bool, bool]:
        is_same = self._is_same(prediction, wanted)
        prediction, wanted = prediction.strip(), wanted.strip()
        if not prediction or not wanted:
            return (prediction == wanted,) * 4
        normal = find_normalizer(self.settings.normalizer)
        reply, reference = normal(prediction).strip(), normal(wanted).strip()
        edge = "" if self.settings.boundary == "letters" or is_unspaced(reference) else " "
        return (
            is_same,
            reply == reference,
            bool(reference) and reply.startswith(reference),
            bool(reference) and f"{edge}{reference}{edge}" in f"{edge}{reply}{edge}",
        )


load = ExactScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True),
        ScorerExample(
            item=TEXT_ITEM, right=TEXT_ITEM.targets[0], wrong="no", any_words=True, settings={"boundary": "letters"}
        ),
    )
