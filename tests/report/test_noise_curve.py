"""The curve of a score in noise: what is drawn of rows, and what is refused."""

from __future__ import annotations

import pytest
from every_metric import CHOICE, TEXT
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from noise_rows import ROWS, row

from earmark.errors import UsageError
from earmark.journal import Record
from earmark.report.aggregates import Aggregates, aggregate_row
from earmark.report.figures import render
from earmark.report.noise_curve import plot_noise_curve
from earmark.report.rows import Row
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.wer import Settings as Wer
from earmark.scorers.wer import WerScorer
from earmark.types import Item, Score


def drawn(rows: list[Row]) -> Figure:
    picture = plot_noise_curve("bench by model", rows)
    figure = Figure()
    picture.draw(figure)
    return figure


def test_what_is_drawn() -> None:
    (axes,) = drawn(ROWS).axes  # tones were not heard in noise
    marks, names = axes.get_legend_handles_labels()
    assert set(names) == {"plain", "silence", "chance", "white noise, 95 % interval", "babble noise, 95 % interval"}
    curves = [line.get_xydata().tolist() for line in axes.lines]  # type: ignore[union-attr] # None before it is drawn
    assert [[-10, 0.3], [0, 0.6], [20, 0.8]] in curves
    heights = {name: mark.get_ydata()[0] for mark, name in zip(marks, names, strict=True) if isinstance(mark, Line2D)}  # type: ignore[index] # an array
    assert heights == {"plain": 0.9, "silence": 0.25, "chance": 0.25}
    left, right = axes.get_xlim()
    assert left > right  # noise grows to the right
    assert axes.get_ylim() == (0.0, 1.02)


def test_a_run_without_noise_is_refused_with_what_to_type() -> None:
    with pytest.raises(UsageError, match=r"only plain; the plot needs a run with noise=\[20,10,0,-10\]"):
        plot_noise_curve("bench by model", [row("words", "plain", 0.9)])


def test_a_curve_says_which_way_is_better() -> None:
    for scorer, item in ((WerScorer(Wer(language="en")), TEXT), (ChoiceScorer(), CHOICE)):
        cells, (worst, best) = Aggregates(), scorer.bounds(item)
        for condition, counts in (("plain", best), ("noise:0", worst)):
            for at in range(6):
                cells.add(Record(Item(f"i{at}", "t"), condition=condition), scorer, Score(dict(counts), "x"))
        rows = [aggregate_row(place, cell) for place, cell in cells.by_row.items()]
        (name, metric) = next(iter(scorer.metrics.items()))
        assert f"{name}, {metric.better} is better" in render(plot_noise_curve("t", rows), ".svg").decode()
