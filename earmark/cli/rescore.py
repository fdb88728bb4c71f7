"""Score a run anew, without asking anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from earmark.runs.rescore import ParserResult
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

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rescored
    from earmark.config import parse_settings, scorer_overrides
    from earmark.engine.load import check_plugin_name
    from earmark.errors import BadData, UsageError
    from earmark.plugins import find_plugin
    from earmark.runs import rundir
    from earmark.runs.rescore import compare_parsers, rescore

    use_only("rescore", words, own="" if readers else f"the scorer {scorer}" if scorer else "the benchmark")
    if readers and scorer:
        raise UsageError("--readers compares readers of choices, --scorer scores by another scorer; give one of them")
    if readers:
        readings = asyncio.run(compare_parsers(rundir.find_runs(run) or [run], _parser_names(readers)))
        if not readings:
            raise BadData(f"{run}: found no item with choices, expected some; readers read choices")
        _compare(readings)
        return
    changes, chosen = scorer_overrides(words), None
    if scorer:
        module = find_plugin("scorers", scorer)
        chosen, changes = check_plugin_name(scorer, module.load(parse_settings(module.Settings, changes, ""))), {}
    metrics = asyncio.run(rescore(run, changes, chosen))
    show_rescored(run, metrics)


def _parser_names(readers: str) -> list[str]:
    from earmark.errors import UsageError
    from earmark.text.choice_parser import PARSERS

    names = list(PARSERS) if readers == "all" else readers.split(",")
    wrong = [name for name in names if name not in PARSERS]
    if wrong:
        raise UsageError(f"no reader is called '{wrong[0]}'; there are: {', '.join(PARSERS)}")
    return names


def _compare(readings: list[ParserResult]) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.table import footnotes, format_interval, format_number

    head: tuple[str, ...] = ("task", "condition", "reader", "accuracy", "95 % interval", "n", "unparsed", "refused")
    lines = []
    readings = sorted(readings, key=lambda reading: (reading.row.task, reading.row.condition))
    theirs = any(reading.against_imported for reading in readings)
    for reader, row, beside in readings:
        estimate = row.headline[1]
        counts = (row.n, row.states["unparsed"], row.states["refused"])
        line = [
            row.task,
            row.condition,
            reader,
            format_number(estimate.value),
            format_interval(estimate),
            *map(str, counts),
        ]
        if theirs:
            line += _imported_agreement(beside)
        lines.append(line)
    if theirs:
        head += ("theirs", "95 % interval", "agreement", "95 % interval", "kappa", "verdicts")
    show_table("the same replies by every reader", head, lines, words=3)
    for reader, row, _ in readings:
        for note in footnotes([row]):
            click.echo(f"{reader}: {note}")


def _imported_agreement(estimates: Mapping[str, Estimate]) -> list[str]:
    """Another harness's verdicts on the same replies, and how they agree with a reader's."""
    from earmark.report.table import format_interval, format_number

    if not estimates:
        return ["-"] * 6
    theirs, agreement, kappa = (estimates[name] for name in ("theirs", "agreement", "kappa"))
    shares = [text for share in (theirs, agreement) for text in (format_number(share.value), format_interval(share))]
    return [*shares, format_number(kappa.value), str(theirs.n)]
