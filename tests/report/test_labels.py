"""Labels tell scorers of one name apart, and nothing else."""

from __future__ import annotations

from earmark.report.aggregates import labels
from earmark.report.labels import distinct_labels
from earmark.scorers.choice import ChoiceScorer, Settings
from earmark.scorers.wer import WerScorer
from earmark.types import Scorer


def test_only_scorers_of_one_name_are_told_apart() -> None:
    scorers: list[Scorer] = [ChoiceScorer(Settings("mmau")), WerScorer(), ChoiceScorer()]
    assert labels(scorers) == distinct_labels(scorers) == ["choice mmau", "wer", "choice earmark"]
    assert labels(scorers[:2]) == ["choice", "wer"]
