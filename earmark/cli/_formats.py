"""Options that print numbers in a form for programs and papers, and the runs that a path stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from earmark.terminal.console import log_to_stderr, print_text

if TYPE_CHECKING:
    from earmark.report.table_formats import DataTable

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS: Final = {
    "json": "Print one line of JSON instead of a table.",
    "csv": "Print the numbers as CSV.",
    "markdown": "Print a table of Markdown.",
    "latex": "Print a table of LaTeX (booktabs), with signatures as comments.",
}
NEWEST: Final = "@"  # the newest run under results


def format_options(command: Command) -> Command:
    """Add the options --json, --csv, --markdown and --latex to a command, as the parameter `form`."""
    for name, text in reversed(FORMATS.items()):
        command = click.option(f"--{name}", "form", flag_value=name, default=None, help=text)(command)
    return command


def print_tables(tables: Sequence[DataTable], form: str) -> None:
    """Print tables in a form, an empty line between two; CSV of several has one header each."""
    from earmark.report.table_formats import format_table

    for index, table in enumerate(tables):
        print_text("\n" * bool(index) + format_table(table, form))  # type: ignore[arg-type]


def find_run(path: Path) -> Path:
    """Return the run that a path stands for: a run, a folder with runs below it (the newest one), or @.

    A path that stands for another is told in a line. Raises BadData where there is no run.
    """
    from earmark.errors import BadData
    from earmark.journal import SIGNATURE_FILE
    from earmark.runs.rundir import find_runs

    folder = Path("results") if str(path) == NEWEST else path
    if (folder / SIGNATURE_FILE).exists() or (not folder.is_dir() and str(path) != NEWEST):
        return folder
    runs = find_runs(folder) if folder.is_dir() else []
    if not runs:
        raise BadData(f"{path}: no run lies in {folder}; `earmark list runs` lists those under results")
    log_to_stderr(f"{path}: the newest run is {runs[-1]}")
    return runs[-1]
