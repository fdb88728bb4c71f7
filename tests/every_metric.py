"""Every metric of every scorer, with an item that it can score: for laws that hold for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import pytest
from msgspec import Struct

from earmark.engine.load import load_scorer
from earmark.plugins import plugin_names
from earmark.scorers.imported_score import ImportedMeasure, ImportedScorer
from earmark.scorers.imported_score import Settings as Theirs
from earmark.types import Item, Metric, Response, Score, Scorer

CHOICE = Item("1", "t", "?", choices=("yes", "no"), labels=("A", "B"), targets=("A",))
TEXT = Item("1", "t", "?", targets=("the cat sat on the mat",))
NUMBER = Item("1", "t", "?", targets=("42",))
ITEMS = {
    "choice": CHOICE,
    "classes": CHOICE,
    "listen": CHOICE,
    "binary_choice": CHOICE,
    "number": NUMBER,
    "token_match": CHOICE,
    "regression": NUMBER,
    "bbh": Item("navigate_1", "t", "?", targets=("yes",)),
    "instruction_rules": Item("1", "t", "?", extra={"rules": "punctuation:no_comma", "arguments": {}}),
    "rubric": msgspec.structs.replace(CHOICE, extra={"rubric": ["Hears it."]}),
}


class Only(Struct, frozen=True):
    """A scorer of one metric."""

    scorer: Scorer
    metric: str

    @property
    def name(self) -> str:
        return self.metric

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {self.metric: self.scorer.metrics[self.metric]}

    async def score(self, item: Item, response: Response) -> Score:
        return await self.scorer.score(item, response)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.scorer.bounds(item)


def scorers() -> Iterator[tuple[Scorer, Item]]:
    for name in plugin_names("scorers"):
        yield load_scorer(name, {}), ITEMS.get(name, TEXT)
    yield (
        ImportedScorer(
            Theirs((ImportedMeasure("wer", highest=None, better="lower"), ImportedMeasure("wrong", better="lower")))
        ),
        TEXT,
    )


def every_metric() -> list[object]:
    """Parameters of a test: a scorer of one metric, and an item."""
    return [
        pytest.param(Only(scorer, name), item, id=f"{scorer.name}-{name}")
        for scorer, item in scorers()
        for name in scorer.metrics
    ]
