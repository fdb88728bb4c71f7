"""Brief: replies of few words, a whole scorer in one file.

    brief = replies of at most `most` words / n

earmark rescore RUN --scorer ./examples/brief.py most=3
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from earmark.stats.ratio import ratio
from earmark.types import Context, Item, Metric, Response, Score


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set. It signs the numbers."""

    most: int = 5  # words


class BriefScorer(Struct, frozen=True):
    """The scorer."""

    settings: Settings
    name: str

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {"brief": ratio("brief", "n")}

    async def score(self, item: Item, response: Response) -> Score:
        if response.stop == "filtered":
            return Score(self.bounds(item)[0], state="refused", rule="filtered")
        brief = len(response.text.split()) <= self.settings.most
        return Score({"brief": float(brief), "n": 1.0}, response.text)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:  # noqa: ARG002
        return {"brief": 0.0, "n": 1.0}, {"brief": 1.0, "n": 1.0}


def load(settings: Settings, context: Context) -> BriefScorer:
    """Load the scorer under the name by which it was asked for."""
    return BriefScorer(settings, context.name)
