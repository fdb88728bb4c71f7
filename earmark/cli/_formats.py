"""Options that print numbers in a form for programs and papers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from earmark.terminal.console import print_text

if TYPE_CHECKING:
    from earmark.report.table_formats import DataTable

FORMATS: Final = {
    "json": "Print one line of JSON instead of a table.",
    "csv": "Print the numbers as CSV.",
    "markdown": "Print a table of Markdown.",
    "latex": "Print a table of LaTeX (booktabs), with signatures as comments.",
}
FORM_KEY: Final = "earmark.form"  # in the context of a command


def format_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options --json, --csv, --markdown and --latex to a command, as the parameter `form`; one at most."""

    @functools.wraps(command)
    def with_form(*arguments: Any, **options: Any) -> None:
        command(*arguments, form=click.get_current_context().meta.get(FORM_KEY), **options)

    for name, text in reversed(FORMATS.items()):
        add = click.option(
            f"--{name}", f"as_{name}", is_flag=True, expose_value=False, callback=_choose_form, help=text
        )
        with_form = add(with_form)
    return with_form


def _choose_form(context: click.Context, option: click.Parameter, given: bool) -> None:
    from earmark.errors import UsageError

    name = str(option.name).removeprefix("as_")
    if given and (other := context.meta.get(FORM_KEY, name)) != name:
        raise UsageError(f"--{other} and --{name} are two forms of one table; give one of them")
    if given:
        context.meta[FORM_KEY] = name


def refuse_with_form(form: str | None, **options: object) -> None:
    """Raise UsageError for an option that only the table for people uses, where another form is wanted."""
    from earmark.errors import UsageError

    if form and (name := next((name for name, value in options.items() if value), "")):
        raise UsageError(f"--{name} says something below the table, which --{form} leaves out; give one of the two")


def print_tables(tables: Sequence[DataTable], form: str) -> None:
    """Print tables in a form, an empty line between two; CSV of several has one header each."""
    from earmark.report.table_formats import format_table

    for index, table in enumerate(tables):
        print_text("\n" * bool(index) + format_table(table, form))  # type: ignore[arg-type]
