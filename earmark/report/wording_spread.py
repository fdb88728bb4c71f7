"""Spread of a score over several wordings of its prompt: how much of the score is the wording.

mean, sd, range   of the scores of the wordings; sd has n - 1 in its denominator, and holds sampling noise too
best, worst       the wordings at the ends of the range
difference        best minus worst, over the questions that both answered, with its paired 95 % interval
p                 that the two score alike, times the number of pairs of wordings: the ends were picked by the same data
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean, stdev
from typing import Final

from msgspec import Struct

from earmark.report.comparison import headline_difference
from earmark.report.rows import Row
from earmark.report.run_scores import RunScores
from earmark.report.table import format_number, format_p
from earmark.stats.difference import Difference, holm

HEAD: Final = ("task", "condition", "metric", "mean", "sd", "range", "best", "worst", "best - worst", "p")


class WordingSpread(Struct, frozen=True):
    """Spread of one row over wordings."""

    row: Row  # of the first wording
    mean: float
    sd: float
    best: str
    worst: str
    range: float
    difference: Difference | None  # of best minus worst; None where the two share no questions
    p: float | None


def wording_spreads(
    rows: Mapping[str, list[Row]], scores: Mapping[str, RunScores], seed: int = 0
) -> list[WordingSpread]:
    """Spread of every row that two or more wordings have, by wording."""
    spreads = []
    for first in next(iter(rows.values()), []):
        place = (first.task, first.condition, first.scorer)
        same = {
            name: row
            for name, each in rows.items()
            for row in each
            if (row.task, row.condition, row.scorer) == place and not row.slice
        }
        values = {name: value for name, row in same.items() if (value := row.headline[1].value) is not None}
        if first.slice or len(values) < 2:
            continue
        low, *_, high = sorted(values, key=values.__getitem__)
        worst, best = (low, high) if first.better == "higher" else (high, low)
        difference = headline_difference(scores[worst], scores[best], place, seed)
        p = holm([difference.p], among=len(values) * (len(values) - 1) // 2)[0] if difference else None
        distance = values[high] - values[low]
        spreads.append(
            WordingSpread(first, mean(values.values()), stdev(values.values()), best, worst, distance, difference, p)
        )
    return spreads


def spread_table(spreads: list[WordingSpread]) -> list[tuple[str, ...]]:
    """Format spreads as the lines of a table with the columns `HEAD`."""
    return [
        (
            spread.row.title, spread.row.condition, spread.row.headline[0], format_number(spread.mean),
            format_number(spread.sd), format_number(spread.range), spread.best, spread.worst,
            _interval(spread.difference), "-" if spread.p is None else format_p(spread.p),
        )
        for spread in spreads
    ]  # fmt: skip


def _interval(difference: Difference | None) -> str:
    if difference is None or difference.low is None or difference.high is None:
        return "-"
    return f"{difference.value:.3f} ({difference.low:.3f} to {difference.high:.3f})"
