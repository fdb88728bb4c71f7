"""YAML that somebody else wrote: plain values only, and no more of them than the file is long."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from earmark.data.regular import check_regular
from earmark.errors import BadData

MAX_CHARACTERS: Final = 4_000_000
MAX_VALUES: Final = 1_000_000  # in a file, those that its aliases repeat counted each time
MAX_DEPTH: Final = 100  # of lists and mappings in each other


def load_plain_yaml(text: str, path: str | Path) -> Any:
    """Load YAML without tags and aliases: a tag may make an object of any kind, and aliases of aliases fill the memory.

    Raises BadData with one line, which names the file and the line.
    """
    return _load(text, path, aliases=False)


def load_yaml(path: Path) -> Any:
    """Load a YAML file of the user's own, where an alias may repeat a value. Raises BadData."""
    return _load(_read(path), path, aliases=True)


def check_yaml(path: Path) -> None:
    """Raise BadData for a YAML file that is not to be given to a library, which counts nothing."""
    _check(_read(path), path, aliases=True)


def _read(path: Path) -> str:
    check_regular(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: no YAML that can be read ({error})") from error


def _load(text: str, path: str | Path, *, aliases: bool) -> Any:
    import yaml  # noqa: PLC0415 - a twentieth of a second that help and scoring do not owe

    _check(text, path, aliases=aliases)
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader  # the first is ten times as fast
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadData(f"{path}: no YAML that can be read ({' '.join(str(error).split())})") from error


def _check(text: str, path: str | Path, *, aliases: bool) -> None:
    """Count the values of a file, with those that aliases repeat. Raises BadData for too many, and for tags."""
    import yaml  # noqa: PLC0415

    if len(text) > MAX_CHARACTERS:
        raise BadData(f"{path}: {len(text):,} characters of YAML, expected at most {MAX_CHARACTERS:,}")
    sizes: dict[str, int] = {}
    open_values: list[tuple[str | None, int]] = [(None, 0)]  # anchor and number of values of each
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 0
            if getattr(event, "tag", None) or (isinstance(event, yaml.AliasEvent) and not aliases):
                kind = "alias" if isinstance(event, yaml.AliasEvent) else "tag"
                raise BadData(f"{path}, line {line}: found a YAML {kind}, expected plain values")
            anchor = getattr(event, "anchor", None)
            if isinstance(event, yaml.CollectionStartEvent):
                open_values.append((anchor, 1))
            elif isinstance(event, yaml.AliasEvent | yaml.ScalarEvent | yaml.CollectionEndEvent):
                name, size = open_values.pop() if isinstance(event, yaml.CollectionEndEvent) else (None, 1)
                if isinstance(event, yaml.AliasEvent):
                    size = sizes.get(str(event.anchor), 1)
                elif name or anchor:
                    sizes[str(name or anchor)] = size
                before, total = open_values[-1]
                open_values[-1] = before, total + size
            if len(open_values) > MAX_DEPTH or open_values[-1][1] > MAX_VALUES:
                raise BadData(
                    f"{path}, line {line}: more than {MAX_VALUES:,} values with those that aliases repeat, or lists "
                    f"{MAX_DEPTH} deep; write out what is needed"
                )
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadData(f"{path}: no YAML that can be read ({' '.join(str(error).split())})") from error
