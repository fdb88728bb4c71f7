"""Progress of a run."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from earmark.journal import Record
from earmark.types import Seconds, Usage


class Progress(Struct):
    """Progress of a run. The only mutable noun: it is updated while the run goes on."""

    total: int = 0
    done: int = 0  # in this sitting
    done_before: int = 0  # by earlier ones
    failed: int = 0
    refused: int = 0
    in_flight: int = 0
    limit: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_sound: int = 0  # of tokens_in
    cost: float = 0.0
    seconds: Seconds = 0.0
    waiting: Seconds = 0.0  # that the server still asks everybody to wait

    def add(self, usage: Usage) -> None:
        """Enter what answers took."""
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.tokens_sound += usage.audio_tokens_in
        self.cost += usage.cost

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def remaining(self) -> Seconds | None:
        """Seconds to the end at this rate."""
        return (self.total - self.done_before - self.done) / self.rate if self.rate else None


class Callbacks(Struct, frozen=True):
    """Functions that are called with messages and with the progress of a run."""

    log: Callable[[str], None]
    progress: Callable[[Progress], None]


def count_record(progress: Progress, record: Record) -> None:
    """Enter one record."""
    progress.done += 1
    if record.failure:
        progress.refused += record.failure.state == "refused"
        progress.failed += record.failure.state != "refused"
    elif record.response:
        progress.refused += record.response.stop == "filtered"
        progress.add(record.response.usage)
