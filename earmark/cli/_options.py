"""Options of commands that compose settings, as programs that use Hydra have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def hydra_options(command: Command) -> Command:
    """Add the options of programs that use Hydra to a command."""
    for option in (
        click.option("-m", "--multirun", "sweep", is_flag=True, help="Run every combination of key=a,b in turn."),
        click.option("--cfg", type=click.Choice(["job"]), help="Print the composed settings, without running."),
        click.option(
            "--config-dir",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Folder of YAML settings, instead of conf or configs in the working folder.",
        ),
    ):
        command = option(command)
    return command
