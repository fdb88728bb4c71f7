"""Rank the models of all runs under a folder, a table for each benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._formats import format_options, print_tables
from earmark.cli._params import RunPath
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earmark.report.leaderboard import Leaderboard


@click.command()
@click.argument("folder", type=RunPath(folders=True), default="results")
@click.option("--benchmark", default="", help="Only this benchmark.")
@click.option("--condition", default="plain", show_default=True)
@click.option("--by", default="", help="Rank by this task or average.")
@click.option("--metric", default="", help="Rank by this metric, for tasks with several scorers.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Plot the scores with their intervals: .png, .svg, .html."
)
@format_options
def command(folder: Path, *, plot: Path | None, form: str | None, **wanted: str) -> None:
    """Rank the models of all runs under FOLDER, by default results.

    Runs on the same questions share a table; of each model the newest run counts. `p vs first` is the paired test
    against the first model, with Holm's correction for all pairs of models.
    """
    from earmark.errors import BadData, UsageError
    from earmark.report.leaderboard import board_table
    from earmark.runs.leaderboard import build_leaderboards

    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; runs are in results, or in the folder that results=FOLDER named")
    leaderboards = build_leaderboards(
        folder,
        benchmark=wanted["benchmark"],
        condition=wanted["condition"],
        by=wanted["by"],
        metric=wanted["metric"],
    )
    if not leaderboards:
        words = " ".join(filter(None, wanted.values()))
        raise UsageError(f"{folder}: no run has scores of {words}; `earmark list runs results={folder}` lists them")
    if plot:
        from earmark.report.figures import write_plot
        from earmark.report.interval_plot import plot_leaderboard

        write_plot(plot, plot_leaderboard(leaderboards))
    if form == "json":
        print_json(leaderboards)
    elif form:
        print_tables([board_table(board) for board in leaderboards], form)
    else:
        _show(leaderboards)
        print_line(*[f"plot: {plot}"] * bool(plot))


def _show(leaderboards: Sequence[Leaderboard]) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.leaderboard import footnotes, leaderboard_table

    for board in leaderboards:
        head, lines = leaderboard_table(board)
        under = "" if board.condition == "plain" else f" under {board.condition}"
        show_table(f"{board.benchmark}: {board.metric} of {board.by}{under}", head, lines, words=2)
        print_line(*footnotes(board))
        settings = ", ".join(f"{name}={value}" for name, value in board.settings.items() if value not in ("", [], None))
        print_line(f"settings: {settings or 'none'}", "")
