"""Merge the shards of a run into one run."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import RunPath


@click.command
@click.argument("runs", nargs=-1, required=True, type=RunPath(), metavar="RUN...")
def command(runs: tuple[Path, ...]) -> None:
    """Merge runs made with shard=1/N to shard=N/N into a new run beside them, scored anew.

    The shards must have the same settings and hold every question once. They stay as they are.

    \b
    earmark run listen data=FOLDER model=local shard=1/2
    earmark run listen data=FOLDER model=local shard=2/2
    earmark merge results/whisper_tiny+smollm2/listen/*
    """
    import asyncio

    from earmark.cli._tables import show_metrics
    from earmark.runs.merge_shards import merge_shards
    from earmark.runs.signature import load_signature
    from earmark.terminal.console import print_line

    run, metrics = asyncio.run(merge_shards(runs))
    signature = load_signature(run)
    show_metrics(f"{signature.benchmark['name']} by {signature.model['name']}", metrics)
    print_line(*metrics.warnings, f"run: {run}", "")
