"""Rows of a report on sound in noise."""

from __future__ import annotations

from earmark.report.rows import Row
from earmark.stats.estimate import Estimate
from earmark.types import STATES


def row(task: str, condition: str, value: float | None, slice: str = "") -> Row:  # noqa: A002 - as the row has it
    estimate = Estimate(value) if value is None else Estimate(value, value - 0.1, value + 0.1)
    return Row(
        task,
        condition,
        "choice",
        "",
        20,
        dict.fromkeys(STATES, 0),
        {"accuracy": estimate},
        guess_rate=0.25,
        slice=slice,
    )


ROWS = [
    row("words", "noise:-10", 0.3),
    row("words", "plain", 0.9),
    row("words", "noise:20", 0.8),
    row("words", "noise:0", 0.6),
    row("words", "silence", 0.25),
    row("words", "noise:babble@0", 0.4),
    row("words", "noise:pink@0", None),
    row("words", "noise:0", 0.1, "user=1"),
    row("tones", "plain", 0.5),
]
