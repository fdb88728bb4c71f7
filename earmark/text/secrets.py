"""Redacts keys in everything that is written: by the name of the variable that holds the key, or by ***.

A setting may contain a key: `${oc.env:NAME}` in a model's YAML, or one that was typed. Neither reaches a file.
"""

from __future__ import annotations

import os
import re
from typing import Any, Final

VARIABLE: Final = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
KEY: Final = re.compile(
    r"\b(?:sk|gsk|hf|xai|ghp|nvapi|pplx)[-_](?=\w*\d|[\w-]*\d)[\w-]{16,}|\bAIza[\w-]{30,}|\bAKIA[A-Z0-9]{16}\b"
)
SHORTEST: Final = 8  # characters of a variable's value; a shorter one may be part of any word
REFERENCE: Final = "${oc.env:"  # as OmegaConf writes a variable
HIDDEN: Final = "***"


def hide_secrets(text: str) -> str:
    """Replace the values of variables with keys by `${oc.env:NAME}`, and other strings that look like a key by ***.

    >>> hide_secrets("Bearer sk-proj-0123456789abcdef"), hide_secrets("task-force-of-many-people")
    ('Bearer ***', 'task-force-of-many-people')
    """
    for name, value in os.environ.items():
        if len(value) >= SHORTEST and value in text and VARIABLE.search(name):
            text = text.replace(value, f"{REFERENCE}{name}}}")
    return KEY.sub(HIDDEN, text)


def without_secrets(value: Any) -> Any:
    """Replace the keys in settings of any depth."""
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, dict):
        return {name: without_secrets(inner) for name, inner in value.items()}
    return [without_secrets(inner) for inner in value] if isinstance(value, list | tuple) else value


def first_hidden(value: Any, path: str = "") -> str:
    """Path of the first setting whose key was replaced when it was written; empty if there is none.

    >>> first_hidden({"extra": {"user": "${oc.env:USER_KEY}"}}, "model")
    'model.extra.user'
    """
    if isinstance(value, str):
        return path if value == HIDDEN or REFERENCE in value else ""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    return next((setting for name, inner in pairs if (setting := first_hidden(inner, f"{path}.{name}"))), "")
