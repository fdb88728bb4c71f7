"""Find the softest, shortest and finest a model hears: thresholds beside those of people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earmark.errors import FINISHED_WITH_FAILURES

if TYPE_CHECKING:
    from earmark.audiogram.findings import Audiogram


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Measure a model's thresholds of hearing: earmark audiogram model=NAME [key=value]...

    \b
    earmark audiogram model=http://127.0.0.1:8000/v1
    earmark audiogram model=ear 'dimensions=[pitch,gap,tone]' tracks=2 trials=16 seed=7 results=FOLDER
    earmark audiogram model=http://127.0.0.1:8000/v1 condition=telephone

    \b
    dimensions   pitch, loudness, duration, gap, tempo, timbre, distance, noise, and tone: soft tones at six frequencies;
                 all but distance where nothing is said
    trials       answers that move the staircase, of each track (24)
    tracks       of each dimension, all asked at once (4)

    The same command again goes on with an unfinished audiogram; resume=false starts anew. Pictures and a page lie in its folder.
    """
    import asyncio

    from earmark.audiogram.asking import RUN_SETTINGS, measure
    from earmark.cli._progress import Progress
    from earmark.config import compose
    from earmark.overrides import use_only

    use_only("audiogram", words, RUN_SETTINGS, model=True, own="an audiogram")
    composed = compose(words)
    with Progress() as watch:
        done = asyncio.run(measure(composed, watch.say, watch.tally))
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"folder": str(done.folder), "audiogram": done.audiogram}))
    else:
        show(done.audiogram)
        click.echo(f"pictures and a page: {done.folder / 'audiogram.html'}")
    if any(one.failed for one in done.audiogram.findings):
        sys.exit(FINISHED_WITH_FAILURES)


def show(found: Audiogram) -> None:
    """Print an audiogram."""
    from earmark.audiogram.pictures import title
    from earmark.audiogram.report import HEAD, footnotes, table
    from earmark.cli._words import show_table

    show_table(title(found), HEAD, table(found.findings))
    for note in footnotes(found):
        click.echo(note)
    if not found.finished:
        click.echo("unfinished: the command that began it goes on with it")
