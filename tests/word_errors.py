"""Error rates of a few pairs, for tests."""

from __future__ import annotations

import asyncio

from earmark.scorers.wer import Settings, WerScorer
from earmark.types import Item, Response, Score

RAW = WerScorer(Settings(normalizer="none", unit="words", tokens="kept"))


def item(*references: str) -> Item:
    return Item("1", targets=references)


def score(reference: str, reply: str, settings: WerScorer = RAW) -> Score:
    return asyncio.run(settings.score(item(reference), Response(reply)))


def of(settings: WerScorer, *pairs: tuple[str, str]) -> dict[str, float]:
    """All metrics over some pairs of reference and reply."""
    bags = [settings.counts(item(reference), reply) for reference, reply in pairs]
    sums = {name: sum(bag[name] for bag in bags) for name in bags[0]}
    return {name: float(metric.value(sums)) for name, metric in settings.metrics.items()}


def wer(reference: str, reply: str, settings: WerScorer) -> float:
    return next(iter(of(settings, (reference, reply)).values()))
