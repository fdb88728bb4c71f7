"""YAML that somebody else wrote: plain values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from earmark.errors import BadData

if TYPE_CHECKING:
    from pathlib import Path

MAX_CHARACTERS: Final = 4_000_000


def load_plain_yaml(text: str, path: str | Path) -> Any:
    """Load YAML without tags and aliases: a tag may make an object of any kind, and aliases of aliases fill the memory.

    Raises BadData with one line, which names the file and the line.
    """
    import yaml  # noqa: PLC0415 - a twentieth of a second that help and scoring do not owe

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader  # the first is ten times as fast
    if len(text) > MAX_CHARACTERS:
        raise BadData(f"{path}: {len(text):,} characters of YAML, expected at most {MAX_CHARACTERS:,}")
    try:
        for token in yaml.scan(text, Loader=loader):
            if isinstance(token, yaml.AliasToken | yaml.TagToken):
                kind = "alias" if isinstance(token, yaml.AliasToken) else "tag"
                raise BadData(f"{path}, line {token.start_mark.line + 1}: found a YAML {kind}, expected plain values")
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadData(f"{path}: no YAML that can be read ({' '.join(str(error).split())})") from error
