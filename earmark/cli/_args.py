"""Arguments of a command line: benchmarks, their tasks, suites and settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from earmark import plugins
from earmark.config import kind_of, yaml_names
from earmark.engine.suites import PREFIX, BenchmarkRun, Suite, distinguish, load_benchmarks, load_suite, split_tasks
from earmark.errors import UsageError

SUITE_SETTINGS = ("beside", "published")  # of the table of a suite


class Command(NamedTuple):
    """A command line that runs benchmarks."""

    suite: Suite
    is_suite: bool  # one table is shown of all of them
    beside: Suite | None = None  # the same on another model
    published: bool = False


def parse_command(words: Sequence[str]) -> Command:
    """Parse a command line that names benchmarks or suites."""
    own = [word for word in words if word.partition("=")[0].partition(".")[0] in SUITE_SETTINGS and "=" in word]
    rest = [word for word in words if word not in own]
    suite = parse_suite(rest)
    shown = dict(word.split("=", 1) for word in own)
    published = shown.pop("published", "false")
    if published not in ("true", "false"):
        raise UsageError(f"published={published}: expected true or false")
    if shown and "beside" not in shown:
        raise UsageError(f"{next(iter(shown))}= sets something of another model; name it with beside=MODEL")
    beside = None
    if shown:
        other = [f"model{word.removeprefix('beside')}" for word in own if word.startswith("beside")]
        beside = parse_suite([*(word for word in rest if kind_of(word.partition("=")[0]) != "model"), *other])
    is_suite = len(suite.entries) > 1 or bool(own) or any(word.startswith(PREFIX) for word in rest)
    return Command(suite, is_suite, beside, published == "true")


def parse_runs(words: Sequence[str]) -> list[BenchmarkRun]:
    """Parse the words of a command line into benchmarks with their settings, suites expanded."""
    runs = []
    for entry in parse_suite(words).entries:
        if not isinstance(entry.run, BenchmarkRun):
            raise entry.run
        runs.append(entry.run)
    return runs


def parse_suite(words: Sequence[str]) -> Suite:
    """Parse the words of a command line into one suite: benchmarks are one, too."""
    settings = [word for word in words if "=" in word]
    names = [word for word in words if "=" not in word]
    if not names:
        raise UsageError(f"no benchmark is named; there are: {', '.join([*_benchmark_names(), *yaml_names('suite')])}")
    suites = [name for name in names if _is_suite(name)]
    benchmarks = merge_tasks([name for name in names if name not in suites])
    for name in benchmarks:
        _check_name(split_tasks(name)[0])
    parts = [load_suite(name.removeprefix(PREFIX), settings) for name in suites]
    parts += [load_benchmarks(benchmarks, settings)] if benchmarks else []
    entries = [entry for part in parts for entry in part.entries]
    return Suite("+".join(part.name for part in parts), "; ".join(part.title for part in parts), distinguish(entries))


def _is_suite(name: str) -> bool:
    return name.startswith(PREFIX) or (name in yaml_names("suite") and name not in _benchmark_names())


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


def _check_name(name: str) -> None:
    if "." in name or name.startswith("hub:") or name.replace("-", "_") in _benchmark_names():
        return
    known = ", ".join([*_benchmark_names(), *yaml_names("suite")])
    raise UsageError(f"no benchmark or suite is called '{name}'; there are: {known}")


def _benchmark_names() -> list[str]:
    return [*plugins.plugin_names("benchmarks"), *plugins.table_names("benchmarks")]


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
