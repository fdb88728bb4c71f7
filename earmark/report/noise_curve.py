"""Plot of scores against the signal-to-noise ratio, with the scores of other conditions and of guessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from earmark.errors import UsageError
from earmark.report.figures import BLUE, GREY, RED, Plot, add_legend
from earmark.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS: Final = 3
COLOURS: Final = {"white": BLUE, "pink": "#CC79A7", "babble": "#009E73"}  # of noise, safe for colour blindness
DASHES: Final = ("--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))


def parse_noise(condition: str) -> tuple[str, float] | None:
    """Return the noise and the ratio of a noise condition; None for any other.

    >>> parse_noise("noise:-10"), parse_noise("noise:pink@5"), parse_noise("silence")
    (('white', -10.0), ('pink', 5.0), None)
    """
    name, _, argument = condition.partition(":")
    if name != "noise":
        return None
    colour, separator, ratio = argument.rpartition("@")
    return colour if separator else "white", float(ratio)


def plot_noise_curve(title: str, rows: Sequence[Row]) -> Plot:
    """Plot a panel for each task and average. Raises UsageError for a run without noise conditions."""
    panels: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if not row.is_slice:
            panels.setdefault((row.title, row.scorer), []).append(row)
    shown = [panel for panel in panels.values() if any(parse_noise(row.condition) for row in panel)]
    if not shown:
        conditions = ", ".join(dict.fromkeys(row.condition for row in rows))
        raise UsageError(f"found no noise condition, only {conditions}; the plot needs a run with noise=[20,10,0,-10]")
    columns = min(COLUMNS, len(shown))
    lines = math.ceil(len(shown) / columns)

    def draw(figure: Figure) -> None:
        figure.suptitle(f"{title}, in noise", fontsize=11)
        panels = list(figure.subplots(lines, columns, squeeze=False).flat)
        for axes, panel_rows in zip(panels, shown, strict=False):
            _plot_panel(axes, panel_rows)
        for axes in panels[len(shown) :]:
            axes.set_axis_off()
        add_legend(figure, panels)

    return Plot(max(4.5, 3.4 * columns), 0.9 + 2.8 * lines, f"{title}, in noise", draw)


def _plot_panel(axes: Axes, rows: Sequence[Row]) -> None:
    """Plot one task: a curve for each noise, with ratios falling to the right, and a line for each other condition."""
    for noise_name, colour in COLOURS.items():
        _plot_curve(axes, noise_name, colour, rows)
    others = [row for row in rows if not parse_noise(row.condition)]
    for row, dashes in zip(others, ("-", *DASHES * len(others)), strict=False):
        _plot_line(axes, row, dashes)
    if rows[0].guess_rate is not None:
        axes.axhline(rows[0].guess_rate, color=GREY, lw=1, ls=":", label="chance")
    ratios = sorted({noise[1] for row in rows if (noise := parse_noise(row.condition))})
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    axes.set_xlim(ratios[-1] + 2, ratios[0] - 2)
    _set_limits(axes, rows)
    axes.set_title(rows[0].title)
    axes.set_xlabel("signal to noise, dB")
    axes.set_ylabel(f"{rows[0].headline[0]}, {rows[0].better} is better")


def _set_limits(axes: Axes, rows: Sequence[Row]) -> None:
    """Start the axis at 0 unless a bound is below, and end shares of right answers at 1."""
    bounds = [bound for row in rows for bound in (row.headline[1].low, row.headline[1].high) if bound is not None]
    low, high = axes.get_ylim()
    axes.set_ylim(
        low if min(bounds, default=0.0) < 0 else 0.0,
        1.02 if rows[0].better == "higher" and max(bounds, default=0.0) <= 1 else high,
    )


def _plot_curve(axes: Axes, noise_name: str, colour: str, rows: Sequence[Row]) -> None:
    points = sorted(
        (noise[1], row.headline[1])
        for row in rows
        if (noise := parse_noise(row.condition)) and noise[0] == noise_name and row.headline[1].value is not None
    )
    if not points:
        return
    ratios = [ratio for ratio, _ in points]
    values, lows, highs = (
        np.array([getattr(estimate, name) for _, estimate in points], np.float64) for name in ("value", "low", "high")
    )
    lows, highs = np.where(np.isnan(lows), values, lows), np.where(np.isnan(highs), values, highs)
    bars = (values - lows, highs - values)
    label = f"{noise_name} noise, 95 % interval"
    axes.errorbar(ratios, values, bars, fmt="o-", color=colour, ms=5, lw=1.5, elinewidth=1, capsize=3, label=label)


def _plot_line(axes: Axes, row: Row, dashes: object) -> None:
    """Plot any other condition as a line with its interval."""
    estimate = row.headline[1]
    if estimate.value is None:
        return
    color = "black" if row.condition == "plain" else RED
    axes.axhline(estimate.value, color=color, lw=1, ls=dashes, label=row.condition)
    if estimate.low is not None and estimate.high is not None:
        axes.axhspan(estimate.low, estimate.high, color=color, alpha=0.07, lw=0)
