"""Sweeps and folders of settings as Hydra has them: -m, --cfg job, --config-dir."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from earmark.errors import EarmarkError, RunStopped, UsageError
from earmark.terminal.console import log_to_stderr, print_line, print_text

if TYPE_CHECKING:
    from earmark.engine.load import BenchmarkRun
    from earmark.evaluate import RunResult
    from earmark.report.rows import Row


def use_settings_folder(folder: Path | None, *, primary: bool) -> None:
    """Take a folder of settings, if one is given, and name the files in the folder that nothing reads."""
    from earmark.config.folders import user_folder
    from earmark.data.settings_folder import PRIMARY, unknown_files

    if folder:
        os.environ["EARMARK_CONF"] = str(folder)
    elif Path("conf").is_dir() and Path("configs").is_dir() and "EARMARK_CONF" not in os.environ:
        log_to_stderr("earmark: configs/ is not used: conf/ is there too; --config-dir configs takes the other")
    home = user_folder()
    if home is None:
        return
    unused = unknown_files(home)
    if not primary and (home / PRIMARY).is_file():
        unused.append(PRIMARY)
    for name in unused:
        reason = "listen-eval reads it" if name == PRIMARY else "its folder or name is none that settings have"
        log_to_stderr(f"earmark: {home.name}/{name} is not used: {reason}")


def print_settings(runs: Sequence[BenchmarkRun]) -> None:
    """Print the composed settings of runs as YAML."""
    from earmark.config.settings import to_yaml

    for run in runs:
        heading = f"# {run.benchmark.name}\n" if len(runs) > 1 else ""
        print_text(heading + to_yaml(run.settings))


def expand_sweep(words: Sequence[str]) -> list[list[str]]:
    """Every combination of words whose values are lists of choices, the last varying fastest.

    >>> expand_sweep(["model=a,b", "experiments=[1_audio],[2B]", "limit=3"])[1]
    ['model=a', 'experiments=[2B]', 'limit=3']
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    choices = []
    for word in words:
        key = word.partition("=")[0].lstrip("+")
        try:
            override = OverridesParser.create().parse_override(word)
            values = list(override.sweep_string_iterator()) if override.is_sweep_override() else []
        except HydraException:  # a value that is no word of Hydra's grammar is one text
            values = []
        choices.append([f"{key}={value}" for value in values] or [word])
    return [list(combination) for combination in itertools.product(*choices)]


class SweepJob(NamedTuple):
    """One combination of a sweep."""

    label: str  # the words in which it differs from the others
    runs: list[BenchmarkRun]


def split_prompts(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a sweep over the prompts that `prompt=[...]` lists. Raises UsageError for a list of one.

    >>> split_prompts(["acoustics", "prompt=[official,short]"])
    ('acoustics', 'prompt=official,short')
    """
    split = {word: f"prompt={word[8:].rstrip(']')}" for word in words if word.startswith("prompt=[")}
    if single := next((word for word in split if "," not in word), None):
        raise UsageError(f"{single}: expected several prompts, such as 'prompt=[official,short,polite]'")
    return tuple(split.get(word, word) for word in words)


def make_jobs(words: Sequence[str], parse: Callable[[Sequence[str]], list[BenchmarkRun]]) -> list[SweepJob]:
    """Read every combination, before the first one is run. Raises UsageError for a sweep over nothing."""
    words = split_prompts(words)
    combinations = expand_sweep(words)
    if len(combinations) == 1:
        raise UsageError("-m: no word has several values; expected one such as model=a,b or 'experiments=[2B],[3B]'")
    varied = [index for index in range(len(words)) if len({each[index] for each in combinations}) > 1]
    return [SweepJob(" ".join(each[index] for index in varied), parse(each)) for each in combinations]


def run_jobs(jobs: Sequence[SweepJob], run_all: Callable[[Sequence[BenchmarkRun]], list[RunResult]]) -> int:
    """Run jobs one after the other, then print one table of all; return the number of failed items.

    A job that ends in an error is told and left out; the first such error is raised at the end.
    """
    done: dict[str, list[RunResult]] = {}
    errors: list[EarmarkError] = []
    for number, job in enumerate(jobs, start=1):
        print_line(f"job {number} of {len(jobs)}: {job.label}")
        try:
            done[job.label] = run_all(job.runs)
        except RunStopped:
            raise
        except EarmarkError as error:
            log_to_stderr(f"earmark: {job.label}: {error}")
            errors.append(error)
    show_comparison(done)
    if all(label.startswith("prompt=") and " " not in label for label in done):
        _show_spread(done)
    if errors:
        raise errors[0]
    return sum(result.n_failed for results in done.values() for result in results)


def show_comparison(done: dict[str, list[RunResult]]) -> None:
    """Print the headline of every task, a column for each job."""
    from earmark.cli._tables import show_table

    if not done:
        return
    cells: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for label, results in done.items():
        for result in results:
            for row in result.metrics.rows:
                if not row.is_slice:
                    key = (result.benchmark.name, row.task, row.condition, row.headline[0])
                    cells.setdefault(key, {})[label] = _cell(row)
    lines = [(*key, *(by_job.get(label, "-") for label in done)) for key, by_job in cells.items()]
    show_table("comparison", ("benchmark", "task", "condition", "metric", *done), lines, words=4)
    print_line(*(f"{label}: {result.folder}" for label, results in done.items() for result in results))


def _show_spread(done: dict[str, list[RunResult]]) -> None:
    """Print how much of each score is the wording of the prompt, for every benchmark."""
    from earmark.cli._tables import show_table
    from earmark.report.wording_spread import HEAD, spread_table, wording_spreads
    from earmark.runs.run_scores import load_run_scores

    benchmarks = dict.fromkeys(result.benchmark.name for results in done.values() for result in results)
    for name in benchmarks:
        runs = {
            label.removeprefix("prompt="): result
            for label, results in done.items()
            for result in results
            if result.benchmark.name == name
        }
        rows = {label: result.metrics.rows for label, result in runs.items()}
        scores = {label: load_run_scores(result.folder) for label, result in runs.items()}
        if lines := spread_table(wording_spreads(rows, scores)):
            title = f"{name}: spread over {len(runs)} wordings of the prompt"
            show_table(title, HEAD, lines, words=3)


def _cell(row: Row) -> str:
    from earmark.report.table import format_interval, format_number

    estimate = row.headline[1]
    return f"{format_number(estimate.value)} ({format_interval(estimate)})"
