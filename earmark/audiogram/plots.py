"""Plots of an audiogram: thresholds compared with those of people, tones as a clinical audiogram, and the curves.

Better hearing is on the left, and at the top of the audiogram of tones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from earmark.audiogram.dimensions import FLOOR, TONES, Dimension, find_dimension
from earmark.audiogram.results import Audiogram, ThresholdResult
from earmark.report.figures import BLUE, GREY, PALE, RED, Plot, add_legend
from earmark.stats.psychometric import GUESS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS: Final = 4  # of curves
MODEL: Final = "model, with 95 % interval"
BEYOND: Final = "model, outside the range"


def plot_audiogram(audiogram: Audiogram) -> Plot:
    """Plot the thresholds, and the tones as an audiogram."""
    tones = [result for result in audiogram.results if result.dimension in TONES]
    others = [result for result in audiogram.results if result.dimension not in TONES]
    parts = [(_plot_strips, others, 1.5), (_plot_tones, tones, 1.0)]
    shown = [part for part in parts if part[1]]

    def draw(figure: Figure) -> None:
        figure.suptitle(title(audiogram), fontsize=11)
        panels = list(figure.subplots(1, len(shown), squeeze=False, width_ratios=[width for *_, width in shown]).flat)
        for axes, (draw_panel, results, _) in zip(panels, shown, strict=True):
            draw_panel(axes, results)
        add_legend(figure, panels)

    height = max(1.3 + 0.5 * len(others), 4.2 if tones else 0)
    return Plot(4.4 * sum(width for *_, width in shown), height, title(audiogram), draw)


def plot_curves(audiogram: Audiogram) -> Plot:
    """Plot the psychometric function of every dimension with the answers it was fitted to."""
    rows = math.ceil(len(audiogram.results) / COLUMNS)
    columns = min(COLUMNS, len(audiogram.results))

    def draw(figure: Figure) -> None:
        panels = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
        for axes, result in zip(panels, audiogram.results, strict=False):
            _plot_curve(axes, result, find_dimension(result.dimension))
        for axes in panels[len(audiogram.results) :]:
            axes.set_axis_off()
        for axes in panels[::columns]:
            axes.set_ylabel("proportion right")

    return Plot(2.8 * columns, 2.3 * rows, f"{title(audiogram)}: psychometric functions", draw)


def title(audiogram: Audiogram) -> str:
    """Title of a plot or a page."""
    condition = "" if audiogram.condition == "plain" else f", condition {audiogram.condition}"
    return f"Audiogram of {audiogram.model}{condition}"


def format_scale_end(value: float) -> str:
    """Format the end of a scale with two digits.

    >>> format_scale_end(0.009854), format_scale_end(150.0), format_scale_end(-110.0)
    ('0.0099', '150', '-110')
    """
    return f"{float(f'{value:.2g}'):g}"


def _plot_strips(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """Plot a line for each dimension, from the hardest level on the left to the easiest."""
    for row, result in enumerate(results):
        dimension = find_dimension(result.dimension)
        axes.plot([0, 1], [row, row], color=PALE, lw=1.5, zorder=1)
        for position, value in ((0, result.hardest), (1, result.easiest)):
            axes.text(position, row + 0.3, format_scale_end(value), ha="center", va="center", color=GREY, fontsize=7)
        if result.human is not None:
            human = dimension.level(result.human) / dimension.top
            axes.plot(human, row, "D", color=RED, ms=6, zorder=3, label="human" * (not row))
        _plot_mark(axes, row, result, dimension)
    axes.set_yticks(range(len(results)), [f"{result.dimension}\n({result.unit})" for result in results], fontsize=8)
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlim(-0.06, 1.06)
    axes.set_xticks([0, 1], ["hardest level", "easiest level"])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _plot_mark(axes: Axes, row: int, result: ThresholdResult, dimension: Dimension) -> None:
    """Plot a threshold with its interval, or an arrow out of the range with the outcome."""
    if result.threshold is None:
        beyond = result.outcome == "not reached"
        x, marker, align = (0.97, ">", "right") if beyond else (0.03, "<", "left")
        if result.outcome != "too few answers":
            axes.plot(float(beyond), row, marker, color=BLUE, mfc="white", ms=8, zorder=4, label=BEYOND)
        axes.text(x, row - 0.3, result.outcome, ha=align, va="center", color=BLUE, fontsize=8)
        return
    low, high, position = (level / dimension.top for level in _levels(result, dimension))
    axes.plot([low, high], [row, row], color=BLUE, lw=4, alpha=0.45, solid_capstyle="butt", zorder=2)
    axes.plot(position, row, "o", color=BLUE, ms=7, zorder=4, label=MODEL)
    axes.text(position, row - 0.3, f"{result.threshold:.3g}", ha="center", va="center", color=BLUE, fontsize=8)


def _levels(result: ThresholdResult, dimension: Dimension) -> tuple[float, float, float]:
    """Return the bounds of an interval and the threshold as levels; a bound beyond the range is its end."""
    low = 0.0 if result.low is None else dimension.level(result.low)
    high = float(dimension.top) if result.high is None else dimension.level(result.high)
    return low, high, dimension.level(result.threshold or 0.0)


def _plot_tones(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """Plot thresholds of tones by frequency, softer ones higher up."""
    frequencies = [TONES[result.dimension] for result in results]
    human = np.array([result.human for result in results], np.float64)
    axes.plot(frequencies, human, "D--", color=RED, ms=5, lw=1, label="human")
    _plot_thresholds(axes, [result for result in results if result.threshold is not None])
    for result in results:
        if result.outcome in ("not reached", "below the range"):
            position, marker = (result.easiest, "v") if result.outcome == "not reached" else (result.hardest, "^")
            axes.plot(
                TONES[result.dimension], position, marker, color=BLUE, mfc="white", ms=8, clip_on=False, label=BEYOND
            )
    axes.axhline(FLOOR, color=PALE, lw=1, zorder=0)
    transform = axes.get_yaxis_transform()
    axes.text(0.01, FLOOR + 1, "noise level", transform=transform, color=GREY, fontsize=7, va="top")
    axes.set_xscale("log", base=2)
    axes.set_xticks(frequencies, [f"{frequency:g}" for frequency in frequencies])
    axes.minorticks_off()
    axes.set_ylim(results[0].easiest + 4, results[0].hardest - 4)
    axes.set_xlabel("tone, Hz")
    axes.set_ylabel("threshold, dBFS")


def _plot_thresholds(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """Plot thresholds of tones with their intervals; a bound beyond the range is its end."""
    if not results:
        return
    bounds = [
        (result.hardest if result.low is None else result.low, result.easiest if result.high is None else result.high)
        for result in results
    ]
    thresholds = np.array([result.threshold for result in results], np.float64)
    lows, highs = np.array(bounds, np.float64).T
    bars = (thresholds - lows, highs - thresholds)
    frequencies = [TONES[result.dimension] for result in results]
    axes.errorbar(frequencies, thresholds, bars, fmt="o-", color=BLUE, ms=6, lw=1, elinewidth=4, alpha=0.9, label=MODEL)


def _plot_curve(axes: Axes, result: ThresholdResult, dimension: Dimension) -> None:
    """Plot one psychometric function, with dots whose area grows with the number of answers."""
    axes.axhline(GUESS, color=PALE, lw=1, zorder=0)
    shares = [point.right / point.asked for point in result.points]
    levels = [point.level for point in result.points]
    sizes = [6.0 * point.asked**0.8 for point in result.points]
    axes.scatter(levels, shares, sizes, color=BLUE, alpha=0.45, lw=0, clip_on=False)
    if result.human is not None:
        axes.axvline(dimension.level(result.human), color=RED, lw=1, ls="--")
    if result.curve and result.threshold is not None:
        low, high, position = _levels(result, dimension)
        x = np.linspace(0, dimension.top, 200)
        axes.plot(x, result.curve.right(x), color=BLUE, lw=1.5)
        axes.axvspan(low, high, color=BLUE, alpha=0.12, lw=0)
        axes.axvline(position, color=BLUE, lw=1)
    label = dimension.format_value(result.threshold) if result.threshold is not None else result.outcome
    axes.set_title(f"{result.dimension}\n{label}", fontsize=8)
    axes.set_xlim(0, dimension.top)
    axes.set_ylim(0, 1.02)
    ticks = [0, dimension.top / 2, dimension.top]
    axes.set_xticks(ticks, [format_scale_end(dimension.value(tick)) for tick in ticks])
