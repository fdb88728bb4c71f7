"""Find the softest, shortest and finest a model hears: thresholds beside those of people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earmark.errors import FINISHED_WITH_FAILURES

if TYPE_CHECKING:
    from earmark.audiogram.results import Audiogram


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Measure a model's thresholds of hearing: earmark audiogram model=NAME [key=value]...

    \b
    earmark audiogram model=http://127.0.0.1:8000/v1
    earmark audiogram model=whisper_tiny 'dimensions=[pitch,gap,tone]' tracks=2 trials=16 seed=7 results=FOLDER
    earmark audiogram model=http://127.0.0.1:8000/v1 condition=telephone

    \b
    dimensions   pitch, loudness, duration, gap, tempo, timbre, distance, noise, and tone: soft tones at six frequencies;
                 all but distance where nothing is said
    trials       answers that move the staircase, of each track (24)
    tracks       of each dimension, all asked at once (4)

    The same command again goes on with an unfinished audiogram; resume=false starts anew. Pictures and a page lie in its folder.
    """
    import asyncio

    from earmark.audiogram.run import RUN_SETTINGS, run_audiogram
    from earmark.cli._args import use_only
    from earmark.cli._progress import ProgressDisplay
    from earmark.config import compose_config

    use_only("audiogram", words, RUN_SETTINGS, model=True, own="an audiogram")
    config = compose_config(words)
    with ProgressDisplay() as callbacks:
        done = asyncio.run(run_audiogram(config, callbacks))
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"folder": str(done.folder), "audiogram": done.audiogram}))
    else:
        show(done.audiogram)
        click.echo(f"pictures and a page: {done.folder / 'audiogram.html'}")
    if any(result.failed for result in done.audiogram.results):
        sys.exit(FINISHED_WITH_FAILURES)


def show(audiogram: Audiogram) -> None:
    """Print an audiogram."""
    from earmark.audiogram.plots import title
    from earmark.audiogram.report import HEAD, audiogram_table, footnotes
    from earmark.cli._tables import show_table

    show_table(title(audiogram), HEAD, audiogram_table(audiogram.results))
    for note in footnotes(audiogram):
        click.echo(note)
    if not audiogram.finished:
        click.echo("unfinished: the command that began it goes on with it")
