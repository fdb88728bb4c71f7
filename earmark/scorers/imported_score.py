"""Scores given by another harness, from imported records.

    theirs_NAME = sum of their values / replies that they gave one

The values are theirs, in their scale: 0 or 1, 0 to 5, an error rate of each utterance. Nothing is read or judged anew.
The number is the mean over replies; where the other harness publishes something else of the same values, such as an
error rate over all words together, the two differ. A reply that they gave no value, because their judge failed, is
`judge-failed` and outside the sum. A request that failed there has no reply: it counts the least, whatever they made of
it, and its bounds are told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.stats.ratio import ratio
from earmark.types import Context, Item, Metric, Response, Score, Signature, State, replace, sign


class ImportedMeasure(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that they measured, under their name."""

    name: str = "score"
    lowest: float = 0.0
    highest: float | None = 1.0  # None: it has no top
    better: Literal["higher", "lower"] = "higher"

    @property
    def worst(self) -> float:
        """The value of a failure. An error rate without a top is 1 where nothing came."""
        if self.better == "higher":
            return self.lowest
        return 1.0 if self.highest is None else self.highest

    @property
    def best(self) -> float:
        """The value that a failure may have hidden; where there is no top nobody knows, and it is the worst."""
        if self.better == "lower":
            return self.lowest
        return self.worst if self.highest is None else self.highest

    @property
    def scale(self) -> str:
        """
        >>> ImportedMeasure("rating", 0, 5).scale, ImportedMeasure("wer", highest=None, better="lower").scale
        ('0-5', '0-,lower')
        """
        top = "" if self.highest is None else f"{self.highest:g}"
        return f"{self.lowest:g}-{top}{',lower' if self.better == 'lower' else ''}"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which of their measures, the headline first."""

    measures: tuple[ImportedMeasure, ...] = (ImportedMeasure(),)


class ImportedScorer(Struct, frozen=True):
    """The verdicts of another harness."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {f"theirs_{measure.name}": _metric(measure) for measure in self.settings.measures}

    @property
    def signature(self) -> Signature:
        """
        >>> ImportedScorer(Settings((ImportedMeasure("llama3_70b_judge", 0, 5),))).signature.rules
        'theirs|llama3_70b_judge:0-5'
        """
        return sign("theirs", *((measure.name, measure.scale) for measure in self.settings.measures))

    @property
    def verdict_name(self) -> str:
        """Name of the headline if it says right or wrong; empty for a grade."""
        headline = self.settings.measures[0]
        return headline.name if (headline.lowest, headline.highest) == (0, 1) else ""

    async def score(self, item: Item, response: Response) -> Score:  # noqa: ARG002 - verdicts are of the reply
        verdict_of = {verdict.measure: verdict for verdict in response.verdicts}
        given = [
            (measure.name, verdict_of[measure.name])
            for measure in self.settings.measures
            if measure.name in verdict_of and verdict_of[measure.name].value is not None
        ]
        headline = verdict_of.get(self.settings.measures[0].name)
        why = headline.explanation if headline else "they said nothing of this reply"
        if not given:
            return Score({}, state="judge-failed", explanation=why)
        counts: dict[str, float] = {}
        for name, verdict in given:
            counts |= {name: verdict.value or 0.0, _count_name(name): 1.0}
        read = next((verdict.answer for _, verdict in given if verdict.answer is not None), None)
        return Score(counts, read or None, _state(response, read), explanation=why)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:  # noqa: ARG002 - alike for all
        worst = {measure.name: measure.worst for measure in self.settings.measures}
        best = {measure.name: measure.best for measure in self.settings.measures}
        times = {_count_name(measure.name): 1.0 for measure in self.settings.measures}
        return worst | times, best | times


def _state(response: Response, read: str | None) -> State:
    if response.stop == "filtered":
        return "refused"
    return "unparsed" if read == "" else "answered"


def _count_name(name: str) -> str:
    return f"{name} given"


def _metric(measure: ImportedMeasure) -> Metric:
    mean = ratio(measure.name, _count_name(measure.name))
    # of values that are all 0 or 1 the number is a share, which the estimate finds out
    share = mean.share if (measure.lowest, measure.highest) == (0, 1) else None
    top = math.inf if measure.highest is None else measure.highest
    return replace(mean, better=measure.better, share=share, limits=(measure.lowest, top))


def load(settings: Settings, context: Context) -> ImportedScorer:
    """Load the scorer."""
    return ImportedScorer(settings, context.name)


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=TEXT_ITEM),)
