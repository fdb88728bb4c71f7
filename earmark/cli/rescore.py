"""Score a run anew, without asking anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.report.rows import Row


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--scorer", default="", help="Another scorer than the benchmark's.")
@click.option("--readers", default="", help="Compare readers of choices instead: all, or names such as earmark,mmau.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(run: Path, scorer: str, readers: str, words: tuple[str, ...]) -> None:
    """Score RUN's journal anew, with changed settings of its benchmark or of another scorer.

    \b
    earmark rescore RUN policy=official
    earmark rescore RUN --readers all
    """
    import asyncio

    from earmark import folder
    from earmark.again import by_reader, rescore
    from earmark.cli._words import show_rows
    from earmark.config import read, scorer_words
    from earmark.plugins import find

    if readers:
        _compare(asyncio.run(by_reader(run, _names(readers))))
        return
    changes, chosen = scorer_words(words), None
    if scorer:
        module = find("scorers", scorer)
        chosen, changes = module.load(read(module.Settings, changes, "")), {}
    metrics = asyncio.run(rescore(run, changes, chosen))
    signed = folder.signed(run)
    show_rows(f"{signed.benchmark['name']} by {signed.model['name']}", metrics.rows)


def _names(readers: str) -> list[str]:
    from earmark.errors import UsageError
    from earmark.text.answers import READERS

    names = list(READERS) if readers == "all" else readers.split(",")
    wrong = [name for name in names if name not in READERS]
    if wrong:
        raise UsageError(f"no reader is called '{wrong[0]}'; there are: {', '.join(READERS)}")
    return names


def _compare(told: dict[str, list[Row]]) -> None:
    from earmark.cli._words import show_table
    from earmark.report.table import interval, number

    rows = [(name, row) for name, found in told.items() for row in found]
    head = ("reader", "task", "condition", "accuracy", "95 % interval", "n", "unparsed", "refused")
    lines = [
        (
            name,
            row.task,
            row.condition,
            number(found.value),
            interval(found),
            row.n,
            row.states["unparsed"],
            row.states["refused"],
        )
        for name, row in sorted(rows, key=lambda pair: (pair[1].task, pair[1].condition))
        for found in [row.headline[1]]
    ]
    show_table("the same replies by every reader", head, lines, words=3)
