"""Scores of a run: a scorer is made again from what the run wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earmark.report.aggregates import Aggregate, RowKey, aggregate_row
from earmark.runs.run_scores import _find_scorer
from earmark.scorers import choice, listen, wer
from earmark.stats.count_table import CountTable
from earmark.types import replace


@pytest.mark.parametrize(
    "scorer",
    [
        choice.ChoiceScorer(),
        listen.ListenScorer(listen.Settings(policy="official")),
        listen.ListenScorer(listen.Settings(denominator="read")),
        wer.WerScorer(),
    ],
)
def test_a_scorer_is_made_again_from_its_settings(scorer: Any) -> None:
    bags = CountTable()
    bags.add({"n": 1.0}, "g")
    written = aggregate_row(RowKey("t", "plain", scorer.name), Aggregate(scorer, bags))
    assert _find_scorer(Path(), written) == scorer
    assert _find_scorer(Path(), replace(written, signature=f"{scorer.name}|colour:red")) is None
    assert _find_scorer(Path(), replace(written, settings={"colour": "red"})) is None
    assert _find_scorer(Path(), replace(written, scorer="nobody")) is None
