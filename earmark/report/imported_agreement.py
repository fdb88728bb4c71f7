"""Another harness's verdicts beside ours, of the same replies.

    theirs = replies that they took for right / replies with a verdict
    agreement = replies that both took for right, or both for wrong / replies with a verdict
    kappa: the same beyond chance, as stats/agreement.py has it

A verdict is right or wrong, or none: a grade of another scale is none, nor is what their judge failed to give. A reply
that we cannot read, or that refuses, is wrong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from earmark.stats.agreement import agreement_counts, agreement_metrics
from earmark.stats.count_table import CountTable
from earmark.stats.estimate import Estimate, estimates
from earmark.stats.ratio import ratio
from earmark.text.imported_verdicts import parse_notes
from earmark.types import HasVerdicts, Item, Metric, Response, Score, Scorer

METRICS: Final[Mapping[str, Metric]] = {"theirs": ratio("theirs", "cases"), **agreement_metrics(("right", "wrong"))}


def headline_measure(scorers: Iterable[Scorer]) -> str:
    """The name of their headline among the scorers of a task, if it is right or wrong; else nothing."""
    return next(
        (scorer.verdict_name for scorer in scorers if isinstance(scorer, HasVerdicts) and scorer.verdict_name), ""
    )


class AgreementCounter:
    """The verdicts of one task under one condition, grown one reply at a time."""

    def __init__(self) -> None:
        self._bags = CountTable()

    def add(self, item: Item, response: Response, of: str, ours: Score) -> None:
        """Enter one reply, if they found it right or wrong by the measure `of`."""
        verdict = parse_notes(response.notes).get(of)
        if verdict and verdict.value in (0, 1):
            label = "right" if verdict.value else "wrong"
            counts = agreement_counts(label, "right" if ours.counts["right"] else "wrong") | {"theirs": verdict.value}
            self._bags.add(counts, item.group or item.id)

    def estimates(self) -> dict[str, Estimate]:
        """Theirs, agreement and kappa; nothing where there is no verdict."""
        return estimates(METRICS, self._bags.columns, self._bags.groups) if len(self._bags) else {}
