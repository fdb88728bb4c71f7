"""Trust a run folder from elsewhere: use the code, programs, addresses and keys that it names."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import print_line


@click.command()
@click.argument("runs", nargs=-1, required=True, type=RunPath())
@click.option("--remove", is_flag=True, help="Trust the runs no longer.")
def command(runs: tuple[Path, ...], remove: bool) -> None:
    """Use what RUN... names from now on: modules, programs, addresses, variables with keys, folders of weights.

    A run that was made here is trusted already. Look at what is listed first: trusting a run that somebody sent is
    running their code. A change of run.json or config.yaml ends the trust.
    """
    from earmark.runs.rescore import read_config
    from earmark.runs.signature import load_signature
    from earmark.runs.trust import config_dir, forget_run, trust_run
    from earmark.runs.untrusted import find_in_run

    for run in runs:
        if remove:
            forget_run(run)
            print_line(f"{run}: not trusted")
            continue
        things = find_in_run(load_signature(run), read_config(run))
        print_line(*(f"{run}: {thing.field} is {thing.value}" for thing in things))
        trust_run(run)
        print_line(f"{run}: trusted, by a file in {config_dir() / 'trusted'}")
