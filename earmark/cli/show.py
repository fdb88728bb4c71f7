"""Show the numbers of a run: its table, its notices, and why items failed."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.runs.signature import load_signature


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Every metric, not the headline alone.")
@click.option("--by", default="", help="Break the rows down by a tag, such as user or dataset_source.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Draw the curve in noise, or the audiogram: .png, .svg, .html."
)
@click.option("--width", type=click.FloatRange(0, min_open=True), help="Tell how many items an interval so wide takes.")
def command(runs: tuple[Path, ...], everything: bool, by: str, plot: Path | None, width: float | None) -> None:
    """Show the numbers of RUN..., folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    \b
    earmark show RUN --width 0.04          how many items an interval of plus or minus 0.02 takes
    earmark show RUN --plot curve.png      of a run with noise=[20,10,0,-10]: the score against the noise
    """
    from earmark.cli._tables import show_metrics
    from earmark.errors import UsageError
    from earmark.report.files import read_metrics
    from earmark.runs import rundir

    if plot and len(runs) > 1:
        raise UsageError("--plot draws one run; give one RUN")
    for run in runs:
        signature = load_signature(run)
        if signature.benchmark["name"] == rundir.AUDIOGRAM_NAME:
            _audiogram(run, plot)
            continue
        metrics = read_metrics(run)
        title = f"{signature.benchmark['name']} by {signature.model['name']}"
        show_metrics(title, metrics, everything=everything, by=by, width=width)
        for notice in metrics.warnings:
            click.echo(notice)
        for message, count in _failures(run):
            click.echo(f"failed {count}: {message}")
        if not metrics.finished:
            click.echo("unfinished: the command that began it goes on with it")
        if plot:
            from earmark.report.figures import write_plot
            from earmark.report.noise_curve import plot_noise_curve

            write_plot(plot, plot_noise_curve(title, metrics.rows))
            click.echo(f"drawn: {plot}")


def _audiogram(run: Path, plot: Path | None) -> None:
    from earmark.audiogram.plots import plot_audiogram
    from earmark.audiogram.results import load_audiogram
    from earmark.cli.audiogram import show
    from earmark.report.figures import write_plot

    audiogram = load_audiogram(run)
    show(audiogram)
    if plot:
        write_plot(plot, plot_audiogram(audiogram))
        click.echo(f"drawn: {plot}")


def _failures(run: Path) -> list[tuple[str, int]]:
    from collections import Counter

    from earmark.journal import JOURNAL_FILE
    from earmark.runs.scoring import latest_records

    return Counter(
        record.failure.message for record in latest_records(run / JOURNAL_FILE) if record.failure
    ).most_common(5)
