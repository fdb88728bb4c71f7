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
from earmark.cli._interrupt import MESSAGE, end_when_interrupted
from earmark.errors import INTERRUPTED, EarmarkError, UsageError, told_by_system
from earmark.plugins import find, names, plain, summary


class Commands(click.Group):
    """A group whose commands are the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [plain("cli", name) for name in names("cli")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name.replace("-", "_") not in names("cli"):
            return None
        command: click.Command = find("cli", cmd_name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, from the first line of each file and without running any."""
        with formatter.section("Commands"):
            formatter.write_dl([(plain("cli", name), summary("cli", name)) for name in names("cli")])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def earmark() -> None:
    """Measure how well models listen.

    Settings are key=value words: earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    """


def main(*arguments: Any) -> None:
    """The program earmark."""
    leave(earmark, *arguments)


def leave(command: click.Command, *arguments: Any) -> None:
    """Run a command, with the keys of a file `.env`, and exit with a documented status."""
    end_when_interrupted()
    stdout = prepare_streams()
    try:
        for told in load_dotenv():
            click.echo(f"earmark: {told}", err=True)
        status = command.main([*arguments] or None, standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except click.exceptions.Abort:
        stop(MESSAGE, INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        stop(one_line(error), error.exit_code)
    except EarmarkError as error:
        stop(str(error), error.status)
    except SystemExit as end:
        # What rich and click do where the reader of our output has gone, as `| head` does; click has put another stream there.
        gone = isinstance(end.__context__, BrokenPipeError) or (end.code == 1 and sys.stdout is not stdout)
        sys.exit(0 if gone else end.code)
    except UnicodeEncodeError as error:  # of a word of the command, as a rule
        stop(f"{error.object!r} is no text; expected letters in UTF-8", UsageError.status)
    except OSError as error:
        sys.stdout = nowhere()  # what could not be written there is not tried again
        refused = told_by_system(error)
        stop(str(refused), refused.status)


def prepare_streams() -> TextIO:
    """Streams that were closed lead nowhere, and a letter that output cannot hold is written by its number; the output."""
    sys.stdout, sys.stderr = (stream or nowhere() for stream in (sys.stdout, sys.stderr))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return sys.stdout


def nowhere() -> TextIO:
    """A stream that keeps nothing."""
    return Path(os.devnull).open("w")


def one_line(error: click.ClickException) -> str:
    """What click finds wrong with a command, and where help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    said = error.format_message()
    return f"{said.rstrip('.')}; see: {context.command_path} --help" if context else said


def stop(message: str, status: int) -> None:
    """One line for the user, and the status for the shell."""
    click.echo(f"earmark: {message}", err=True)
    sys.exit(status)
