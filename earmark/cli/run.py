"""Run benchmarks on a model, score the responses and print the tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from earmark.cli._console import print_line
from earmark.errors import FINISHED_WITH_FAILURES, EarmarkError

if TYPE_CHECKING:
    from earmark.engine.suites import BenchmarkRun
    from earmark.evaluate import RunResult


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Run benchmarks or suites: earmark run BENCHMARK[:TASK]... [key=value]...

    \b
    earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    earmark run listen:2B listen:3B data=FOLDER policy=official
    earmark run acoustics model=local 'condition=[plain,silence]'
    earmark run suite:field data=FOLDER model=NAME beside=cascade 'condition=[plain,silence]'
    earmark run mmau mmar:music voicebench:sd-qa data=FOLDER model=NAME

    Several benchmarks, or a suite, give one table; beside=MODEL compares another model, published=true shows what
    others reported. Rerun the command to resume an unfinished run; resume=false starts a new one.
    """
    sys.exit(run_command(words))


def run_command(words: tuple[str, ...]) -> int:
    """Run the benchmarks of a command line; return the exit status."""
    from earmark.cli._args import parse_command

    command = parse_command(words)
    if command.is_suite:
        from earmark.cli._suite import run_suite

        return run_suite(command)
    (entry,) = command.suite.entries
    if isinstance(entry.run, EarmarkError):
        raise entry.run
    return FINISHED_WITH_FAILURES if evaluate_all([entry.run]) else 0


def evaluate_all(runs: Sequence[BenchmarkRun]) -> int:
    """Run benchmarks, then print the tables of all that finished; return the number of failed items."""
    import asyncio

    from earmark.cli._progress import ProgressDisplay
    from earmark.evaluate import evaluate

    results = []
    try:
        for run in runs:
            with ProgressDisplay(run.benchmark.name if len(runs) > 1 else "") as callbacks:
                results.append(asyncio.run(evaluate(run.benchmark, run.settings, callbacks)))
    finally:  # if a benchmark raises, the results of those before it are shown
        for result in results:
            _show(result)
    return sum(result.n_failed for result in results)


def _show(result: RunResult) -> None:
    from earmark.cli._tables import show_metrics

    benchmark = result.benchmark
    show_metrics(f"{benchmark.name} by {result.model}", result.metrics)
    print_line(f"source: {benchmark.source or 'not stated'}; licence: {benchmark.license or 'not stated'}")
    print_line(*result.metrics.warnings, f"run: {result.folder}", "")
