"""Every report respects the direction of a metric: over all metrics of all scorers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from every_metric import CHOICE, TEXT, Only, every_metric

from earmark.journal import Record
from earmark.leaderboard import Entry, _place
from earmark.report.cells import Cells, row
from earmark.report.figures import drawn
from earmark.report.gain import answered_without_ears, gains
from earmark.report.noise_curve import noise_curve
from earmark.scorers.choice import Choice
from earmark.scorers.wer import Settings as Wer
from earmark.stats.bags import Bags, named
from earmark.stats.estimate import read, yes_or_no
from earmark.stats.repeats import repeated
from earmark.types import Item, Metric, Response, Score


def number(metric: Metric, counts: Mapping[str, float]) -> float:
    return float(read(metric.value, counts)[0])


@pytest.mark.parametrize(("scorer", "item"), every_metric())
def test_the_best_is_best_in_every_report(scorer: Only, item: Item) -> None:
    """Plain replies are the best there can be, those of the control the worst: as the scorer itself tells them."""
    (name, metric), (worst, best) = next(iter(scorer.metrics.items())), scorer.bounds(item)
    low, high = number(metric, worst), number(metric, best)
    sign = 1 if metric.better == "higher" else -1
    if np.isnan(low) or np.isnan(high) or low == high:
        pytest.skip("its bounds do not differ")
    assert (high - low) * sign > 0
    cells, plain = Cells(), Bags()
    for condition, counts in (("plain", best), ("silence", worst), ("noise:0", best)):
        for at in range(6):
            record = Record(Item(f"i{at}", "t", targets=item.targets, group=f"g{at // 2}"), condition=condition)
            cells.add(record, scorer, Score(dict(counts), "x"))
    for at in range(12):
        plain.add(best, f"g{at % 6}", at // 6, f"i{at % 6}")
    (gain,) = gains(cells.cells, ["silence"], {}, 0)
    assert gain.value is not None
    assert gain.value > 0
    assert gain.difference.value == gain.value
    marks = yes_or_no(metric, plain.columns)
    if marks is not None:
        assert answered_without_ears(cells.cells, ["silence"]) == {("t", name): set()}
        assert answered_without_ears(cells.cells, ["plain"])[("t", name)] == {named(f"i{at}") for at in range(6)}
        passed = repeated(metric, plain)
        assert passed is not None
        assert passed.all_right[2].value == 1.0
    rows = [row(place, cell) for place, cell in cells.cells.items()]
    entries = [Entry(each.condition, "", finished=True, row=each, others={}) for each in rows]
    assert [entry.model for entry in sorted(entries, key=_place)][-1] == "silence"
    assert {each.better for each in rows} == {metric.better}


def test_transcripts_in_silence() -> None:
    """A model that is right in silence needs no ears; one that says hello to everything is helped by nothing, and a listener by all."""
    scorer, told = Wer(language="en"), {}
    for model, silent, heard in (
        ("knows", "the cat sat", "the cat sat"),
        ("hello", "hello", "hello"),
        ("hears", "", "the cat sat"),
    ):
        cells = Cells()
        for at in range(8):
            item = Item(f"i{at}", "t", targets=("the cat sat",))
            for condition, text in (("plain", heard), ("silence", silent)):
                counts = scorer.counts(item, text)
                cells.add(Record(item, condition=condition, response=Response(text)), scorer, Score(counts, text))
        (gain,) = gains(cells.cells, ["silence"], {}, 0)
        told[model] = (gain.without_ears, gain.value)
    assert told == {"knows": (8, 0.0), "hello": (0, 0.0), "hears": (0, 1.0)}


def test_a_curve_says_which_way_is_better() -> None:
    for scorer, item in ((Wer(language="en"), TEXT), (Choice(), CHOICE)):
        cells, (worst, best) = Cells(), scorer.bounds(item)
        for condition, counts in (("plain", best), ("noise:0", worst)):
            for at in range(6):
                cells.add(Record(Item(f"i{at}", "t"), condition=condition), scorer, Score(dict(counts), "x"))
        rows = [row(place, cell) for place, cell in cells.cells.items()]
        (name, metric) = next(iter(scorer.metrics.items()))
        assert f"{name}, {metric.better} is better" in drawn(noise_curve("t", rows), ".svg").decode()
