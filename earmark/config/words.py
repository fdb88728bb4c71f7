"""Words of the command line, `key=value`: what they set, and models by their names."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from earmark import plugins
from earmark.config.folders import yaml_names
from earmark.config.settings import RunSettings
from earmark.data.hydra_words import plain_key
from earmark.errors import UsageError

HOST_AND_PORT: Final = re.compile(r"[\w.-]+:\d+(/|$)")  # of a server, without http://
Kind: TypeAlias = Literal["run", "model", "group", "own"]  # own: of the benchmark or scorer; group: of both and the run


def kind_of(key: str) -> Kind:
    """Return what a word sets, by its key.

    >>> [kind_of(key) for key in ("model.base_url", "noise", "eval", "policy")]
    ['model', 'run', 'group', 'own']
    """
    key = plain_key(key)
    if key in ("model", "runtime") or key.startswith("model."):
        return "model"
    if key.startswith("hydra."):
        return "run"
    if key == "eval":
        return "group"
    return "run" if key in RunSettings.__struct_fields__ or key == "noise" else "own"


def model_overrides(value: str) -> list[str]:
    """The model a user names, as a YAML file and the fields that differ.

    >>> model_overrides("http://127.0.0.1:8000/v1/")
    ['model=openai', "++model.base_url='http://127.0.0.1:8000/v1'"]
    >>> model_overrides("localhost:8000/v1")
    ['model=openai', "++model.base_url='http://localhost:8000/v1'"]
    >>> model_overrides("openai/gpt-4o-audio-preview")
    ['model=openai', "++model.name='gpt-4o-audio-preview'"]
    >>> model_overrides("my.module/large")
    ['~model', "++model.backend='my.module'", "++model.name='large'"]
    """
    known = yaml_names("model")
    if "," in value and {*value.split(",")} <= {*known}:
        raise UsageError(f"model={value}: names several; add -m to run one after the other")
    if value in known:
        return [f"model={value}"]
    if HOST_AND_PORT.match(value):
        value = f"http://{value}"
    if value.startswith(("http://", "https://")):
        return ["model=openai", f"++model.base_url='{value.rstrip('/')}'"]
    backend, slash, name = value.partition("/")
    if slash and backend in known:
        return [f"model={backend}", f"++model.name='{name}'"]
    file = backend
    if ".py" in value:
        from earmark.plugins.roads import split_path  # noqa: PLC0415 - of few models

        file, slash, name = split_path(value)
    is_module = "." in file and all(part.isidentifier() for part in file.split("."))
    is_named = file in plugins.plugin_names("models") or file in plugins.entry_points("models")
    if plugins.is_path(file) or (is_module and not file.endswith(".py")) or is_named:
        return ["~model", f"++model.backend='{file}'", *([f"++model.name='{name}'"] if slash else [])]
    from earmark.plugins.roads import unknown_name  # noqa: PLC0415

    more = "" if slash else f", BACKEND/NAME, such as openai/{value}, or the URL of a server"
    raise UsageError(f"{unknown_name('models', value, known)}{more}")
