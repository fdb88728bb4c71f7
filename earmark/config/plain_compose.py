"""Composes the settings of most commands without Hydra, whose import and grammar take a quarter of a start.

Only packaged YAML, and words whose values are numbers, names, paths and lists of them; everything else is declined, and
composed by Hydra. Tests compare both on every packaged YAML and on generated words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from earmark.config.folders import PACKAGED, user_folder
from earmark.config.settings import RunSettings
from earmark.config.words import model_overrides

START: Final = "earmark_run"  # the YAML that `earmark run` starts from
NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d*)(\.\d+)?")
TEXT: Final = re.compile(r"(?:[A-Za-z_]|\.{0,2}/)[\w./:@-]*", re.ASCII)
CONSTANTS: Final = {"true": True, "false": False, "null": None}
KEY: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
QUOTED: Final = re.compile(r"\+\+model\.(\w+)='([^'\\$]*)'")  # of `model_overrides`
LISTS: Final = ("condition", "noise")


class NotPlainError(Exception):
    """Words that Hydra composes."""


def compose_plain(words: Sequence[str]) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Compose words over the YAML of `earmark run`: the settings, and the files chosen by group.

    None where a word is not plain, or the user has YAML of their own. Raises UsageError for an unknown model.
    """
    if user_folder() is not None or sum(word.startswith("model=") for word in words) > 1:
        return None
    try:
        settings = _read(START)
        del settings["defaults"]
        groups, later = {"model": "local", "runtime": "none"}, []
        for word in words:
            key, equals, value = word.partition("=")
            if not equals:
                return None
            later += _group(value, groups) if key == "model" else [_setting(key, value, settings)]
        settings |= {group: _read(f"{group}/{name}") for group, name in groups.items()}
    except NotPlainError:
        return None
    for (*parts, last), value in later:
        place = settings
        for part in parts:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                return None
        if isinstance(place.get(last), dict):
            return None
        place[last] = value
    return settings, groups


def _read(name: str) -> dict[str, Any]:
    text = (PACKAGED / f"{name}.yaml").read_text(encoding="utf-8")
    if "${" in text:
        raise NotPlainError
    content: dict[str, Any] = msgspec.yaml.decode(text)
    return content


def _group(value: str, groups: dict[str, str]) -> list[tuple[list[str], Any]]:
    """Choose the YAML of a model that is given by `model=`; returns what is set over it."""
    first, *others = model_overrides(value)
    name, fields = first.removeprefix("model="), [QUOTED.fullmatch(other) for other in others]
    if first == name or not (PACKAGED / f"model/{name}.yaml").is_file() or not all(fields):
        raise NotPlainError
    groups["model"] = name
    return [(["model", field[1]], field[2]) for field in fields if field]


def _setting(key: str, value: str, known: dict[str, Any]) -> tuple[list[str], Any]:
    """A word as the path of a setting and its value."""
    if not KEY.fullmatch(key) or key in ("eval", "runtime"):
        raise NotPlainError
    if key in LISTS and not value.startswith("["):
        value = f"[{value}]"
    path = key.split(".")
    if key == "noise" or key in RunSettings.__struct_fields__:
        if key not in known:
            raise NotPlainError
    elif path[0] != "model" or len(path) == 1:
        path = ["benchmark", *path]
    if value.startswith("[") and value.endswith("]"):
        return path, [_scalar(part) for part in value[1:-1].split(",")] if len(value) > 2 else []
    return path, _scalar(value) if value else ""


def _scalar(text: str) -> Any:
    if text in CONSTANTS:
        return CONSTANTS[text]
    if number := NUMBER.fullmatch(text):
        return float(text) if number[1] else int(text)
    if not TEXT.fullmatch(text) or text.lower() in (*CONSTANTS, "inf", "nan"):
        raise NotPlainError
    return text
