"""Show the scores of a run, its warnings and the reasons of failures."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.runs.signature import load_signature
from earmark.terminal.console import print_line


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Show every metric, not only the headline.")
@click.option("--by", default="", help="Break the rows down by a tag, such as user or dataset_source.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Plot the scores in noise, or the audiogram: .png, .svg, .html."
)
@click.option(
    "--width",
    type=click.FloatRange(0, min_open=True),
    help="Print the number of items needed for an interval of this width.",
)
def command(runs: tuple[Path, ...], everything: bool, by: str, plot: Path | None, width: float | None) -> None:
    """Show the scores of RUN..., folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    \b
    earmark show RUN --width 0.04          number of items needed for an interval of plus or minus 0.02
    earmark show RUN --plot curve.png      score against the signal-to-noise ratio, for a run with noise=[20,10,0,-10]
    """
    from earmark.cli._tables import UNFINISHED, show_metrics
    from earmark.errors import UsageError
    from earmark.report.files import read_metrics
    from earmark.runs import rundir

    if plot and len(runs) > 1:
        raise UsageError("--plot takes one run; give one RUN")
    for run in runs:
        signature = load_signature(run)
        if signature.benchmark["name"] == rundir.AUDIOGRAM_NAME:
            _show_audiogram(run, plot)
            continue
        metrics = read_metrics(run)
        title = f"{signature.benchmark['name']} by {signature.model['name']}"
        show_metrics(title, metrics, everything=everything, by=by, width=width)
        print_line(*metrics.warnings)
        print_line(*(f"failed {count}: {message}" for message, count in _failures(run)))
        if not metrics.finished:
            print_line(UNFINISHED)
        if plot:
            from earmark.report.figures import write_plot
            from earmark.report.noise_curve import plot_noise_curve

            write_plot(plot, plot_noise_curve(title, metrics.rows))
            print_line(f"plot: {plot}")


def _show_audiogram(run: Path, plot: Path | None) -> None:
    from earmark.audiogram.plots import plot_audiogram
    from earmark.audiogram.results import load_audiogram
    from earmark.cli.audiogram import show
    from earmark.report.figures import write_plot

    audiogram = load_audiogram(run)
    show(audiogram)
    if plot:
        write_plot(plot, plot_audiogram(audiogram))
        print_line(f"plot: {plot}")


def _failures(run: Path) -> list[tuple[str, int]]:
    from collections import Counter

    from earmark.journal import JOURNAL_FILE
    from earmark.runs.scoring import latest_records

    return Counter(
        record.failure.message for record in latest_records(run / JOURNAL_FILE) if record.failure
    ).most_common(5)
