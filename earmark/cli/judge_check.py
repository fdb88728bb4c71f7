"""Measure the agreement of a judge with human labels."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from earmark.cli._params import Word
from earmark.errors import FINISHED_WITH_FAILURES
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from earmark.config.settings import ComposedConfig
    from earmark.judges.check import JudgeAgreement
    from earmark.types import Usage

MAX_EXAMPLE = 100  # characters shown of a reply without a verdict


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, as `name=value`."""

    judge: str = "openai/gpt-4o-mini"  # any value that model= takes
    data: str = ""  # a folder with EVA's sets, or a file of the user
    media: str = ""  # a folder with the recordings of a set
    prompt: str = ""  # for a file of the user
    votes: int = 1
    temperature: float = 0.0


@click.command()
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Judge answers that people have labelled, and print the agreement with them.

    \b
    earmark judge-check judge=openai/gpt-4o-mini data=FOLDER
    earmark judge-check judge=openai/gpt-4o-mini data=mine.jsonl prompt=sakura
    """
    import asyncio

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_judge_usage
    from earmark.config.compose import compose_config
    from earmark.config.parse import parse_settings
    from earmark.judges.asking import NO_REPLY

    use_only("judge-check", words, ("limit", "seed"), own="judge-check")
    config = compose_config(words)
    settings = parse_settings(Settings, config.benchmark, "")
    agreements, used = asyncio.run(_check(settings, config))
    if as_json:
        print_json({"judge": settings.judge, "usage": used, "sets": agreements})
    else:
        _show(settings, agreements)
        show_judge_usage(used)
    if any(NO_REPLY in reason for checked in agreements for reason in checked.failures):
        sys.exit(FINISHED_WITH_FAILURES)


async def _check(settings: Settings, config: ComposedConfig) -> tuple[list[JudgeAgreement], Usage]:
    import time

    from earmark.engine.open import open_judge_model
    from earmark.engine.progress import Progress
    from earmark.errors import UsageError
    from earmark.judges.asking import JudgeVerdict, open_judge
    from earmark.judges.check import check_judge
    from earmark.judges.sets import load_labelled_sets
    from earmark.terminal.progress import ProgressDisplay
    from earmark.types import Usage

    if not settings.data:
        raise UsageError(
            "judge-check needs data=FOLDER, a folder with EVA's judge_validation files (docs/judges.md), or a file of "
            "your own"
        )
    labelled = load_labelled_sets(settings.data, settings.media, settings.prompt)
    sets = [labelled_set.sample(config.run.limit) for labelled_set in labelled]
    progress, start = Progress(sum(len(labelled_set.cases) for labelled_set in sets)), time.monotonic()

    def show_progress(verdict: JudgeVerdict) -> None:
        progress.done += 1
        progress.add(verdict.usage)
        progress.failed += verdict.value is None
        progress.seconds = time.monotonic() - start
        callbacks.progress(progress)

    async with open_judge(settings.judge, open_judge_model, settings.votes, settings.temperature) as judge:
        with ProgressDisplay() as callbacks:
            agreements = await check_judge(judge, sets, show_progress)
    return agreements, Usage(progress.tokens_in, progress.tokens_out, progress.tokens_sound, cost=progress.cost)


def _show(settings: Settings, sets: list[JudgeAgreement]) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.table import format_interval, format_number

    head = ("set", "prompt", "measure", "value", "95 % interval", "cases", "judge-failed")
    lines = [
        (
            checked.set,
            checked.prompt,
            name,
            format_number(estimate.value),
            format_interval(estimate),
            checked.cases,
            checked.judge_failed,
        )
        for checked in sets
        if checked.cases
        for name, estimate in checked.metrics.items()
    ]
    show_table(f"{settings.judge} against human labels", head, lines, words=3)
    for checked in sets:
        if checked.without_sound:
            print_line(f"{checked.set}: {checked.without_sound} cases without their recording; give media=FOLDER")
        for reason, count in checked.failures.items():
            reply = " ".join(checked.examples[reason].split())
            example = f", such as: {reply[:MAX_EXAMPLE]}{'…' * (len(reply) > MAX_EXAMPLE)}" if reply else ""
            print_line(f"{checked.set}: {count} of {checked.cases} without a verdict: {reason}{example}")
