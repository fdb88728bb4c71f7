"""Export a run as csv, parquet, jsonl or the format of another harness."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import print_line


@click.command()
@click.argument("run", type=RunPath())
@click.option(
    "--to", "form", required=True, help="Format: csv, parquet, jsonl, official, or one such as personalized-hearing."
)
@click.option("--out", type=click.Path(path_type=Path), help="Output path; by default beside the run.")
def command(run: Path, form: str, out: Path | None) -> None:
    """Export RUN in another format."""
    from earmark.runs.export_run import export_run

    print_line(*map(str, export_run(run, form, out)))
