"""Load benchmarks, scorers and conditions from plug-ins and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from earmark import plugins
from earmark.config import Config, RunSettings, parse_settings, renamed
from earmark.engine.open import open_judge_model, open_model
from earmark.errors import UsageError
from earmark.plugins import Plugin
from earmark.types import Benchmark, Condition, Context, HasSettings, NamedCondition, NeedsSetup, Scorer, Signs


def load_benchmark(name: str, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    """Load a benchmark by its name."""
    return _load_benchmark(plugins.find_plugin("benchmarks", name), tasks, settings)


def _load_benchmark(plugin: Plugin, tasks: Sequence[str], settings: Mapping[str, object]) -> Benchmark:
    context = Context(tasks=tuple(tasks), open_model=open_judge_model)
    benchmark: Benchmark = plugin.load(parse_settings(plugin.settings, settings, ""), context)
    return benchmark


def load_run_benchmark(name: str, tasks: Sequence[str], config: Config) -> tuple[Benchmark, Config]:
    """A benchmark from the words of a command, and the words as they are left for the run.

    `seed` and `limit` are settings of the run; a benchmark that has one of that name gets it, and a limit of its own
    means something else than the run's.
    """
    plugin = plugins.find_plugin("benchmarks", name)
    fields = plugin.settings.__struct_fields__
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
    if file := plugins.plugin_file(plugin.name):
        left = msgspec.structs.replace(left, plugins=(str(file.path),))
    return _load_benchmark(plugin, tasks, own | config.benchmark), left


def load_scorer(name: str, settings: Mapping[str, Any]) -> Scorer:
    """Load a scorer by its name. Raises UsageError if its settings would not show in its signature."""
    plugin = plugins.find_plugin("scorers", name)
    own, context = parse_settings(plugin.settings, settings, ""), Context(open_model=open_judge_model)
    scorer: Scorer = plugin.load(own, context)
    if scorer.name != plugin.name:
        raise UsageError(f"{plugin.title} calls itself '{scorer.name}'; give it the name of its context: context.name")
    if plugin.module.__name__.startswith("earmark.scorers."):  # the contract tests check these
        return scorer
    if isinstance(scorer, Signs):
        _check_signature(plugin, own, scorer, context)
    elif not isinstance(scorer, HasSettings) or scorer.settings != own:
        raise UsageError(
            f"{plugin.title} does not show its settings, so its numbers would not be signed by them; let it have a "
            "member settings, the settings that it was loaded with"
        )
    return scorer


def _check_signature(plugin: Plugin, settings: Struct, scorer: Signs, context: Context) -> None:
    """Raise UsageError if settings that differ from the defaults sign as these do."""
    if any(field.required for field in msgspec.structs.fields(plugin.settings)):
        return
    usual = plugin.settings()
    changed = [name for name, value in plugins.signed_settings(settings).items() if value != getattr(usual, name)]
    if changed and plugin.load(usual, context).signature == scorer.signature:
        raise UsageError(
            f"{plugin.title}: {changed[0]}= does not change its signature; add it there, leave the signature out so that all "
            "settings sign, or annotate a setting that changes no number: Annotated[..., UNSIGNED]"
        )


def load_condition(text: str, seed: int, benchmark: Benchmark) -> NamedCondition | None:
    """Load a condition from its name and what stands after a colon; None for plain."""
    if text == "plain":
        return None
    name, _, argument = text.partition(":")
    plugin = plugins.find_plugin("conditions", name)
    settings = parse_argument(plugin.settings, argument, plugin.name)
    own = ":".join(filter(None, (plugin.name, format_argument(settings))))
    context = Context(seed=seed, benchmark=benchmark, open_model=open_model)
    condition: Condition = plugin.load(settings, context)
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


def parse_argument(kind: type[Struct], argument: str, name: str) -> Struct:
    """Parse what stands after the colon of a condition as its settings: one after another, separated by @.

    Where there are fewer parts than fields, they are the last ones.
    """
    fields = msgspec.structs.fields(kind)
    if argument and not fields:
        raise UsageError(f"{name} takes no argument, found '{name}:{argument}'; write condition={name}")
    parts = argument.rsplit("@", len(fields) - 1) if argument else []
    names = [field.name for field in fields][len(fields) - len(parts) :]
    try:
        return msgspec.convert(dict(zip(names, parts, strict=True)), kind, strict=False)
    except msgspec.ValidationError as error:
        given = f"{name}:{argument}" if argument else name
        raise UsageError(_describe_argument(kind, given, name, str(error))) from error


def _describe_argument(kind: type[Struct], given: str, name: str, problem: str) -> str:
    """Message for an argument that cannot be used: what a condition takes, by the Meta of its fields."""
    infos = {field.name: msgspec.inspect.type_info(field.type) for field in msgspec.structs.fields(kind)}
    described = [info for info in infos.values() if isinstance(info, msgspec.inspect.Metadata)]
    extras = [info.extra_json_schema or {} for info in described]
    takes = " and ".join(str(extra["description"]) for extra in extras if "description" in extra)
    example = "@".join(str(extra["examples"][0]) for extra in extras if extra.get("examples"))
    write = f"; write for instance condition={name}:{example}" if example else ""
    reason, _, where = problem.partition(" - at `$.")
    return f"{name} takes {takes or '@'.join(infos)}, found '{given}'{write}{_limits_of(infos.get(where[:-1]), reason)}"


def _limits_of(info: Any, reason: str) -> str:
    """The values that a field may have, to end a message with; its problem where nothing tells them."""
    inner = info.type if isinstance(info, msgspec.inspect.Metadata) else info
    if isinstance(inner, msgspec.inspect.LiteralType):
        return f"; it comes in {', '.join(map(str, inner.values))}"
    if isinstance(inner, msgspec.inspect.FloatType | msgspec.inspect.IntType) and None not in (inner.ge, inner.le):
        return f"; from {inner.ge:g} to {inner.le:g}"
    return f"; {reason}" if inner is None else ""


def format_argument(settings: Struct) -> str:
    """The argument of a condition as it stands in its name; leading settings that are the defaults are left out."""
    fields = list(msgspec.structs.fields(type(settings)))
    values = [getattr(settings, field.name) for field in fields]
    while fields and values[0] == fields[0].default:
        del fields[0], values[0]
    return "@".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
