"""Every report respects the direction of a metric: over all metrics of all scorers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from every_metric import Only, every_metric

from earmark.journal import Record
from earmark.report.aggregates import Aggregates, aggregate_row
from earmark.report.gain import find_solved_by_controls, listening_gains
from earmark.report.leaderboard import LeaderboardEntry
from earmark.runs.leaderboard import _sort_key
from earmark.scorers.wer import Settings as Wer
from earmark.scorers.wer import WerScorer
from earmark.stats.count_table import CountTable, hash64
from earmark.stats.estimate import binary_outcomes, evaluate_metric
from earmark.stats.repeats import repeat_estimates
from earmark.types import Item, Metric, Response, Score


def number(metric: Metric, counts: Mapping[str, float]) -> float:
    return float(evaluate_metric(metric.value, counts)[0])


@pytest.mark.parametrize(("scorer", "item"), every_metric())
def test_the_best_is_best_in_every_report(scorer: Only, item: Item) -> None:
    """Plain replies are the best there can be, those of the control the worst: as the scorer itself tells them."""
    (name, metric), (worst, best) = next(iter(scorer.metrics.items())), scorer.bounds(item)
    low, high = number(metric, worst), number(metric, best)
    sign = 1 if metric.better == "higher" else -1
    if np.isnan(low) or np.isnan(high) or low == high:
        pytest.skip("its bounds do not differ")
    assert (high - low) * sign > 0
    cells, plain = Aggregates(), CountTable()
    for condition, counts in (("plain", best), ("silence", worst), ("noise:0", best)):
        for at in range(6):
            record = Record(Item(f"i{at}", "t", targets=item.targets, group=f"g{at // 2}"), condition=condition)
            cells.add(record, scorer, Score(dict(counts), "x"))
    for at in range(12):
        plain.add(best, f"g{at % 6}", at // 6, f"i{at % 6}")
    (gain,) = listening_gains(cells.by_row, ["silence"], {}, 0)
    assert gain.value is not None
    assert gain.value > 0
    assert gain.difference.value == gain.value
    marks = binary_outcomes(metric, plain.columns)
    if marks is not None:
        assert find_solved_by_controls(cells.by_row, ["silence"]) == {("t", name): set()}
        assert find_solved_by_controls(cells.by_row, ["plain"])[("t", name)] == {hash64(f"i{at}") for at in range(6)}
        passed = repeat_estimates(metric, plain)
        assert passed is not None
        assert passed.all_right[2].value == 1.0
    rows = [aggregate_row(place, cell) for place, cell in cells.by_row.items()]
    entries = [LeaderboardEntry(each.condition, "", finished=True, row=each, others={}) for each in rows]
    assert [entry.model for entry in sorted(entries, key=_sort_key)][-1] == "silence"
    assert {each.better for each in rows} == {metric.better}


def test_transcripts_in_silence() -> None:
    """A model that is right in silence needs no ears; one that says hello to everything is helped by nothing, and a
    listener by all.
    """
    scorer, told = WerScorer(Wer(language="en")), {}
    for model, silent, heard in (
        ("knows", "the cat sat", "the cat sat"),
        ("hello", "hello", "hello"),
        ("hears", "", "the cat sat"),
    ):
        cells = Aggregates()
        for at in range(8):
            item = Item(f"i{at}", "t", targets=("the cat sat",))
            for condition, text in (("plain", heard), ("silence", silent)):
                counts = scorer.counts(item, text)
                cells.add(Record(item, condition=condition, response=Response(text)), scorer, Score(counts, text))
        (gain,) = listening_gains(cells.by_row, ["silence"], {}, 0)
        told[model] = (gain.solved_by_controls, gain.value)
    assert told == {"knows": (8, 0.0), "hello": (0, 0.0), "hears": (0, 1.0)}
