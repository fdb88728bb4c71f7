"""Intervals by task: what is drawn, and in which order."""

from __future__ import annotations

import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from noise_rows import ROWS

from earmark.errors import UsageError
from earmark.report.figures import Plot, render
from earmark.report.interval_plot import plot_intervals, plot_leaderboard
from earmark.report.leaderboard import Leaderboard, LeaderboardEntry
from earmark.report.run_table import RunRows

PLAIN = [row for row in ROWS if row.condition == "plain" and not row.slice]


def draw(plot: Plot) -> Figure:
    figure = Figure()
    plot.draw(figure)
    return figure


def test_each_run_has_a_colour_and_chance_is_a_line() -> None:
    figure = draw(plot_intervals([RunRows("m", "b", PLAIN), RunRows("m", "b", PLAIN), RunRows("n", "b", PLAIN)]))
    axes = figure.axes[0]
    bars = [bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)]
    assert len(bars) == 3 * len(axes.get_yticks())
    _, names = axes.get_legend_handles_labels()
    assert {*names} == {"m (1)", "m (2)", "n", "chance"}
    assert len({bar.lines[0].get_color() for bar in bars[:3]}) == 3
    assert len({bar.lines[0].get_marker() for bar in bars[:3]}) == 3  # not by colour alone
    assert render(plot_intervals([RunRows("m", "b", PLAIN)]), ".svg").startswith(b"<?xml")


def test_without_a_score_there_is_nothing_to_plot() -> None:
    with pytest.raises(UsageError, match="there is no score to plot"):
        plot_intervals([RunRows("m", "b", [])])


def test_a_leaderboard_is_plotted_from_the_first_down() -> None:
    entries = [LeaderboardEntry(name, "run", True, PLAIN[0], {}, rank=rank) for rank, name in ((1, "x"), (2, "y"))]
    board = Leaderboard("bench", {}, "plain", "accuracy", "all", ["all"], entries)
    axes = draw(plot_leaderboard([board])).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1  x", "2  y"]
    low, high = axes.get_ylim()
    assert low > high  # the first at the top
