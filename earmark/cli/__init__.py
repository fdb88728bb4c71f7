"""The command line: the only floor that prints, and the only one that exits.

A command is a file of this folder, with a click command named `command`. Commands import what they need when they run,
so that help is quick.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from earmark import __version__
from earmark.cli._dotenv import load_dotenv
from earmark.cli._interrupt import MESSAGE, install_interrupt_handler
from earmark.errors import INTERRUPTED, EarmarkError, UsageError, from_os_error
from earmark.plugins import display_name, find_plugin, plugin_names, summary


class Commands(click.Group):
    """A group whose commands are the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [display_name("cli", name) for name in plugin_names("cli")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name.replace("-", "_") not in plugin_names("cli"):
            return None
        command: click.Command = find_plugin("cli", cmd_name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, from the first line of each file and without running any."""
        with formatter.section("Commands"):
            formatter.write_dl([(display_name("cli", name), summary("cli", name)) for name in plugin_names("cli")])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def earmark() -> None:
    """Measure how well models listen.

    Settings are key=value words: earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    """


def main(*arguments: Any) -> None:
    """The program earmark."""
    run_and_exit(earmark, *arguments)


def run_and_exit(command: click.Command, *arguments: Any) -> None:
    """Run a command, with the keys of a file `.env`, and exit with a documented status."""
    install_interrupt_handler()
    stdout = configure_streams()
    try:
        for warning in load_dotenv():
            click.echo(f"earmark: {warning}", err=True)
        status = command.main([*arguments] or None, standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except click.exceptions.Abort:
        exit_with(MESSAGE, INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        exit_with(one_line(error), error.exit_code)
    except EarmarkError as error:
        exit_with(str(error), error.status)
    except SystemExit as end:
        # What rich and click do where the reader of our output has gone, as `| head` does; click has put another stream
        # there.
        gone = isinstance(end.__context__, BrokenPipeError) or (end.code == 1 and sys.stdout is not stdout)
        sys.exit(0 if gone else end.code)
    except UnicodeEncodeError as error:  # of a word of the command, as a rule
        exit_with(f"{error.object!r} is no text; expected letters in UTF-8", UsageError.status)
    except OSError as error:
        sys.stdout = null_stream()  # what could not be written there is not tried again
        refused = from_os_error(error)
        exit_with(str(refused), refused.status)


def configure_streams() -> TextIO:
    """Streams that were closed lead nowhere, and a letter that output cannot hold is written by its number; the output."""
    sys.stdout, sys.stderr = (stream or null_stream() for stream in (sys.stdout, sys.stderr))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return sys.stdout


def null_stream() -> TextIO:
    """A stream that keeps nothing."""
    return Path(os.devnull).open("w")


def one_line(error: click.ClickException) -> str:
    """Format a click error in one line, with where to find help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    return f"{message.rstrip('.')}; see: {context.command_path} --help" if context else message


def exit_with(message: str, status: int) -> None:
    """One line for the user, and the status for the shell."""
    click.echo(f"earmark: {message}", err=True)
    sys.exit(status)
