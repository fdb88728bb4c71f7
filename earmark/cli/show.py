"""Show the numbers of a run: its table, its notices, and why items failed."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Every metric, not the headline alone.")
@click.option("--by", default="", help="Break the rows down by a tag, such as user or dataset_source.")
def command(runs: tuple[Path, ...], everything: bool, by: str) -> None:
    """Show the numbers of RUN..., folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00."""
    from earmark import folder
    from earmark.cli._words import show_gains, show_rows
    from earmark.report.files import read_metrics

    for run in runs:
        signed = folder.signed(run)
        metrics = read_metrics(run)
        show_rows(f"{signed.benchmark['name']} by {signed.model['name']}", metrics.rows, everything=everything, by=by)
        show_gains(metrics.gains, by=by)
        for notice in metrics.notices:
            click.echo(notice)
        for message, count in _failures(run):
            click.echo(f"failed {count}: {message}")
        if not metrics.finished:
            click.echo("unfinished: the command that began it goes on with it")


def _failures(run: Path) -> list[tuple[str, int]]:
    from collections import Counter

    from earmark.folder import JOURNAL
    from earmark.scoring import records

    return Counter(record.failure.message for record in records(run / JOURNAL) if record.failure).most_common(5)
