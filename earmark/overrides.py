"""The `key=value` words of a command by what they set, so that each of them is used or refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from earmark.config import RunSettings, compose_config
from earmark.errors import UsageError

Kind: TypeAlias = Literal[
    "run", "model", "group", "own"
]  # own: of the benchmark or the scorer; group: of both and the run


class Overrides(NamedTuple):
    """What words set, without what they leave as it was."""

    run: dict[str, Any]  # fields of RunSettings
    model: dict[str, Any]
    whole_model: bool  # model=NAME is given: `model` is all of its settings
    own: dict[str, Any]


def kind_of(key: str) -> Kind:
    """Return what a word sets, by its key.

    >>> [kind_of(key) for key in ("model.base_url", "noise", "eval", "policy")]
    ['model', 'run', 'group', 'own']
    """
    if key in ("model", "runtime") or key.startswith("model."):
        return "model"
    if key == "eval":
        return "group"
    return "run" if key in RunSettings.__struct_fields__ or key == "noise" else "own"


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
