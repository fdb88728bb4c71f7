"""Types of arguments that several commands take, with the completion of shells: runs, benchmarks, models, settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from earmark.terminal.console import log_to_stderr

BARE_FILE: Final = re.compile(r"(?<![^\[,])[\w-]+\.py(?=$|[:/,\]])")
VALUES: Final = {"model": "models", "beside": "models", "judge": "models", "condition": "conditions"}  # kinds, by key


class RunPath(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click alone
    """A run: its folder, a folder above it (the newest run below), @ (the newest under results), @2 (the one before).

    With `folders=True` a folder stands for itself, for commands that take other folders too.
    """

    name = "run"

    def __init__(self, *, folders: bool = False) -> None:
        self.folders = folders

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ARG002
        from earmark.runs.rundir import NUMBERED

        as_it_is = (self.folders and not NUMBERED.fullmatch(str(value))) or (ctx and ctx.resilient_parsing)
        return Path(value) if as_it_is else find_run(Path(value))

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - as click calls it
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        from earmark.runs.rundir import NEWEST, find_runs

        runs = [str(run) for run in reversed(find_runs("results"))] if Path("results").is_dir() else []
        return _items([NEWEST, *runs], incomplete) or [CompletionItem(incomplete, type="dir")]


class Name(click.ParamType):  # type: ignore[type-arg] # as above
    """A name of one of several kinds of plug-ins or YAML files: benchmarks, suites, models, conditions, scorers."""

    name = "name"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - as click calls it
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        return _items((name for kind in self.kinds for name in names_of(kind)), incomplete)


class Word(Name):
    """A name, or a setting as key=value; a Python file in the working folder may be named without ./ before it."""

    name = "word"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        key, equals, text = str(value).rpartition("=")
        return f"{key}{equals}{BARE_FILE.sub(_as_path, text)}" if not key or key in VALUES else str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before = [word for words in ctx.params.values() if isinstance(words, tuple) for word in words]
        key = next((word for word in reversed(before) if word != "="), "")
        if before and (
            before[-1] == "=" or before[-1] in VALUES
        ):  # bash splits words at =, and click drops the last one
            return _items(_values(key), incomplete)
        key, equals, value = incomplete.partition("=")
        if equals:
            return [CompletionItem(f"{key}={item.value}") for item in _items(_values(key), value)]
        settings = (f"{key}={name}" for key in ("model",) if incomplete for name in _values(key))
        return super().shell_complete(ctx, param, incomplete) + _items(settings, incomplete)


def _as_path(match: re.Match[str]) -> str:
    return f"./{match[0]}" if Path(match[0]).is_file() else match[0]


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _values(key: str) -> list[str]:
    return names_of(VALUES[key]) if key in VALUES else []


def names_of(kind: str) -> list[str]:
    """The names of a kind, as `earmark list` prints them."""
    from earmark.cli.list import list_entries

    return [name for name, _ in list_entries(kind)]


def find_run(path: Path) -> Path:
    """Return the run that a path stands for, and say so in a line where it is another. Raises BadData for none."""
    from earmark.runs.rundir import newest_run

    run = newest_run(path)
    if run != path:
        log_to_stderr(f"{path}: the run is {run}")
    return run
