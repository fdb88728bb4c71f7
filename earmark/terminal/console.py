"""The only place that writes to the terminal: control characters and bidi marks appear as escapes, markup is off."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from earmark.text.printable import JSON_ESCAPES, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

FILE_WIDTH: Final = 200  # columns of a table where no terminal sets a limit


def print_line(*texts: str, err: bool = False) -> None:
    """Print each text on one line."""
    for text in texts:
        click.echo(printable(text), err=err)


def print_text(text: str) -> None:
    """Print a text that may have several lines, such as a page or a YAML file."""
    click.echo(printable(text, keep="\n\t"))


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    import msgspec

    click.echo(msgspec.json.encode(value).decode().translate(JSON_ESCAPES).encode())


class LogHandler(logging.Handler):
    """Handler that prints warnings of the package."""

    def emit(self, record: logging.LogRecord) -> None:
        print_line(f"earmark: {record.getMessage()}", err=True)


def print_warnings() -> None:
    """Print what the package warns of from now on."""
    logger = logging.getLogger("earmark")
    if not any(isinstance(handler, LogHandler) for handler in logger.handlers):
        logger.addHandler(LogHandler())
        logger.propagate = False


def log_to_stderr(*texts: str) -> None:
    """Print messages that are not part of a command's output."""
    print_line(*texts, err=True)


def make_console(*, stderr: bool = False, table: bool = False) -> Console:
    """Create a console that takes every text as it is, for tables and progress; a table in a file may be wide."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if (stderr and not table) or stream.isatty() else FILE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def print_on(console: Console, content: RenderableType) -> None:
    """Print a table, or a message above the progress that the console shows."""
    is_text = isinstance(content, str)
    console.print(printable(content) if isinstance(content, str) else content, soft_wrap=is_text)
