"""Arguments of a command line that shows one table of several benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from earmark.cli._args import SUITE_PREFIX, SUITE_SETTINGS, benchmark_names, check_name, is_suite, merge_tasks
from earmark.config.folders import yaml_names
from earmark.config.words import kind_of
from earmark.engine.load import split_tasks
from earmark.engine.suites import Suite, distinguish, load_benchmarks, load_suite
from earmark.errors import UsageError


class Command(NamedTuple):
    """A command line that shows one table."""

    suite: Suite
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
    return Command(suite, beside, published == "true")


def parse_suite(words: Sequence[str]) -> Suite:
    """Parse the words of a command line into one suite: benchmarks are one, too."""
    settings = [word for word in words if "=" in word]
    names = [word for word in words if "=" not in word]
    if not names:
        raise UsageError(f"no benchmark is named; there are: {', '.join([*benchmark_names(), *yaml_names('suite')])}")
    suites = [name for name in names if is_suite(name)]
    benchmarks = merge_tasks([name for name in names if name not in suites])
    for name in benchmarks:
        check_name(split_tasks(name)[0])
    parts = [load_suite(name.removeprefix(SUITE_PREFIX), settings) for name in suites]
    parts += [load_benchmarks(benchmarks, settings)] if benchmarks else []
    entries = [entry for part in parts for entry in part.entries]
    return Suite("+".join(part.name for part in parts), "; ".join(part.title for part in parts), distinguish(entries))
