"""Arguments of conditions: what stands after the colon, as settings, and settings as they stand in a name."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from earmark.errors import UsageError


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
