"""Accuracy over choices.

    accuracy = right / n

`right` counts replies from which a right label was read, `n` all items that were asked. A reply that cannot be read or
refuses is in `n` and not in `right`, and so is an item that failed; each is counted beside it, and the bounds of an
estimate tell what the failures may have hidden. `accuracy_read` leaves out what was not read.
Chance is the mean over items of right labels by choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np
from msgspec import Struct

from earmark.text.answers import READERS, read_choice
from earmark.types import Item, Metric, Number, Response, Score


def ratio(top: str, bottom: str) -> Metric:
    """The metric of one count by another, as a share."""
    return Metric(lambda counts: divided(counts.get(top, 0.0), counts.get(bottom, 0.0)), share=(top, bottom))


def divided(top: Number, bottom: Number) -> Number:
    """A quotient that is not a number where nothing was counted, for numbers and for arrays of them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Number = np.true_divide(top, bottom)
    return quotient


METRICS: Final = {"accuracy": ratio("right", "n"), "accuracy_read": ratio("right", "read")}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Reads a label from the reply and compares it with the right ones."""

    name: ClassVar[str] = "choice"

    reader: str = "earmark"  # or one of the official readers by name

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return METRICS

    async def score(self, item: Item, response: Response) -> Score:
        if response.stop == "filtered":
            return Score(self.counts(item, None), state="refused", rule="filtered")
        if self.reader == "earmark":
            reading = read_choice(response.text, item.labels, item.choices, cut=response.stop == "length")
        else:
            reading = READERS[self.reader](response.text, item.labels, item.choices)
        return Score(self.counts(item, reading.answer), reading.answer, reading.state, reading.rule)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), self.counts(item, item.targets[0])

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`."""
        chance = len(item.targets) / len(item.labels) if item.labels else 0.0
        return {"right": float(answer in item.targets), "read": float(answer is not None), "n": 1.0, "chance": chance}


Choice = Settings


def load(settings: Settings) -> Settings:
    """A scorer is its settings."""
    return settings
