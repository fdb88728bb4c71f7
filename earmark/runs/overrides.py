"""Changes of a run's settings, as the `key=value` words of `earmark retry` give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from earmark.config.compose import compose_config
from earmark.config.words import kind_of
from earmark.errors import UsageError


class Overrides(NamedTuple):
    """Settings that words set, without those that they leave as they were."""

    run: dict[str, Any]  # fields of RunSettings
    model: dict[str, Any]
    whole_model: bool  # model=NAME is given: `model` is all of its settings
    own: dict[str, Any]

    @property
    def paths(self) -> set[str]:
        """Every setting that is set, by its path; `model` stands for all of a model's."""
        return {*self.run, *self.own, *(["model"] if self.whole_model else _paths(self.model, "model"))}


def _paths(settings: dict[str, Any], path: str) -> Iterator[str]:
    for name, value in settings.items():
        yield f"{path}.{name}"
        if isinstance(value, dict):
            yield from _paths(value, f"{path}.{name}")


def read_overrides(words: Sequence[str]) -> Overrides:
    """Return what words set. Raises UsageError for one that is no setting."""
    config = compose_config(words)
    keys = [word.partition("=")[0] for word in words]
    run = {"condition" if key == "noise" else key for key in keys if kind_of(key) == "run"}
    whole = "model" in keys
    if "runtime" in keys and not whole:
        raise UsageError("runtime= changes what model=NAME is composed of; give both, or the settings one by one")
    model: dict[str, Any] = config.model if whole else {}
    for key in keys if not whole else ():
        if kind_of(key) == "model":
            copy_path(config.model, model, key.split(".")[1:])
    return Overrides({name: getattr(config.run, name) for name in run}, model, whole, config.benchmark)


def copy_path(source: dict[str, Any], target: dict[str, Any], path: Sequence[str]) -> None:
    """Copy one value of nested settings to its place in others.

    >>> settings = {"name": "m"}
    >>> copy_path({"prices": {"in": 2, "out": 8}}, settings, ("prices", "in")); settings
    {'name': 'm', 'prices': {'in': 2}}
    """
    first, *rest = path
    if rest and isinstance(source[first], dict):
        copy_path(source[first], target.setdefault(first, {}), rest)
    else:
        target[first] = source[first]


def merge(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return nested settings with some changed.

    >>> merge({"prices": {"in": 2, "out": 8}}, {"prices": {"in": 3}})
    {'prices': {'in': 3, 'out': 8}}
    """
    both = {name: merge(settings[name], value) for name, value in changes.items() if _nested(settings.get(name), value)}
    return settings | changes | both


def _nested(before: Any, after: Any) -> bool:
    return isinstance(before, dict) and isinstance(after, dict)
