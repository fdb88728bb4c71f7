"""Run a small model on speech and tones, in quiet, in noise and in silence."""

from __future__ import annotations

import sys

import click

from earmark.cli._params import Word
from earmark.errors import FINISHED_WITH_FAILURES
from earmark.terminal.console import print_text


@click.command()
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(words: tuple[str, ...]) -> None:
    """Run the demo suite, with settings such as limit=5 or results=DIR."""
    from earmark.cli._args import parse_runs
    from earmark.cli.run import count_failed, run_all

    failed = count_failed(run_all(parse_runs(("demo", *words))))
    print_text(
        "\nHow to read it: accuracy on spoken words falls with noise, and to chance in silence. The cascade answers\n"
        "spoken questions but not tone questions. Its accuracy on silence is what the answer options give away."
    )
    if failed:
        sys.exit(FINISHED_WITH_FAILURES)
