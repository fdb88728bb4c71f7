"""Token match against the right answer, the official rule of MMAU and MMAR.

    accuracy          = right / n
    accuracy_answered = right / answered

A reply is right that holds every word of the answer and no word that only other options have (`text/token_match.py`).
The answer is `extra.answer` of an item, where its data has a gold that is none of the options, else the text of the
right choice. `answered` counts items that have a reply, be it empty: MMAU's script leaves out those that have none, so
`denominator=answered` makes `accuracy_answered` the headline. Guessing is the share of options that pass as a reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import CHOICE_ITEM, ScorerExample
from earmark.scorers._base import RuleScorer
from earmark.stats.ratio import ratio
from earmark.text.token_match import token_match
from earmark.types import Item, Metric, Response, Score, Signature, sign

METRICS: Final = {"accuracy": ratio("right", "n"), "accuracy_answered": ratio("right", "answered")}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the rule."""

    denominator: Literal["asked", "answered"] = "asked"  # of the headline


class TokenMatchScorer(RuleScorer, frozen=True):
    """Right where a reply holds the words of the answer and none of another's."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return METRICS if self.settings.denominator == "asked" else dict(reversed(METRICS.items()))

    @property
    def signature(self) -> Signature:
        """
        >>> TokenMatchScorer(Settings("answered")).signature.rules
        'token_match|denominator:answered'
        """
        return sign("token_match", ("denominator", self.settings.denominator))

    async def score_reply(self, item: Item, response: Response) -> Score:
        reply = response.whole_text
        right = any(token_match(reply, answer, item.choices) for answer in answers_of(item))
        counts = _counts(item, right=right) | {"answered": 1.0}
        if not reply.strip():
            return Score(counts, state="unparsed", rule="empty")
        return Score(counts, next(iter(item.targets), answers_of(item)[0]) if right else None, rule="token-match")

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return _counts(item, right=False), _counts(item, right=True) | {"answered": 1.0}


def answers_of(item: Item) -> tuple[str, ...]:
    """The texts of the right answers. Raises BadData where an item has none."""
    given = item.extra.get("answer")
    texts = (str(given),) if given is not None else ()
    shown = dict(zip(item.labels, item.choices, strict=True))
    answers = texts or tuple(dict.fromkeys(shown.get(target, target) for target in item.targets))
    if not answers:
        raise BadData(f"item '{item.id}' has no right answer; expected one, or a scorer that needs none")
    return answers


def _counts(item: Item, *, right: bool) -> dict[str, float]:
    """The counts of an item; one without a reply is not answered."""
    answers = answers_of(item)
    passing = sum(any(token_match(choice, answer, item.choices) for answer in answers) for choice in item.choices)
    chance = passing / len(item.choices) if item.choices else 0.0
    return {"right": float(right), "answered": 0.0, "n": 1.0, "chance": chance}


load = TokenMatchScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(item=CHOICE_ITEM, right="yes", wrong="no", neutral=("accuracy_answered",)),
        ScorerExample(
            item=CHOICE_ITEM,
            right="yes",
            wrong="no",
            neutral=("accuracy_answered",),
            settings={"denominator": "answered"},
        ),
    )
