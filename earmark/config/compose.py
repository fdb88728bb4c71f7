"""YAML groups and words of the command line, composed into one `ComposedConfig`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from earmark import plugins
from earmark.config.parse import parse_settings
from earmark.config.plain_compose import START, compose_plain
from earmark.config.settings import ComposedConfig, RunSettings
from earmark.data.hydra_words import plain_words
from earmark.errors import UsageError


def _check_working_folder() -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the working folder does not exist any more; change to another one with cd") from error


def compose_config(words: Sequence[str], start: str = START) -> ComposedConfig:
    """Read `key=value` words over a YAML to start from. Raises UsageError with one line on the first that means
    nothing.
    """
    _check_working_folder()
    words = [plain for word in words for plain in plain_words(word)]
    composed = compose_plain(words) if start == START else None
    if composed is None:
        from earmark.config.hydra_compose import compose_by_hydra, own_words  # noqa: PLC0415 - a quarter of a start

        words = [*own_words(start), *words]
        composed = compose_by_hydra(words, start)
    return _read_composed(composed[0], words, composed[1])


def _read_composed(settings: Any, words: Sequence[str], groups: dict[str, str]) -> ComposedConfig:
    """Read what was composed."""
    model, benchmark, runtime = settings.pop("model"), settings.pop("benchmark"), settings.pop("runtime")
    if not isinstance(model, dict):
        raise UsageError(f"the model's YAML holds {model!r}; expected settings by name, such as backend: openai")
    unused: dict[str, str] = {}
    if isinstance(in_group := settings.pop("eval", None), dict):
        from earmark.data.settings_folder import merge_eval  # noqa: PLC0415 - of few folders

        given = {word.partition("=")[0] for word in words}
        unused = merge_eval(in_group, settings, benchmark, RunSettings.__struct_fields__, given)
    runtime_backend = runtime.pop("backend", None)
    if runtime_backend in (None, model.get("backend")):
        model = runtime | model
    elif runtime and (chosen := next((word for word in words if word.startswith("runtime=")), "")):
        raise UsageError(f"{chosen}: is for models of {runtime_backend}, and this one is of {model.get('backend')}")
    settings["condition"] += [f"noise:{level}" for level in settings.pop("noise")]
    if ".py" in str(model):
        from earmark.plugins.roads import with_full_paths  # noqa: PLC0415 - of few models

        model = with_full_paths(model)
    settings["condition"] = [
        plugins.full_path(text) if isinstance(text, str) else text for text in settings["condition"]
    ]
    return ComposedConfig(parse_settings(RunSettings, settings, ""), model, benchmark, groups, unused)


def scorer_overrides(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words as plain settings, for a scorer.

    >>> scorer_overrides(["policy=official", "votes=3"])
    {'policy': 'official', 'votes': 3}
    """
    return compose_config(words).benchmark
