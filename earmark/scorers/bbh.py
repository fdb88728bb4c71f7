"""Yes and no, or (a) and (b), read by VoiceBench's phrases for BIG-Bench Hard.

    accuracy      = right / n
    accuracy_read = right / read

The phrases are those of the item's kind (`text/bbh_phrases.py`), which is in its id, as in `web_of_lies_17`, or in its
tag `kind`. Targets are yes, no, (a) or (b). VoiceBench draws yes or no at random for a reply that it cannot read; such
a reply is unread here, and wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import ScorerExample
from earmark.scorers._base import RuleScorer
from earmark.stats.ratio import ratio
from earmark.text.bbh_phrases import KINDS, read_bbh
from earmark.types import Item, Metric, Response, Score, Signature, sign

METRICS: Final = {"accuracy": ratio("right", "n"), "accuracy_read": ratio("right", "read")}
VALUES: Final = {"no": 0, "yes": 1, "(a)": 0, "(b)": 1}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the rule: it has none."""


class BbhScorer(RuleScorer, frozen=True):
    """Reads yes or no, or (a) or (b), by VoiceBench's phrases."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> BbhScorer().signature.rules
        'bbh|phrases:voicebench.1'
        """
        return sign("bbh", ("phrases", "voicebench.1"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        value = read_bbh(response.whole_text, kind_of(item)) if response.whole_text.strip() else None
        if value is None:
            return Score(self.bounds(item)[0], state="unparsed", rule="no phrase")
        right = value in target_values(item)
        answer = ("(a)", "(b)")[value] if kind_of(item) == "hyperbaton" else ("no", "yes")[value]
        return Score({"right": float(right), "read": 1.0, "n": 1.0, "chance": 0.5}, answer, rule="phrases")

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        target_values(item)
        return (
            {"right": 0.0, "read": 0.0, "n": 1.0, "chance": 0.5},
            {"right": 1.0, "read": 1.0, "n": 1.0, "chance": 0.5},
        )


def kind_of(item: Item) -> str:
    """The task of BIG-Bench Hard that an item is of. Raises BadData for none."""
    text = f"{item.tags.get('kind', '')} {item.id}"
    kind = next((kind for kind in KINDS if kind in text), None)
    if kind is None:
        raise BadData(f"item '{item.id}': its id names no kind; expected one of {', '.join(KINDS)}")
    return kind


def target_values(item: Item) -> set[int]:
    """The right values of an item. Raises BadData for a target that is none."""
    values = {VALUES.get(target.strip().lower()) for target in item.targets}
    if not values or None in values:
        raise BadData(
            f"item '{item.id}' has the targets {', '.join(item.targets) or 'none'}; expected yes, no, (a) or (b)"
        )
    return {value for value in values if value is not None}


load = BbhScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(
            item=Item("navigate_1", "t", "?", targets=("yes",)),
            right="So the answer is yes.",
            wrong="So the answer is no.",
        ),
    )
