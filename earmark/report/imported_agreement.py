"""Agreement of our verdicts with imported ones on the same replies.

    imported = replies right by the imported verdict / replies with a verdict
    agreement = replies with equal verdicts / replies with a verdict
    kappa: agreement beyond chance, see stats/agreement.py

Only right and wrong are verdicts: grades of another scale and missing verdicts are left out. Unparsed replies and
refusals count as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from earmark.journal import Record
from earmark.stats.agreement import agreement_counts, agreement_metrics
from earmark.stats.count_table import CountTable
from earmark.stats.estimate import Estimate, estimates
from earmark.stats.ratio import ratio
from earmark.types import HasVerdicts, Metric, Score, Scorer

METRICS: Final[Mapping[str, Metric]] = {
    "imported": ratio("imported", "cases"),
    **agreement_metrics(("right", "wrong")),
}


def headline_measure(scorers: Iterable[Scorer]) -> str:
    """Name of the imported headline measure of a task, if it is binary; else empty."""
    names = (scorer.verdict_name for scorer in scorers if isinstance(scorer, HasVerdicts))
    return next(filter(None, names), "")


class AgreementCounter:
    """Counts of equal and different verdicts of one task under one condition."""

    def __init__(self) -> None:
        self._counts = CountTable()

    def add(self, record: Record, measure: str, score: Score) -> None:
        """Add one reply, if its imported verdict by a measure is right or wrong."""
        item = record.item
        verdict = next((verdict for verdict in record.all_verdicts if verdict.measure == measure), None)
        if verdict and verdict.value in (0, 1):
            imported, ours = ("right" if value else "wrong" for value in (verdict.value, score.counts["right"]))
            self._counts.add(agreement_counts(imported, ours) | {"imported": verdict.value}, item.group or item.id)

    def estimates(self) -> dict[str, Estimate]:
        """Estimate the metrics; empty without any verdict."""
        return estimates(METRICS, self._counts.columns, self._counts.groups) if len(self._counts) else {}
