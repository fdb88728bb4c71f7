"""What a report is made of: one row for each task, condition and scorer."""

from __future__ import annotations

from msgspec import Struct

from earmark.stats.estimate import Estimate


class Row(Struct, frozen=True):
    """The numbers of one task under one condition by one scorer."""

    task: str
    condition: str
    scorer: str
    signature: str
    n: int  # everything that was asked, failures too
    states: dict[str, int]
    metrics: dict[str, Estimate]  # the headline first
    chance: float | None = None
    by_repeat: list[float | None] = []  # the headline of each repeat, where there are several

    @property
    def failed(self) -> int:
        """Items without an answer."""
        return self.states.get("request-failed", 0) + self.states.get("sound-failed", 0)

    @property
    def headline(self) -> tuple[str, Estimate]:
        """The first metric, by name."""
        return next(iter(self.metrics.items()))


class Metrics(Struct, frozen=True):
    """The whole of metrics.json."""

    finished: bool  # nothing is left to ask
    rows: list[Row]
    skipped: dict[str, dict[str, int]] = {}  # by task and reason: never asked, never counted
    notices: list[str] = []
    prompts: str = ""  # a digest of every prompt's words
