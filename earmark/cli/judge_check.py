"""Hold a judge against people: its agreement and kappa over human-labelled sets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from earmark.errors import FINISHED_WITH_FAILURES

if TYPE_CHECKING:
    from earmark.config import Composed
    from earmark.scorers._judge_check import Checked
    from earmark.types import Usage

SHOWN = 100  # characters of what a judge said instead of a verdict


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set."""

    judge: str = "openai/gpt-4o-mini"  # any model, named as model=NAME names it
    data: str = ""  # a folder with EVA's sets, or a file of one's own
    media: str = ""  # a folder with the recordings of a set that has any
    prompt: str = ""  # for a file of one's own
    votes: int = 1
    temperature: float = 0.0


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Ask a judge about answers that people have judged, and print how far it agrees with them.

    \b
    earmark judge-check judge=openai/gpt-4o-mini data=FOLDER
    earmark judge-check judge=http://127.0.0.1:8000/v1 data=mine.jsonl prompt=sakura limit=100
    """
    import asyncio

    import msgspec

    from earmark.cli._words import show_judging
    from earmark.config import compose, read
    from earmark.overrides import use_only
    from earmark.scorers._judge_asking import NO_REPLY

    use_only("judge-check", words, ("limit", "seed"), own="judge-check")
    composed = compose(words)
    settings = read(Settings, composed.benchmark, "")
    found, used = asyncio.run(_check(settings, composed))
    if as_json:
        click.echo(msgspec.json.encode({"judge": settings.judge, "usage": used, "sets": found}))
    else:
        _show(settings, found)
        show_judging(used)
    if any(NO_REPLY in why for checked in found for why in checked.failures):
        sys.exit(FINISHED_WITH_FAILURES)


async def _check(settings: Settings, composed: Composed) -> tuple[list[Checked], Usage]:
    import time

    from earmark.cli._progress import Progress
    from earmark.errors import UsageError
    from earmark.run import Tally
    from earmark.scorers._judge_asking import Verdict, opened_judge
    from earmark.scorers._judge_check import check
    from earmark.scorers._judge_sets import labelled
    from earmark.types import Usage

    if not settings.data:
        raise UsageError(
            "judge-check needs data=FOLDER, a folder with EVA's judge_validation files (docs/judges.md), or a file of your own"
        )
    sets = [each.some(composed.run.limit) for each in labelled(settings.data, settings.media, settings.prompt)]
    tally, began = Tally(sum(len(each.cases) for each in sets)), time.monotonic()

    def tell(verdict: Verdict) -> None:
        tally.done += 1
        tally.add(verdict.usage)
        tally.failed += verdict.value is None
        tally.seconds = time.monotonic() - began
        watch.tally(tally)

    async with opened_judge(settings.judge, settings.votes, settings.temperature) as judge:
        with Progress() as watch:
            found = await check(judge, sets, tell)
    return found, Usage(tally.tokens_in, tally.tokens_out, tally.tokens_sound, cost=tally.cost)


def _show(settings: Settings, sets: list[Checked]) -> None:
    from earmark.cli._words import show_table
    from earmark.report.table import interval, number

    head = ("set", "prompt", "measure", "value", "95 % interval", "cases", "judge-failed")
    lines = [
        (found.set, found.prompt, name, number(estimate.value), interval(estimate), found.cases, found.judge_failed)
        for found in sets
        if found.cases
        for name, estimate in found.metrics.items()
    ]
    show_table(f"{settings.judge} beside people", head, lines, words=3)
    for found in sets:
        if found.without_sound:
            click.echo(f"{found.set}: {found.without_sound} cases without their recording; give media=FOLDER")
        for why, count in found.failures.items():
            said = " ".join(found.examples[why].split())
            instead = f", such as: {said[:SHOWN]}{'…' * (len(said) > SHOWN)}" if said else ""
            click.echo(f"{found.set}: {count} of {found.cases} without a verdict: {why}{instead}")
