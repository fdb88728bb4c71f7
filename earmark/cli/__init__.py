"""The command line: the only folder that prints or exits.

A command is a file of this folder, with a click command named `command`. Commands import what they need when they run,
so that help is quick.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

import click

from earmark import __version__
from earmark.cli._interrupt import install_interrupt_handler, interrupt_message
from earmark.errors import INTERRUPTED, EarmarkError, UsageError, from_os_error
from earmark.plugins import display_name, find_plugin, limit_modules, plugin_names, summary
from earmark.terminal.console import print_line, print_warnings

GROUPS: Final = {
    "Start": "doctor demo list info init",
    "Ask a model": "run retry audiogram probe serve",
    "Look at runs": "show items compare leaderboard view site published check",
    "Score": "score rescore judge-check",
    "Bring in and take out": "fetch verify import export merge prompts trust",
}  # the order of help; a command that is in none is under "Other"


class Commands(click.Group):
    """Group whose commands are the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [display_name("cli", name) for name in plugin_names("cli")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name.replace("-", "_") not in plugin_names("cli"):
            return None
        command: click.Command = find_plugin("cli", cmd_name).module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands in groups, from the first line of each file, without importing any."""
        summaries = {display_name("cli", name): summary("cli", name) for name in plugin_names("cli")}
        groups = {title: [name for name in names.split() if name in summaries] for title, names in GROUPS.items()}
        others = [name for name in summaries if not any(name in names for names in groups.values())]
        for title, names in (groups | {"Other": others}).items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, summaries[name]) for name in names], col_max=14)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def earmark() -> None:
    """Measure how well models listen.

    Settings are key=value words:

    \b
    earmark run listen data=FOLDER model=http://127.0.0.1:8000/v1 limit=20
    """


def main(*arguments: Any) -> None:
    """The program earmark."""
    with exit_status(arguments):
        flush_and_exit(earmark.main([*arguments] or None, standalone_mode=False))


@contextmanager
def exit_status(arguments: Sequence[Any] = ()) -> Iterator[None]:
    """A context for a command, with the keys of a file `.env`: errors become one line and a documented status."""
    install_interrupt_handler()
    stdout = configure_streams()
    print_warnings()
    limit_modules([*arguments] or sys.argv[1:])
    try:
        if Path(".env").is_file():
            from earmark.cli._dotenv import load_dotenv

            print_line(*(f"earmark: {warning}" for warning in load_dotenv()), err=True)
        yield
    except (click.exceptions.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        exit_with(interrupt_message(), INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.NoSuchOption as error:
        from earmark.cli._hints import setting_hint

        exit_with(setting_hint(error, arguments or sys.argv[1:]) or one_line(error), error.exit_code)
    except click.ClickException as error:
        exit_with(one_line(error), error.exit_code)
    except EarmarkError as error:
        exit_with(str(error), error.status)
    except SystemExit as end:
        # rich and click exit so when the reader of the output is gone, as with `| head`; click replaces the stream
        is_broken_pipe = isinstance(end.__context__, BrokenPipeError) or (end.code == 1 and sys.stdout is not stdout)
        sys.exit(0 if is_broken_pipe else end.code)
    except UnicodeEncodeError as error:  # an argument that is not UTF-8, as a rule
        exit_with(f"{error.object!r} is no text; expected letters in UTF-8", UsageError.status)
    except OSError as error:
        sys.stdout = null_stream()  # so that nothing is written there at exit
        known_error = from_os_error(error)
        exit_with(str(known_error), known_error.status)
    finally:
        limit_modules(None)


def configure_streams() -> TextIO:
    """Replace closed streams, escape letters that the output cannot encode, and return the output."""
    sys.stdout, sys.stderr = (stream or null_stream() for stream in (sys.stdout, sys.stderr))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return sys.stdout


def null_stream() -> TextIO:
    """Open a stream that discards everything."""
    return Path(os.devnull).open("w")


def one_line(error: click.ClickException) -> str:
    """Format a click error in one line, with the command that shows help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    return f"{message.rstrip('.')}; see: {context.command_path} --help" if context else message


def flush_and_exit(status: int | None) -> NoReturn:
    """Exit with a status, once all that was printed is written."""
    sys.stdout.flush()
    sys.exit(status)


def exit_with(message: str, status: int) -> None:
    """Print one line to stderr and exit with a status."""
    if "pip install" in message:
        from earmark.data.install import fit_install_lines

        message = fit_install_lines(message)
    print_line(f"earmark: {message}", err=True)
    sys.exit(status)
