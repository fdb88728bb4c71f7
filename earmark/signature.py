"""The settings behind a number, and what must stay the same for a run to be continued."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from earmark.data.cache import short
from earmark.data.clips import source
from earmark.data.plain import repair
from earmark.types import Clip, Part, Picture, Prompt, Recipe


def asked(prompt: Prompt) -> str:
    """A digest of a prompt's words, roles, choices and order of parts. Sound and pictures enter by name alone.

    >>> from earmark.types import Turn
    >>> asked(Prompt((Turn("user", ("Hello.",)),))) == asked(Prompt((Turn("user", ("Hello!",)),)))
    False
    """
    turns = [(turn.role, [_shown(part) for part in turn.parts]) for turn in prompt.turns]
    parts = (turns, prompt.choices, prompt.labels, prompt.sampling)
    try:
        return short(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS))
    except orjson.JSONEncodeError:  # a lone surrogate, as in the name of a file that is no UTF-8
        return short(orjson.dumps(repair(parts), option=orjson.OPT_SORT_KEYS))


def _shown(part: Part) -> str | tuple[str, ...]:
    if isinstance(part, str):
        return part
    if isinstance(part, Picture):
        return ("picture", part.name or part.path, str(part.width), part.detail)
    if isinstance(part, Clip):
        return ("sound", part.name or part.member or part.path, str(part.start), str(part.end))
    return ("sound", part.name, str(sorted(part.settings.items())) if isinstance(part, Recipe) else "")


def differences(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The fields that differ between two nested settings, each with both values.

    >>> differences({"model": {"temperature": 0.0}}, {"model": {"temperature": 0.7}})
    ['model.temperature was 0.0 and is 0.7']
    """
    found = []
    for key in (*before, *(key for key in now if key not in before)):
        old, new = before.get(key), now.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, f"{prefix}{key}.")
        elif old != new:
            found.append(f"{prefix}{key} was {_told(old)} and is {_told(new)}")
    return found


def _told(value: Any) -> str:
    return "not there" if value is None else repr(value)


def heard(prompt: Prompt, sent: set[str] | None = None) -> str:
    """A digest of the recordings and pictures of a prompt, before any condition; empty where there are none or not all were sent."""
    if sent is not None and not sent:
        return ""
    sources = [
        source(part) for turn in prompt.turns for part in turn.parts if isinstance(part, Clip | Recipe | Picture)
    ]
    if not sources or (sent is not None and not sent.issuperset(sources)):
        return ""
    return short("".join(sources).encode())
