"""Every metric of every scorer, with an item that it can score: for laws that hold for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from contract import every_example
from msgspec import Struct

from earmark.engine.load import load_scorer
from earmark.plugins.examples import CHOICE_ITEM, TEXT_ITEM
from earmark.scorers.imported_score import ImportedMeasure, ImportedScorer
from earmark.scorers.imported_score import Settings as Theirs
from earmark.types import Item, Metric, Response, Score, Scorer

CHOICE, TEXT = CHOICE_ITEM, TEXT_ITEM


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
    for name, example in dict(reversed(every_example("scorers"))).items():
        yield load_scorer(name, example.settings), example.item  # the first of each
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
