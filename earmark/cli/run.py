"""Ask a model a benchmark, score it, and print the table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from earmark.errors import FINISHED_WITH_FAILURES

if TYPE_CHECKING:
    from earmark.cli._tables import BenchmarkRun
    from earmark.evaluate import RunResult


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Run benchmarks or suites: earmark run BENCHMARK[:TASK]... [key=value]...

    \b
    earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    earmark run listen:2B listen:3B data=FOLDER policy=official
    earmark run acoustics model=local 'condition=[plain,silence]'

    The same command again goes on with an unfinished run; resume=false starts anew.
    """
    from earmark.cli._tables import parse_runs

    if finish(parse_runs(words)):
        sys.exit(FINISHED_WITH_FAILURES)


def finish(runs: Sequence[BenchmarkRun]) -> int:
    """Run every line, then print the tables of all that ended; the number of failed items that were asked."""
    import asyncio

    from earmark.cli._progress import ProgressDisplay
    from earmark.evaluate import evaluate

    outcomes = []
    try:
        for run in runs:
            with ProgressDisplay(run.benchmark.name if len(runs) > 1 else "") as callbacks:
                outcomes.append(asyncio.run(evaluate(run.benchmark, run.settings, callbacks)))
    finally:  # where a line stops, those before it have their numbers all the same
        for outcome in outcomes:
            _show(outcome)
    return sum(outcome.n_failed for outcome in outcomes)


def _show(outcome: RunResult) -> None:
    from earmark.cli._tables import show_metrics

    show_metrics(f"{outcome.benchmark.name} by {outcome.model}", outcome.metrics)
    click.echo(f"source: {outcome.benchmark.source or 'not told'}; licence: {outcome.benchmark.license or 'not told'}")
    for notice in outcome.metrics.warnings:
        click.echo(notice)
    click.echo(f"run: {outcome.folder}\n")
