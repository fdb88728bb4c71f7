"""Plot of scores with their intervals: a line for each task, a colour for each run, chance as a mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from earmark.errors import UsageError
from earmark.report.figures import BLUE, GREY, RED, Plot, add_legend
from earmark.report.leaderboard import Leaderboard
from earmark.report.rows import Row
from earmark.report.run_table import RunRows
from earmark.text.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = (BLUE, RED, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", GREY)  # safe for colour blindness
MARKERS: Final = "osD^vP*X"  # so that runs differ by more than their colour
MAX_TASKS: Final = 80  # lines of a panel
ROW_HEIGHT: Final = 0.26  # inches of a line


def plot_intervals(runs: Sequence[RunRows]) -> Plot:
    """Plot the headlines of runs, a panel for each metric. Raises UsageError for runs that have nothing to plot."""
    panels: dict[str, dict[str, list[tuple[int, Row]]]] = {}
    several = len({row.condition for run in runs for row in run.rows}) > 1
    for number, run in enumerate(runs):
        for row in run.rows:
            name, estimate = row.headline
            if estimate.value is not None:
                label = f"{row.title}, {row.condition}" if several else row.title
                panels.setdefault(f"{name} ({row.better} is better)", {}).setdefault(label, []).append((number, row))
    if not panels:
        raise UsageError("there is no score to plot")
    names = _names(runs)
    benchmarks = ", ".join(dict.fromkeys(run.benchmark for run in runs))
    heights = [0.7 + ROW_HEIGHT * min(MAX_TASKS, len(lines)) * max(1.0, 0.6 * len(runs)) for lines in panels.values()]

    def draw(figure: Figure) -> None:
        figure.suptitle(benchmarks, fontsize=11)
        axes = list(figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights).flat)
        for panel, (metric, lines) in zip(axes, panels.items(), strict=True):
            _plot_panel(panel, metric, lines, names)
        add_legend(figure, axes)

    described = f"scores with 95 % intervals of {', '.join(names)} on {benchmarks}"
    return Plot(7.5, 0.9 + sum(heights), described, draw)


def _names(runs: Sequence[RunRows]) -> list[str]:
    """Name of each run in the legend: its model, with a number where several are called so."""
    models = [run.model for run in runs]
    return [
        f"{model} ({models[: index + 1].count(model)})" if models.count(model) > 1 else model
        for index, model in enumerate(models)
    ]


def _plot_panel(axes: Axes, metric: str, lines: dict[str, list[tuple[int, Row]]], names: Sequence[str]) -> None:
    shown = list(lines.items())[:MAX_TASKS]
    seen: set[int] = set()
    for place, (_, rows) in enumerate(shown):
        for number, row in rows:
            offset = (number - (len(names) - 1) / 2) * 0.7 / len(names)
            label = names[number] if number not in seen else ""
            seen.add(number)
            _plot_interval(axes, place + offset, row, number, label)
            if row.guess_rate is not None:
                has_label = any(line.get_label() == "chance" for line in axes.lines)
                axes.plot(
                    [row.guess_rate] * 2, [place - 0.45, place + 0.45], color=GREY, lw=1, ls=":",
                    label="_" if has_label else "chance",
                )  # fmt: skip
    left_out = len(lines) - len(shown)
    axes.set_yticks(range(len(shown)), [printable(name) for name, _ in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel(f"{metric}; {left_out} more lines are left out" if left_out else metric)
    axes.grid(axis="x", color="#e5e5e5", lw=0.6)
    axes.set_axisbelow(True)


def _plot_interval(axes: Axes, height: float, row: Row, number: int, label: str) -> None:
    estimate = row.headline[1]
    value = estimate.value or 0.0
    low = value if estimate.low is None else min(estimate.low, value)
    high = value if estimate.high is None else max(estimate.high, value)
    axes.errorbar(
        [value], [height], xerr=[[value - low], [high - value]], fmt=MARKERS[number % len(MARKERS)],
        color=COLOURS[number % len(COLOURS)], ms=4.5, elinewidth=1.3, capsize=2.5, label=label or "_",
    )  # fmt: skip


def plot_leaderboard(boards: Sequence[Leaderboard]) -> Plot:
    """Plot the ranking column of leaderboards, a panel for each, the models in their order."""
    runs = [[RunRows(entry.model, board.benchmark, [entry.row]) for entry in board.entries] for board in boards]
    heights = [0.9 + ROW_HEIGHT * len(entries) for entries in runs]

    def draw(figure: Figure) -> None:
        panels = list(figure.subplots(len(boards), 1, squeeze=False, height_ratios=heights).flat)
        for axes, board in zip(panels, boards, strict=True):
            lines = {_entry_name(index, board): [(0, entry.row)] for index, entry in enumerate(board.entries)}
            _plot_panel(axes, f"{board.metric} of {board.by}", lines, ["score, 95 % interval"])
            axes.set_title(board.benchmark if board.condition == "plain" else f"{board.benchmark}, {board.condition}")
        add_legend(figure, panels)

    return Plot(7.5, 0.6 + sum(heights), f"leaderboard of {', '.join(board.benchmark for board in boards)}", draw)


def _entry_name(index: int, board: Leaderboard) -> str:
    entry = board.entries[index]
    return f"{entry.rank}  {entry.model}{'' if entry.finished else ' (unfinished)'}"
