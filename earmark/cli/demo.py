"""Run a real model on real sound: spoken words, spoken questions and tones, clean, in noise and in silence."""

from __future__ import annotations

import sys

import click

from earmark.errors import FINISHED_WITH_FAILURES


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Run the demo suite; settings may follow, such as limit=5 or results=DIR."""
    from earmark.cli._tables import parse_runs
    from earmark.cli.run import finish

    failed = finish(parse_runs(("demo", *words)))
    click.echo(
        "\nHow to read it: spoken words fall with noise and to chance in silence; a cascade answers spoken questions "
        "and is deaf to\n"
        "tones; what it gets in silence is what the written answers give away by themselves."
    )
    if failed:
        sys.exit(FINISHED_WITH_FAILURES)
