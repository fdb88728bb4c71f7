"""Write a run in another form: csv, parquet, jsonl, or a benchmark's own."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--to", "form", required=True, help="csv, parquet, jsonl, or a form such as personalized-hearing.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to; otherwise beside the run.")
def command(run: Path, form: str, out: Path | None) -> None:
    """Write RUN in another form."""
    from earmark.runs.export_run import export_run

    for path in export_run(run, form, out):
        click.echo(str(path))
