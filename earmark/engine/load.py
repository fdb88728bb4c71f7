"""Load benchmarks, scorers and conditions from plug-ins and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from earmark import plugins
from earmark.config.parse import parse_settings, renamed
from earmark.config.settings import ComposedConfig, RunSettings
from earmark.engine.items import select_items
from earmark.engine.open import open_judge_model, open_model
from earmark.errors import UsageError, alternatives
from earmark.plugins import Plugin
from earmark.types import Benchmark, Condition, Context, NamedCondition, NeedsSetup, Scorer


class BenchmarkRun(NamedTuple):
    """A benchmark and the settings to run it with."""

    benchmark: Benchmark
    settings: ComposedConfig


def load_benchmark(name: str, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    """Load a benchmark by its name."""
    return _load_benchmark(plugins.find_plugin("benchmarks", name), tasks, settings)


def _load_benchmark(plugin: Plugin, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    context = Context(tasks=tuple(tasks), open_model=open_judge_model)
    benchmark: Benchmark = plugin.load(parse_settings(plugin.settings, settings, ""), context)
    return benchmark


def load_run_benchmark(name: str, tasks: Sequence[str], config: ComposedConfig) -> tuple[Benchmark, ComposedConfig]:
    """A benchmark from the words of a command, and the words as they are left for the run.

    `seed` is a setting of the run; a benchmark that has one of that name gets it.
    """
    plugin = plugins.find_plugin("benchmarks", name)
    fields = plugin.settings.__struct_fields__
    wording = None
    if "prompt" in config.benchmark:
        from earmark.engine.wording import take_wording  # noqa: PLC0415 - of few runs

        wording, config = take_wording(config, has_own="prompt" in fields)
    if unknown := next((key for key in config.benchmark if key not in fields), None):
        own_ones, of_a_run = ", ".join(fields) or "none", ", ".join(RunSettings.__struct_fields__)
        names = () if renamed(unknown) else (*fields, *RunSettings.__struct_fields__)
        listed = f"{own_ones} (of {name}), {of_a_run} (of a run)"
        raise UsageError(f"no setting is called '{unknown}'{renamed(unknown)}{alternatives(unknown, names, listed)}")
    own = {"seed": config.run.seed} if "seed" in fields and config.run.seed is not None else {}
    left = config
    if file := plugins.plugin_file(plugin.name):
        left = msgspec.structs.replace(left, plugins=(str(file.path),))
    benchmark = _load_benchmark(plugin, tasks, own | config.benchmark)
    if wording:
        benchmark, left = wording.apply(benchmark, left)
    return select_items(benchmark, left.run), left


def load_scorer(name: str, settings: Mapping[str, Any]) -> Scorer:
    """Load a scorer by its name. Raises UsageError if its settings would not show in its signature."""
    plugin = plugins.find_plugin("scorers", name)
    own, context = parse_settings(plugin.settings, settings, ""), Context(open_model=open_judge_model)
    scorer: Scorer = plugin.load(own, context)
    if not plugin.is_packaged:
        from earmark.plugins.checks import check_scorer  # noqa: PLC0415 - the contract tests check packaged ones

        check_scorer(plugin, own, scorer, context)
    return scorer


def load_condition(text: str, seed: int, benchmark: Benchmark) -> NamedCondition | None:
    """Load a condition from its name and what stands after a colon; None for plain."""
    if text == "plain":
        return None
    name, _, argument = text.partition(":")
    plugin = plugins.find_plugin("conditions", name)
    settings, own = None, plugin.name
    if argument or plugin.settings.__struct_fields__:
        from earmark.engine.arguments import format_argument, parse_argument  # noqa: PLC0415 - of few conditions

        settings = parse_argument(plugin.settings, argument, plugin.name)
        own = ":".join(filter(None, (plugin.name, format_argument(settings))))
    context = Context(seed=seed, benchmark=benchmark, open_model=open_model)
    condition: Condition = plugin.load(settings or plugin.settings(), context)
    return NamedCondition(own, condition)


def load_conditions(texts: Sequence[str], seed: int, benchmark: Benchmark) -> tuple[NamedCondition | None, ...]:
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
    for condition in loaded:
        if condition and isinstance(condition.condition, NeedsSetup):
            condition.condition.check()
    return loaded


def split_tasks(name: str) -> tuple[str, str]:
    """The name of a benchmark and its tasks as they are typed.

    >>> split_tasks("listen:2B,3A"), split_tasks("hub:owner/name:words")
    (('listen', '2B,3A'), ('hub:owner/name', 'words'))
    """
    hub = "hub:" if name.startswith("hub:") else ""
    benchmark, _, tasks = name.removeprefix(hub).partition(":")
    return hub + benchmark, tasks
