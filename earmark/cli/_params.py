"""Types of arguments that several commands take: runs, benchmarks, models, settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from earmark.terminal.console import log_to_stderr

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BARE_FILE: Final = re.compile(r"(?<![^\[,])[\w-]+\.py(?=$|[:/,\]])")
VALUES: Final = {"model": "models", "beside": "models", "judge": "models", "condition": "conditions"}  # kinds, by key


class CompletedType(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click alone
    """A type whose values the shell completes."""

    def shell_complete(self, ctx: click.Context, param: Any, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        from earmark.cli._completion import complete

        return complete(self, ctx, incomplete)


class RunPath(CompletedType):
    """A run: its folder, a folder above it (the newest run below), @ (the newest under results), @2 (the one before).

    With `folders=True` a folder stands for itself, for commands that take other folders too.
    """

    name = "run"

    def __init__(self, *, folders: bool = False) -> None:
        self.folders = folders

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ARG002
        from earmark.runs.run_list import NUMBERED

        as_it_is = (self.folders and not NUMBERED.fullmatch(str(value))) or (ctx and ctx.resilient_parsing)
        return Path(value) if as_it_is else find_run(Path(value))


class Name(CompletedType):
    """A name of one of several kinds of plug-ins or YAML files: benchmarks, suites, models, conditions, scorers."""

    name = "name"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds


class Word(Name):
    """A name, or a setting as key=value; a Python file in the working folder may be named without ./ before it."""

    name = "word"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        key, equals, text = str(value).rpartition("=")
        return f"{key}{equals}{BARE_FILE.sub(_as_path, text)}" if not key or key in VALUES else str(value)


def _as_path(match: re.Match[str]) -> str:
    return f"./{match[0]}" if Path(match[0]).is_file() else match[0]


def find_run(path: Path) -> Path:
    """Return the run that a path stands for, and say so in a line where it is another. Raises BadData for none."""
    from earmark.runs.run_list import newest_run

    run = newest_run(path)
    if run != path:
        log_to_stderr(f"{path}: the run is {run}")
    return run
