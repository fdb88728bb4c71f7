"""Arguments of a command line: benchmarks, their tasks, suites and settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from earmark import plugins
from earmark.config import PACKAGED, Config, compose_config, kind_of, yaml_names
from earmark.engine.load import load_run_benchmark
from earmark.errors import BadData, UsageError
from earmark.types import Benchmark


class BenchmarkRun(NamedTuple):
    """A benchmark and the settings to run it with."""

    benchmark: Benchmark
    settings: Config


def parse_runs(words: Sequence[str]) -> list[BenchmarkRun]:
    """Parse the words of a command line into benchmarks with their settings, suites expanded."""
    settings = [word for word in words if "=" in word]
    names = [word for word in words if "=" not in word]
    if not names:
        raise UsageError(f"no benchmark is named; there are: {', '.join([*_benchmark_names(), *yaml_names('suite')])}")
    return [run for name in merge_tasks(names) for run in _parse_run(name, settings)]


def merge_tasks(names: Sequence[str]) -> list[str]:
    """Merge the tasks of each benchmark; a benchmark without a task means all of them.

    >>> merge_tasks(["listen:2B", "acoustics:pitch", "listen:3B", "acoustics"])
    ['listen:2B,3B', 'acoustics']
    """
    tasks: dict[str, list[str]] = {}
    for name in names:
        benchmark, task = split_tasks(name)
        tasks.setdefault(benchmark, []).append(task)
    return [f"{benchmark}:{','.join(parts)}" if all(parts) else benchmark for benchmark, parts in tasks.items()]


def split_tasks(name: str) -> tuple[str, str]:
    """The name of a benchmark and its tasks as they are typed.

    >>> split_tasks("listen:2B,3A"), split_tasks("hub:owner/name:words")
    (('listen', '2B,3A'), ('hub:owner/name', 'words'))
    """
    hub = "hub:" if name.startswith("hub:") else ""
    benchmark, _, tasks = name.removeprefix(hub).partition(":")
    return hub + benchmark, tasks


def _parse_run(name: str, settings: Sequence[str]) -> list[BenchmarkRun]:
    benchmark, tasks = split_tasks(name)
    suites = yaml_names("suite")
    is_benchmark = benchmark in plugins.plugin_names("benchmarks") or benchmark in plugins.table_names("benchmarks")
    if benchmark in suites and is_benchmark:
        from earmark.data.user_yaml import warn_once

        warn_once(f"{suites[benchmark]}: not used, since {benchmark} is a benchmark; give the suite another name")
    elif benchmark in suites and not tasks:
        from earmark.data.user_yaml import warn_replaced

        warn_replaced(suites[benchmark].parents[1], PACKAGED, "suite", benchmark)
        return [run for entry in load_suite(suites[benchmark]) for run in parse_runs([*entry, *settings])]
    if "." not in benchmark and not benchmark.startswith("hub:") and not is_benchmark:
        raise UsageError(
            f"no benchmark or suite is called '{benchmark}'; there are: {', '.join([*_benchmark_names(), *suites])}"
        )
    return [
        BenchmarkRun(*load_run_benchmark(benchmark, tuple(filter(None, tasks.split(","))), compose_config(settings)))
    ]


def _benchmark_names() -> list[str]:
    return [*plugins.plugin_names("benchmarks"), *plugins.table_names("benchmarks")]


def load_suite(path: Path) -> list[list[str]]:
    """Read the command lines of a suite's YAML file."""
    from earmark.data.plain_yaml import load_yaml

    try:
        entries = load_yaml(path)
    except BadData as error:
        raise UsageError(str(error)) from error
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise UsageError(
            f"{path}: found {type(entries).__name__}, expected a list of command lines such as 'listen:2B limit=20'"
        )
    return [entry.split() for entry in entries]


def use_only(
    command: str, words: Sequence[str], run: Collection[str] = (), *, model: bool = False, own: str = ""
) -> None:
    """Check that a command uses every word that it is given. Raises UsageError for one that sets nothing of it.

    `run` are the settings of a run that it uses; `own` says whose other settings it takes, if any.
    """
    for word in words:
        key, equals, _ = word.partition("=")
        kind = kind_of(key)
        if equals and (key in run or (kind == "model" and model) or (kind == "own" and own)):
            continue
        takes = [*run, *["model", "model.FIELD"] * model, *[f"settings of {own}"] * bool(own)]
        if kind == "own" and takes:
            raise UsageError(f"no setting is called '{key}'; there are: {', '.join(takes)}")
        raise UsageError(f"{word}: sets nothing of earmark {command}, which takes {', '.join(takes) or 'no settings'}")
