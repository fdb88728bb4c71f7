"""Ask the failed, refused or unparsed items of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._params import RunPath, Word

if TYPE_CHECKING:
    from earmark.types import State


@click.command()
@click.argument("run", type=RunPath())
@click.option("--refused", is_flag=True, help="Retry refused items.")
@click.option("--unparsed", is_flag=True, help="Retry items whose reply could not be parsed.")
@click.option("--failed", is_flag=True, help="Retry failed items; the default.")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, help="Maximum number of attempts.")
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(run: Path, refused: bool, unparsed: bool, failed: bool, times: int, words: tuple[str, ...]) -> None:
    """Ask items of RUN again; an answer replaces the earlier outcome, another failure does not.

    \b
    earmark retry RUN --refused --times 3
    earmark retry RUN --refused judge=openai/gpt-4o-mini
    earmark retry RUN model.base_url=http://127.0.0.1:8001/v1 max_attempts=9
    """
    import asyncio

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rescored
    from earmark.runs.overrides import read_overrides
    from earmark.runs.retry import ASKING, SIGNED, retry
    from earmark.terminal.progress import ProgressDisplay

    run_settings = (*ASKING, *SIGNED, "noise")
    use_only("retry", words, run_settings, model=True, own="the benchmark that change its scores")
    states: set[State] = {"request-failed", "sound-failed"} if failed or not (refused or unparsed) else set()
    states |= {"refused"} if refused else set()
    states |= {"unparsed"} if unparsed else set()
    with ProgressDisplay() as callbacks:
        metrics = asyncio.run(retry(run, states, times, callbacks, read_overrides(words)))
    show_rescored(run, metrics)
