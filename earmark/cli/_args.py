"""Arguments of a command line: benchmarks, their tasks, suites and settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from earmark import plugins
from earmark.config.compose import compose_config
from earmark.config.folders import yaml_names
from earmark.config.words import kind_of
from earmark.engine.load import BenchmarkRun, load_run_benchmark, split_tasks
from earmark.errors import UsageError, alternatives

SUITE_PREFIX = "suite:"
SUITE_SETTINGS = ("beside", "published")  # of the table of a suite


def is_table_wanted(words: Sequence[str]) -> bool:
    """True if a command shows one table: of a suite, of several benchmarks, or with what stands beside one."""
    names = [word for word in words if "=" not in word]
    keys = [word.partition("=")[0].partition(".")[0] for word in words if "=" in word]
    return any(map(is_suite, names)) or len(merge_tasks(names)) > 1 or any(key in SUITE_SETTINGS for key in keys)


def is_suite(name: str) -> bool:
    """True if a name is that of a suite."""
    if name.startswith(SUITE_PREFIX) or name not in (suites := yaml_names("suite")):
        return name.startswith(SUITE_PREFIX)
    if name not in plugins.plugin_names("benchmarks") and name not in plugins.table_names("benchmarks"):
        return True
    from earmark.data.user_yaml import warn_once

    warn_once(f"{suites[name]}: not used, since {name} is a benchmark; suite:{name} is the suite")
    return False


def parse_runs(words: Sequence[str]) -> list[BenchmarkRun]:
    """Parse the words of a command line into benchmarks with their settings, suites expanded."""
    names = [word for word in words if "=" not in word]
    if len(names) == 1 and not is_suite(names[0]):
        benchmark, tasks = split_tasks(names[0])
        check_name(benchmark)
        settings = compose_config([word for word in words if "=" in word])
        return [BenchmarkRun(*load_run_benchmark(benchmark, tuple(filter(None, tasks.split(","))), settings))]
    from earmark.cli._suite_args import parse_suite

    runs = []
    for entry in parse_suite(words).entries:
        if not isinstance(entry.run, BenchmarkRun):
            raise entry.run
        runs.append(entry.run)
    return runs


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


def check_name(name: str) -> None:
    """Raise UsageError where no benchmark has a name."""
    file = name.replace("-", "_")
    is_known = file in plugins.plugin_names("benchmarks") or "." in name or name.startswith("hub:")
    if not is_known and file not in plugins.table_names("benchmarks") and name not in benchmark_names():
        from earmark.plugins.roads import unknown_name

        known = [*benchmark_names(), *yaml_names("suite")]
        raise UsageError(unknown_name("benchmarks", name, known, "benchmark or suite"))


def benchmark_names() -> list[str]:
    """The names of all benchmarks."""
    found = plugins.plugin_names("benchmarks"), plugins.table_names("benchmarks"), plugins.entry_points("benchmarks")
    return [name for names in found for name in names]


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
            raise UsageError(f"no setting is called '{key}'{alternatives(key, takes)}")
        raise UsageError(f"{word}: sets nothing of earmark {command}, which takes {', '.join(takes) or 'no settings'}")
