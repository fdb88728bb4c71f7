"""Differences between two nested settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def differences(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The fields that differ between two nested settings, each with both values.

    >>> differences({"model": {"temperature": 0.0}}, {"model": {"temperature": 0.7}})
    ['model.temperature was 0.0 and is 0.7']
    """
    lines = []
    for key in (*before, *(key for key in now if key not in before)):
        old, new = before.get(key), now.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            lines += differences(old, new, f"{prefix}{key}.")
        elif old != new:
            lines.append(f"{prefix}{key} was {_format_value(old)} and is {_format_value(new)}")
    return lines


def _format_value(value: Any) -> str:
    return "not there" if value is None else repr(value)
