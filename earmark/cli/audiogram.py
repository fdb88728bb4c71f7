"""Measure the hearing thresholds of a model and compare them with those of people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earmark.cli._params import Word
from earmark.errors import FINISHED_WITH_FAILURES
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from earmark.audiogram.results import Audiogram


@click.command()
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Measure a model's hearing thresholds: earmark audiogram model=NAME [key=value]...

    \b
    earmark audiogram model=http://127.0.0.1:8000/v1
    earmark audiogram model=whisper_tiny 'dimensions=[pitch,gap]' trials=16
    earmark audiogram model=http://127.0.0.1:8000/v1 condition=telephone

    \b
    dimensions   pitch, loudness, duration, gap, tempo, timbre, distance, noise,
                 tone (soft tones at six frequencies); all but distance
    trials       answers per track that move the staircase (24)
    tracks       tracks per dimension, all asked concurrently (4)

    Rerun the command to resume an unfinished audiogram; resume=false starts a new one. Plots and a page are written to
    its folder.
    """
    import asyncio

    from earmark.audiogram.run import RUN_SETTINGS, run_audiogram
    from earmark.cli._args import use_only
    from earmark.config.compose import compose_config
    from earmark.terminal.progress import ProgressDisplay

    use_only("audiogram", words, RUN_SETTINGS, model=True, own="an audiogram")
    config = compose_config(words)
    with ProgressDisplay() as callbacks:
        result = asyncio.run(run_audiogram(config, callbacks))
    if as_json:
        print_json({"folder": str(result.folder), "audiogram": result.audiogram})
    else:
        show(result.audiogram)
        print_line(f"plots: {result.folder / 'audiogram.html'}")
    if any(threshold.failed for threshold in result.audiogram.results):
        sys.exit(FINISHED_WITH_FAILURES)


def show(audiogram: Audiogram) -> None:
    """Print an audiogram."""
    from earmark.audiogram.plots import title
    from earmark.audiogram.report import HEAD, audiogram_table, footnotes
    from earmark.cli._tables import UNFINISHED, show_table

    show_table(title(audiogram), HEAD, audiogram_table(audiogram.results))
    print_line(*footnotes(audiogram))
    if not audiogram.finished:
        print_line(UNFINISHED)
