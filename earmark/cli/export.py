"""Export a run as csv, parquet, jsonl, the format of another harness, or to a tracker of experiments."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import print_line


@click.command()
@click.argument("run", type=RunPath())
@click.option(
    "--to",
    "form",
    required=True,
    help="Format: csv, parquet, jsonl, official, wandb, mlflow, hf, or one such as personalized-hearing.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Output path; by default beside the run.")
@click.option("--dataset", default="", metavar="OWNER/NAME", help="With --to hf: the data set on the hub.")
def command(run: Path, form: str, out: Path | None, dataset: str) -> None:
    """Export RUN in another format.

    \b
    earmark export RUN --to parquet            every answer with its score
    WANDB_MODE=offline earmark export RUN --to wandb
    earmark export RUN --to mlflow --out mlruns
    earmark export RUN --to hf --dataset OWNER/NAME   for a model card

    wandb and mlflow need their client: pip install wandb, or mlflow-skinny.
    """
    from earmark.errors import UsageError
    from earmark.runs.export_run import export_run
    from earmark.runs.export_trackers import TRACKERS, export_to_tracker

    if form in TRACKERS:
        print_line(*export_to_tracker(run, form, out, dataset))
        return
    if dataset:
        raise UsageError("--dataset is for --to hf")
    print_line(*map(str, export_run(run, form, out)))
