"""Run benchmarks on a model, score the responses and print the tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._options import hydra_options
from earmark.cli._params import Word
from earmark.errors import FINISHED_WITH_FAILURES
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.engine.load import BenchmarkRun
    from earmark.evaluate import RunResult


@click.command()
@click.argument("words", nargs=-1, required=True, type=Word("benchmarks", "suites"), metavar="BENCHMARK... SETTING...")
@hydra_options
def command(words: tuple[str, ...], *, sweep: bool, cfg: str | None, config_dir: Path | None) -> None:
    """Run benchmarks or suites: earmark run BENCHMARK[:TASK]... [key=value]...

    \b
    earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    earmark run listen:2B listen:3B data=FOLDER policy=official
    earmark run acoustics model=local 'condition=[plain,silence]'
    earmark run suite:field data=FOLDER model=NAME beside=cascade
    earmark run mmau mmar:music voicebench:sd-qa data=FOLDER model=NAME
    earmark run -m acoustics model=local,fake limit=5,20

    \b
    model=NAME       one of earmark list models, BACKEND/NAME, or a URL (local)
    data=FOLDER      where a benchmark's data lies
    condition=plain  how the audio is sent: 'condition=[plain,silence,noise:10]'
    prompt=short     other words, by NAME or FILE; 'prompt=[official,short]'
    limit=N          the first N items of each task (all)
    until=0.03       stop once the headline is known to this half-width (never)
    repeats=1        responses to each item
    seed=N           of everything random (the benchmark's own)
    budget=N         what the run may cost, in the currency of the prices (none)
    judge=MODEL      of benchmarks whose replies a model judges
    model.concurrency=16   requests at once, at most
    beside=MODEL     another model to compare with, of suites
    results=FOLDER   where runs lie (results)

    docs/settings.md lists all settings; earmark info NAME those of a benchmark.
    Several benchmarks, or a suite, give one table. Rerun the command to resume an
    unfinished run; resume=false starts a new one.
    """
    status: int | None = None
    sweep |= any(word.startswith("prompt=[") for word in words)  # each of them is a run
    if sweep or cfg or config_dir or Path("conf").is_dir() or Path("configs").is_dir():
        status = _run_composed(words, sweep=sweep, cfg=cfg, config_dir=config_dir)
    if status is None and (status := _run_table(words)) is None:
        from earmark.cli._args import parse_runs

        status = FINISHED_WITH_FAILURES if count_failed(run_all(parse_runs(words))) else 0
    if status:
        sys.exit(status)


def _run_composed(words: tuple[str, ...], *, sweep: bool, cfg: str | None, config_dir: Path | None) -> int | None:
    """Use the settings of the user's own folder: print them, or run each combination of them, and return the status.

    None where the words are one command, which is run as it is without such a folder.
    """
    from earmark.cli._args import parse_runs
    from earmark.cli._sweep import make_jobs, print_settings, run_jobs, use_settings_folder

    use_settings_folder(config_dir, primary=False)
    if cfg:
        print_settings(parse_runs(words))
        return 0
    if sweep:
        return FINISHED_WITH_FAILURES if run_jobs(make_jobs(words, parse_runs), run_all) else 0
    return None


def _run_table(words: tuple[str, ...]) -> int | None:
    """Run several benchmarks as one table, and return the status; None for one benchmark."""
    from earmark.cli._args import is_table_wanted

    if not is_table_wanted(words):
        return None
    from earmark.cli._suite import run_suite
    from earmark.cli._suite_args import parse_command

    return run_suite(parse_command(words))


def count_failed(results: Sequence[RunResult]) -> int:
    """Number of items that failed in some runs."""
    return sum(result.n_failed for result in results)


def run_all(runs: Sequence[BenchmarkRun]) -> list[RunResult]:
    """Run benchmarks, then print the tables of all that finished."""
    import asyncio

    from earmark.evaluate import evaluate
    from earmark.terminal.progress import ProgressDisplay

    references = _find_references(runs)
    results = []
    try:
        for run in runs:
            with ProgressDisplay(run.benchmark.name if len(runs) > 1 else "") as callbacks:
                results.append(asyncio.run(evaluate(run.benchmark, run.settings, callbacks)))
    finally:  # if a benchmark raises, the results of those before it are shown
        for result in results:
            _show(result)
            if reference := references.get(result.benchmark.name):
                from earmark.cli._reference import show_reference

                show_reference(result.folder, reference, as_json=False)
    return results


def _find_references(runs: Sequence[BenchmarkRun]) -> dict[str, Path]:
    """The folders of reference trajectories that runs are compared with. Raises UsageError for one that is none."""
    named = {run.benchmark.name: run.settings.benchmark.get("reference") for run in runs}
    found = {name: Path(str(place)).expanduser() for name, place in named.items() if place}
    if found:
        from earmark.cli._reference import is_reference
        from earmark.errors import UsageError

        for place in found.values():
            if not is_reference(place):
                raise UsageError(f"reference={place}: expected a folder with MODEL/TASK/run_1.jsonl")
    return found


def _show(result: RunResult) -> None:
    from earmark.cli._tables import show_metrics
    from earmark.report.headline import headline_sentence

    benchmark = result.benchmark
    print_line(headline_sentence(result.metrics, benchmark.name, result.model))
    show_metrics(f"{benchmark.name} by {result.model}", result.metrics)
    commits = "".join(f"; {repository} at {commit}" for repository, commit in benchmark.revisions().items())
    print_line(f"source: {benchmark.source or 'not stated'}{commits}; licence: {benchmark.license or 'not stated'}")
    if result.n_failed:
        from earmark.runs.failures import reason_lines

        print_line(*reason_lines(result.folder))
    print_line(*result.metrics.warnings, f"run: {result.folder}", "")
