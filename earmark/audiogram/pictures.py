"""An audiogram as pictures: thresholds beside those of people, tones as an audiogram of people is drawn, and the curves.

Finer hearing is to the left, and at the top of the audiogram of tones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from earmark.audiogram.dimensions import FLOOR, TONES, Dimension, by_name
from earmark.audiogram.findings import Audiogram, Finding
from earmark.report.figures import BLUE, GREY, PALE, RED, Picture
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


def audiogram(found: Audiogram) -> Picture:
    """The thresholds, and where tones were asked for an audiogram of them."""
    tones = [one for one in found.findings if one.dimension in TONES]
    others = [one for one in found.findings if one.dimension not in TONES]
    parts = [(_strips, others, 1.5), (_tones, tones, 1.0)]
    shown = [part for part in parts if part[1]]

    def draw(figure: Figure) -> None:
        figure.suptitle(title(found), fontsize=11)
        places = list(figure.subplots(1, len(shown), squeeze=False, width_ratios=[width for *_, width in shown]).flat)
        for axes, (one, findings, _) in zip(places, shown, strict=True):
            one(axes, findings)
        named = {name: mark for axes in places for mark, name in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=3, handletextpad=0.4)

    height = max(1.3 + 0.5 * len(others), 4.2 if tones else 0)
    return Picture(4.4 * sum(width for *_, width in shown), height, title(found), draw)


def curves(found: Audiogram) -> Picture:
    """The psychometric function of every dimension through the answers it was fitted to."""
    rows = math.ceil(len(found.findings) / COLUMNS)
    columns = min(COLUMNS, len(found.findings))

    def draw(figure: Figure) -> None:
        places = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
        for axes, one in zip(places, found.findings, strict=False):
            _curve(axes, one, by_name(one.dimension))
        for axes in places[len(found.findings) :]:
            axes.set_axis_off()
        for axes in places[::columns]:
            axes.set_ylabel("right")

    return Picture(2.8 * columns, 2.3 * rows, f"{title(found)}: psychometric functions", draw)


def title(found: Audiogram) -> str:
    """What a picture or a page is about."""
    heard = "" if found.condition == "plain" else f", heard as {found.condition}"
    return f"Audiogram of {found.model}{heard}"


def short(value: float) -> str:
    """A number of two digits for the end of a scale.

    >>> short(0.009854), short(150.0), short(-110.0)
    ('0.0099', '150', '-110')
    """
    return f"{float(f'{value:.2g}'):g}"


def _strips(axes: Axes, findings: Sequence[Finding]) -> None:
    """A line for each dimension, from the hardest level at the left to the easiest."""
    for row, one in enumerate(findings):
        dimension = by_name(one.dimension)
        axes.plot([0, 1], [row, row], color=PALE, lw=1.5, zorder=1)
        for at, value in ((0, one.hardest), (1, one.easiest)):
            axes.text(at, row + 0.3, short(value), ha="center", va="center", color=GREY, fontsize=7)
        if one.human is not None:
            axes.plot(
                dimension.level(one.human) / dimension.top,
                row,
                "D",
                color=RED,
                ms=6,
                zorder=3,
                label="people" * (not row),
            )
        _mark(axes, row, one, dimension)
    axes.set_yticks(range(len(findings)), [f"{one.dimension}\n({one.unit})" for one in findings], fontsize=8)
    axes.set_ylim(len(findings) - 0.4, -0.6)
    axes.set_xlim(-0.06, 1.06)
    axes.set_xticks([0, 1], ["hardest asked", "easiest asked"])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _mark(axes: Axes, row: int, one: Finding, dimension: Dimension) -> None:
    """A threshold with its interval, or an arrow out of the range with the reason."""
    if one.threshold is None:
        beyond = one.outcome == "not reached"
        if one.outcome != "too few answers":
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
            NAMES[one.outcome],
            ha="right" if beyond else "left",
            va="center",
            color=BLUE,
            fontsize=8,
        )
        return
    low, high, at = (level / dimension.top for level in _levels(one, dimension))
    axes.plot([low, high], [row, row], color=BLUE, lw=4, alpha=0.45, solid_capstyle="butt", zorder=2)
    axes.plot(at, row, "o", color=BLUE, ms=7, zorder=4, label=MODEL)
    axes.text(at, row - 0.3, f"{one.threshold:.3g}", ha="center", va="center", color=BLUE, fontsize=8)


def _levels(one: Finding, dimension: Dimension) -> tuple[float, float, float]:
    """The bounds of an interval and the threshold as levels; a bound beyond the range is its end."""
    low = 0.0 if one.low is None else dimension.level(one.low)
    high = float(dimension.top) if one.high is None else dimension.level(one.high)
    return low, high, dimension.level(one.threshold or 0.0)


def _tones(axes: Axes, findings: Sequence[Finding]) -> None:
    """Thresholds of tones by frequency, softer ones higher up."""
    frequencies = [TONES[one.dimension] for one in findings]
    human = np.array([one.human for one in findings], np.float64)
    axes.plot(frequencies, human, "D--", color=RED, ms=5, lw=1, label="people")
    _heard(axes, [one for one in findings if one.threshold is not None])
    for one in findings:
        if one.outcome in ("not reached", "below the range"):
            at, marker = (one.easiest, "v") if one.outcome == "not reached" else (one.hardest, "^")
            axes.plot(TONES[one.dimension], at, marker, color=BLUE, mfc="white", ms=8, clip_on=False, label=BEYOND)
    axes.axhline(FLOOR, color=PALE, lw=1, zorder=0)
    place = axes.get_yaxis_transform()
    axes.text(0.01, FLOOR + 1, "the noise beside the tone", transform=place, color=GREY, fontsize=7, va="top")
    axes.set_xscale("log", base=2)
    axes.set_xticks(frequencies, [f"{frequency:g}" for frequency in frequencies])
    axes.minorticks_off()
    axes.set_ylim(findings[0].easiest + 4, findings[0].hardest - 4)
    axes.set_xlabel("tone, Hz")
    axes.set_ylabel("softest that is heard, dBFS")


def _heard(axes: Axes, findings: Sequence[Finding]) -> None:
    """Thresholds of tones with their intervals; a bound beyond the range is its end."""
    if not findings:
        return
    thresholds, lows, highs = np.array(
        [(one.threshold, _or(one.low, one.hardest), _or(one.high, one.easiest)) for one in findings], np.float64
    ).T
    bars = (thresholds - lows, highs - thresholds)
    frequencies = [TONES[one.dimension] for one in findings]
    axes.errorbar(frequencies, thresholds, bars, fmt="o-", color=BLUE, ms=6, lw=1, elinewidth=4, alpha=0.9, label=MODEL)


def _or(bound: float | None, end: float) -> float:
    return end if bound is None else bound


def _curve(axes: Axes, one: Finding, dimension: Dimension) -> None:
    """One psychometric function: dots are as large as their answers are many."""
    axes.axhline(GUESS, color=PALE, lw=1, zorder=0)
    shares = [point.right / point.asked for point in one.points]
    axes.scatter(
        [point.level for point in one.points],
        shares,
        [6.0 * point.asked**0.8 for point in one.points],
        color=BLUE,
        alpha=0.45,
        lw=0,
        clip_on=False,
    )
    if one.human is not None:
        axes.axvline(dimension.level(one.human), color=RED, lw=1, ls="--")
    if one.curve and one.threshold is not None:
        low, high, at = _levels(one, dimension)
        levels = np.linspace(0, dimension.top, 200)
        axes.plot(levels, one.curve.right(levels), color=BLUE, lw=1.5)
        axes.axvspan(low, high, color=BLUE, alpha=0.12, lw=0)
        axes.axvline(at, color=BLUE, lw=1)
    told = dimension.told(one.threshold) if one.threshold is not None else NAMES[one.outcome]
    axes.set_title(f"{one.dimension}\n{told}", fontsize=8)
    axes.set_xlim(0, dimension.top)
    axes.set_ylim(0, 1.02)
    ticks = [0, dimension.top / 2, dimension.top]
    axes.set_xticks(ticks, [short(dimension.value(tick)) for tick in ticks])
