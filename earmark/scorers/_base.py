"""The frame of a scorer by a rule: what is not the rule itself."""

from __future__ import annotations

from typing import Any, Final, Self

from msgspec import Struct

from earmark.types import Context, Item, Response, Score

PROBE: Final = "one 我们"  # a text that takes all that normalisers need


class RuleScorer(Struct, frozen=True):
    """A scorer of its settings. What the service withheld is no answer and counts as the worst one."""

    settings: Any
    name: str

    @classmethod
    def load(cls, settings: Any, context: Context) -> Self:
        """Load the scorer under the name of its context: the `load` of its module."""
        return cls(settings, context.name)

    async def score(self, item: Item, response: Response) -> Score:
        if response.stop == "filtered":
            return Score(self.bounds(item)[0], state="refused", rule="filtered")
        return await self.score_reply(item, response)

    async def score_reply(self, item: Item, response: Response) -> Score:
        """Score a reply that was not withheld."""
        raise NotImplementedError(f"{type(self).__name__} has no score_reply")

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        raise NotImplementedError(f"{type(self).__name__} has no bounds")


class AnswerScorer(RuleScorer, frozen=True):
    """A scorer that counts the answer that was read from a reply."""

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`; None: nothing was read."""
        raise NotImplementedError(f"{type(self).__name__} has no counts")

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), self.counts(item, next(iter(item.targets), None))


class TextScorer(RuleScorer, frozen=True):
    """A scorer of whole texts: a reply that was cut before its first word is no silence, which may be right."""

    async def score(self, item: Item, response: Response) -> Score:
        if response.stop == "length" and not response.text.strip():
            return Score(self.bounds(item)[0], state="unparsed", rule="cut")
        return await RuleScorer.score(self, item, response)
