"""An audiogram as pictures: thresholds beside those of people, tones as an audiogram of people is drawn, and the
curves.

Finer hearing is to the left, and at the top of the audiogram of tones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from earmark.audiogram.dimensions import FLOOR, TONES, Dimension, find_dimension
from earmark.audiogram.results import Audiogram, ThresholdResult
from earmark.report.figures import BLUE, GREY, PALE, RED, Plot
from earmark.stats.psychometric import GUESS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS: Final = 4  # of curves
MODEL: Final = "model, with 95 % interval"
BEYOND: Final = "model, beyond what was asked"
NAMES: Final = {
    "not reached": "not reached",
    "below the range": "finer than asked",
    "too few answers": "too few answers",
}


def plot_audiogram(audiogram: Audiogram) -> Plot:
    """The thresholds, and where tones were asked for an audiogram of them."""
    tones = [result for result in audiogram.results if result.dimension in TONES]
    others = [result for result in audiogram.results if result.dimension not in TONES]
    parts = [(_plot_strips, others, 1.5), (_plot_tones, tones, 1.0)]
    shown = [part for part in parts if part[1]]

    def draw(figure: Figure) -> None:
        figure.suptitle(title(audiogram), fontsize=11)
        places = list(figure.subplots(1, len(shown), squeeze=False, width_ratios=[width for *_, width in shown]).flat)
        for axes, (draw_panel, results, _) in zip(places, shown, strict=True):
            draw_panel(axes, results)
        named = {name: mark for axes in places for mark, name in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=3, handletextpad=0.4)

    height = max(1.3 + 0.5 * len(others), 4.2 if tones else 0)
    return Plot(4.4 * sum(width for *_, width in shown), height, title(audiogram), draw)


def plot_curves(audiogram: Audiogram) -> Plot:
    """The psychometric function of every dimension through the answers it was fitted to."""
    rows = math.ceil(len(audiogram.results) / COLUMNS)
    columns = min(COLUMNS, len(audiogram.results))

    def draw(figure: Figure) -> None:
        places = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
        for axes, result in zip(places, audiogram.results, strict=False):
            _plot_curve(axes, result, find_dimension(result.dimension))
        for axes in places[len(audiogram.results) :]:
            axes.set_axis_off()
        for axes in places[::columns]:
            axes.set_ylabel("right")

    return Plot(2.8 * columns, 2.3 * rows, f"{title(audiogram)}: psychometric functions", draw)


def title(audiogram: Audiogram) -> str:
    """Title of a plot or a page."""
    heard = "" if audiogram.condition == "plain" else f", heard as {audiogram.condition}"
    return f"Audiogram of {audiogram.model}{heard}"


def format_scale_end(value: float) -> str:
    """A number of two digits for the end of a scale.

    >>> format_scale_end(0.009854), format_scale_end(150.0), format_scale_end(-110.0)
    ('0.0099', '150', '-110')
    """
    return f"{float(f'{value:.2g}'):g}"


def _plot_strips(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """A line for each dimension, from the hardest level at the left to the easiest."""
    for row, result in enumerate(results):
        dimension = find_dimension(result.dimension)
        axes.plot([0, 1], [row, row], color=PALE, lw=1.5, zorder=1)
        for position, value in ((0, result.hardest), (1, result.easiest)):
            axes.text(position, row + 0.3, format_scale_end(value), ha="center", va="center", color=GREY, fontsize=7)
        if result.human is not None:
            axes.plot(
                dimension.level(result.human) / dimension.top,
                row,
                "D",
                color=RED,
                ms=6,
                zorder=3,
                label="people" * (not row),
            )
        _plot_mark(axes, row, result, dimension)
    axes.set_yticks(range(len(results)), [f"{result.dimension}\n({result.unit})" for result in results], fontsize=8)
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlim(-0.06, 1.06)
    axes.set_xticks([0, 1], ["hardest asked", "easiest asked"])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _plot_mark(axes: Axes, row: int, result: ThresholdResult, dimension: Dimension) -> None:
    """A threshold with its interval, or an arrow out of the range with the reason."""
    if result.threshold is None:
        beyond = result.outcome == "not reached"
        if result.outcome != "too few answers":
            axes.plot(
                float(beyond),
                row,
                marker=">" if beyond else "<",
                color=BLUE,
                mfc="white",
                ms=8,
                ls="",
                zorder=4,
                label=BEYOND,
            )
        axes.text(
            0.97 if beyond else 0.03,
            row - 0.3,
            NAMES[result.outcome],
            ha="right" if beyond else "left",
            va="center",
            color=BLUE,
            fontsize=8,
        )
        return
    low, high, position = (level / dimension.top for level in _levels(result, dimension))
    axes.plot([low, high], [row, row], color=BLUE, lw=4, alpha=0.45, solid_capstyle="butt", zorder=2)
    axes.plot(position, row, "o", color=BLUE, ms=7, zorder=4, label=MODEL)
    axes.text(position, row - 0.3, f"{result.threshold:.3g}", ha="center", va="center", color=BLUE, fontsize=8)


def _levels(result: ThresholdResult, dimension: Dimension) -> tuple[float, float, float]:
    """The bounds of an interval and the threshold as levels; a bound beyond the range is its end."""
    low = 0.0 if result.low is None else dimension.level(result.low)
    high = float(dimension.top) if result.high is None else dimension.level(result.high)
    return low, high, dimension.level(result.threshold or 0.0)


def _plot_tones(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """Thresholds of tones by frequency, softer ones higher up."""
    frequencies = [TONES[result.dimension] for result in results]
    human = np.array([result.human for result in results], np.float64)
    axes.plot(frequencies, human, "D--", color=RED, ms=5, lw=1, label="people")
    _plot_thresholds(axes, [result for result in results if result.threshold is not None])
    for result in results:
        if result.outcome in ("not reached", "below the range"):
            position, marker = (result.easiest, "v") if result.outcome == "not reached" else (result.hardest, "^")
            axes.plot(
                TONES[result.dimension], position, marker, color=BLUE, mfc="white", ms=8, clip_on=False, label=BEYOND
            )
    axes.axhline(FLOOR, color=PALE, lw=1, zorder=0)
    place = axes.get_yaxis_transform()
    axes.text(0.01, FLOOR + 1, "the noise beside the tone", transform=place, color=GREY, fontsize=7, va="top")
    axes.set_xscale("log", base=2)
    axes.set_xticks(frequencies, [f"{frequency:g}" for frequency in frequencies])
    axes.minorticks_off()
    axes.set_ylim(results[0].easiest + 4, results[0].hardest - 4)
    axes.set_xlabel("tone, Hz")
    axes.set_ylabel("softest that is heard, dBFS")


def _plot_thresholds(axes: Axes, results: Sequence[ThresholdResult]) -> None:
    """Thresholds of tones with their intervals; a bound beyond the range is its end."""
    if not results:
        return
    thresholds, lows, highs = np.array(
        [
            (result.threshold, _or_end(result.low, result.hardest), _or_end(result.high, result.easiest))
            for result in results
        ],
        np.float64,
    ).T
    bars = (thresholds - lows, highs - thresholds)
    frequencies = [TONES[result.dimension] for result in results]
    axes.errorbar(frequencies, thresholds, bars, fmt="o-", color=BLUE, ms=6, lw=1, elinewidth=4, alpha=0.9, label=MODEL)


def _or_end(bound: float | None, end: float) -> float:
    return end if bound is None else bound


def _plot_curve(axes: Axes, result: ThresholdResult, dimension: Dimension) -> None:
    """One psychometric function: dots are as large as their answers are many."""
    axes.axhline(GUESS, color=PALE, lw=1, zorder=0)
    shares = [point.right / point.asked for point in result.points]
    axes.scatter(
        [point.level for point in result.points],
        shares,
        [6.0 * point.asked**0.8 for point in result.points],
        color=BLUE,
        alpha=0.45,
        lw=0,
        clip_on=False,
    )
    if result.human is not None:
        axes.axvline(dimension.level(result.human), color=RED, lw=1, ls="--")
    if result.curve and result.threshold is not None:
        low, high, position = _levels(result, dimension)
        levels = np.linspace(0, dimension.top, 200)
        axes.plot(levels, result.curve.right(levels), color=BLUE, lw=1.5)
        axes.axvspan(low, high, color=BLUE, alpha=0.12, lw=0)
        axes.axvline(position, color=BLUE, lw=1)
    label = dimension.format_value(result.threshold) if result.threshold is not None else NAMES[result.outcome]
    axes.set_title(f"{result.dimension}\n{label}", fontsize=8)
    axes.set_xlim(0, dimension.top)
    axes.set_ylim(0, 1.02)
    ticks = [0, dimension.top / 2, dimension.top]
    axes.set_xticks(ticks, [format_scale_end(dimension.value(tick)) for tick in ticks])
