"""Load benchmarks and conditions from plug-ins and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import NamedTuple, TypeVar

import msgspec

from earmark import plugins
from earmark.config import Config, RunSettings, parse_settings, renamed
from earmark.errors import UsageError
from earmark.types import Benchmark, Condition, Scorer


class BenchmarkRun(NamedTuple):
    """A benchmark and the settings to run it with."""

    benchmark: Benchmark
    settings: Config


NamedPlugin = TypeVar("NamedPlugin", Benchmark, Condition, Scorer)


def load_benchmark(name: str, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    """A benchmark from its file and its settings."""
    return _load_from(plugins.find_plugin("benchmarks", name), name, tasks, settings)


def _load_from(module: ModuleType, name: str, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    benchmark: Benchmark = module.load(parse_settings(module.Settings, settings, ""), tuple(tasks))
    return check_plugin_name(name, benchmark)


def load_run_benchmark(name: str, tasks: Sequence[str], config: Config) -> tuple[Benchmark, Config]:
    """A benchmark from the words of a command, and the words as they are left for the run.

    `seed` and `limit` are settings of the run; a benchmark that has one of that name gets it, and a limit of its own
    means something else than the run's.
    """
    module = plugins.find_plugin("benchmarks", name)
    fields = module.Settings.__struct_fields__
    if unknown := next((key for key in config.benchmark if key not in fields), None):
        own_ones, of_a_run = ", ".join(fields) or "none", ", ".join(RunSettings.__struct_fields__)
        raise UsageError(
            f"no setting is called '{unknown}'{renamed(unknown)}; there are: {own_ones} (of {name}), {of_a_run} (of a "
            "run)"
        )
    given = {key: getattr(config.run, key) for key in ("seed", "limit") if key in fields}
    own = {key: value for key, value in given.items() if value is not None}
    left = (
        msgspec.structs.replace(config, run=msgspec.structs.replace(config.run, limit=None))
        if "limit" in own
        else config
    )
    return _load_from(module, name, tasks, own | config.benchmark), left


def load_condition(text: str, seed: int, benchmark: Benchmark) -> Condition | None:
    """A condition from its file: its name, and what stands after a colon."""
    if text == "plain":
        return None
    name, _, argument = text.partition(":")
    condition: Condition = plugins.find_plugin("conditions", name).load(argument, seed, benchmark)
    return check_plugin_name(name, condition)


def check_plugin_name(name: str, made: NamedPlugin) -> NamedPlugin:
    """Check that a user's plug-in has the name by which a run finds it again. Raises UsageError."""
    if "." in name and name not in (made.name, made.name.partition(":")[0]):
        raise UsageError(f"{name} calls itself '{made.name}'; expected '{name}', by which a run finds it again")
    return made


def load_conditions(texts: Sequence[str], seed: int, benchmark: Benchmark) -> tuple[Condition | None, ...]:
    """The conditions of a run. Raises UsageError for none, and for two of one name, under which a question would stand
    twice.
    """
    loaded = tuple(load_condition(text, seed, benchmark) for text in texts)
    names = [condition.name if condition else "plain" for condition in loaded]
    if not names:
        raise UsageError("condition=[] names no condition; expected some, such as condition=[plain,silence]")
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"{twice} is named twice in condition= and noise=; name it once, and ask twice with repeats=2")
    return loaded


def split_tasks(name: str) -> tuple[str, str]:
    """The name of a benchmark and its tasks as they are typed.

    >>> split_tasks("listen:2B,3A"), split_tasks("hub:owner/name:words")
    (('listen', '2B,3A'), ('hub:owner/name', 'words'))
    """
    hub = "hub:" if name.startswith("hub:") else ""
    benchmark, _, tasks = name.removeprefix(hub).partition(":")
    return hub + benchmark, tasks
