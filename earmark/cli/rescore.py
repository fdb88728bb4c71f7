"""Score a run anew, without asking anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from earmark.again import Reading
    from earmark.stats.estimate import Estimate


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--scorer", default="", help="Another scorer than the benchmark's.")
@click.option("--readers", default="", help="Compare readers of choices instead: all, or names such as earmark,mmau.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(run: Path, scorer: str, readers: str, words: tuple[str, ...]) -> None:
    """Score RUN's journal anew, with changed settings of its benchmark or of another scorer.

    \b
    earmark rescore RUN policy=official
    earmark rescore RUN --readers all         nothing is written; an imported run's own verdicts stand beside
    earmark rescore results --readers all     the replies of all runs in a folder together
    """
    import asyncio

    from earmark import folder
    from earmark.again import by_reader, rescore
    from earmark.cli._words import show_scored
    from earmark.config import named, read, scorer_words
    from earmark.errors import BadData, UsageError
    from earmark.overrides import use_only
    from earmark.plugins import find

    use_only("rescore", words, own="" if readers else f"the scorer {scorer}" if scorer else "the benchmark")
    if readers and scorer:
        raise UsageError("--readers compares readers of choices, --scorer scores by another scorer; give one of them")
    if readers:
        readings = asyncio.run(by_reader(folder.runs(run) or [run], _names(readers)))
        if not readings:
            raise BadData(f"{run}: found no item with choices, expected some; readers read choices")
        _compare(readings)
        return
    changes, chosen = scorer_words(words), None
    if scorer:
        module = find("scorers", scorer)
        chosen, changes = named(scorer, module.load(read(module.Settings, changes, ""))), {}
    metrics = asyncio.run(rescore(run, changes, chosen))
    show_scored(run, metrics)


def _names(readers: str) -> list[str]:
    from earmark.errors import UsageError
    from earmark.text.answers import READERS

    names = list(READERS) if readers == "all" else readers.split(",")
    wrong = [name for name in names if name not in READERS]
    if wrong:
        raise UsageError(f"no reader is called '{wrong[0]}'; there are: {', '.join(READERS)}")
    return names


def _compare(readings: list[Reading]) -> None:
    from earmark.cli._words import show_table
    from earmark.report.table import footnotes, interval, number

    head: tuple[str, ...] = ("task", "condition", "reader", "accuracy", "95 % interval", "n", "unparsed", "refused")
    lines = []
    readings = sorted(readings, key=lambda reading: (reading.row.task, reading.row.condition))
    theirs = any(reading.beside for reading in readings)
    for reader, row, beside in readings:
        found = row.headline[1]
        counts = (row.n, row.states["unparsed"], row.states["refused"])
        line = [row.task, row.condition, reader, number(found.value), interval(found), *map(str, counts)]
        if theirs:
            line += _beside(beside)
        lines.append(line)
    if theirs:
        head += ("theirs", "95 % interval", "agreement", "95 % interval", "kappa", "verdicts")
    show_table("the same replies by every reader", head, lines, words=3)
    for reader, row, _ in readings:
        for note in footnotes([row]):
            click.echo(f"{reader}: {note}")


def _beside(told: Mapping[str, Estimate]) -> list[str]:
    """Another harness's verdicts on the same replies, and how they agree with a reader's."""
    from earmark.report.table import interval, number

    if not told:
        return ["-"] * 6
    theirs, agreement, kappa = (told[name] for name in ("theirs", "agreement", "kappa"))
    shares = [text for share in (theirs, agreement) for text in (number(share.value), interval(share))]
    return [*shares, number(kappa.value), str(theirs.n)]
