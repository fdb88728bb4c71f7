"""Cases of the contract tests: the examples that every packaged plug-in gives of itself. Adding one edits no test."""

from __future__ import annotations

from typing import Any, Final

import pytest

from earmark.plugins import Kind, Plugin, find_plugin, plugin_names
from earmark.plugins.examples import (
    BenchmarkExample,
    ConditionExample,
    ImporterExample,
    ModelExample,
    PluginExample,
    ScorerExample,
)

TYPES: Final[dict[Kind, type[PluginExample]]] = {
    "benchmarks": BenchmarkExample,
    "models": ModelExample,
    "scorers": ScorerExample,
    "conditions": ConditionExample,
    "importers": ImporterExample,
}


def examples_of(plugin: Plugin) -> tuple[Any, ...]:
    """The examples of a plug-in, none if it has no `examples`."""
    return tuple(vars(plugin.module).get("examples", tuple)())


def examples_problem(plugin: Plugin) -> str:
    """One line that says what is missing in the examples of a plug-in; empty for nothing."""
    kind = TYPES[plugin.kind]
    found = examples_of(plugin)
    if found and all(isinstance(example, kind) for example in found):
        return ""
    what = f"gives {', '.join(type(example).__name__ for example in found)}" if found else "has no examples"
    return (
        f"{plugin.title} {what}; write: def examples() -> tuple[{kind.__name__}, ...], with at least one "
        "(earmark/plugins/examples.py)"
    )


def every_plugin() -> list[Any]:
    """Parameters of a test: the kind and the name of every packaged plug-in."""
    return [pytest.param(kind, name, id=f"{kind}-{name}") for kind in TYPES for name in plugin_names(kind)]


def every_example(kind: Kind) -> list[tuple[str, Any]]:
    """The name of a plug-in and an example of it, for all of a kind."""
    return [(name, example) for name in plugin_names(kind) for example in examples_of(find_plugin(kind, name))]


def example_params(kind: Kind) -> list[Any]:
    """Parameters of a test: the same, with names of their own."""
    return [pytest.param(*case, id=f"{case[0]}-{number}") for number, case in enumerate(every_example(kind))]
