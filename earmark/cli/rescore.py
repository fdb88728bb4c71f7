"""Rescore a run without asking the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._params import RunPath, Word, find_run
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from earmark.runs.rescore import ParserResult
    from earmark.stats.estimate import Estimate


@click.command()
@click.argument("run", type=RunPath(folders=True))
@click.option("--scorer", default="", help="Scorer to use instead of the benchmark's.")
@click.option("--parsers", default="", help="Compare answer parsers instead: all, or names such as earmark,mmau.")
@click.option("--ask", is_flag=True, help="Ask judges; without it, judged tasks keep their scores.")
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(run: Path, scorer: str, parsers: str, ask: bool, words: tuple[str, ...]) -> None:
    """Rescore the journal of RUN, with changed settings of its benchmark or of another scorer.

    No server is asked unless --ask or judge=MODEL says so.

    \b
    earmark rescore RUN policy=official
    earmark rescore RUN judge=openai/gpt-4o-mini
    earmark rescore RUN --parsers all     writes nothing; imported verdicts too
    earmark rescore results --parsers all   the replies of all runs together
    """
    import asyncio

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rescored
    from earmark.config.compose import scorer_overrides
    from earmark.engine.load import load_scorer
    from earmark.errors import BadData, UsageError
    from earmark.runs import rundir
    from earmark.runs.rescore import compare_parsers, rescore

    use_only("rescore", words, own="" if parsers else f"the scorer {scorer}" if scorer else "the benchmark")
    if parsers and scorer:
        raise UsageError("--parsers compares answer parsers, --scorer rescores with another scorer; give one of them")
    if parsers:
        results = asyncio.run(compare_parsers(rundir.find_runs(run) or [run], _parser_names(parsers)))
        if not results:
            raise BadData(f"{run}: found no item with choices; --parsers compares parsers of choices")
        _show_parsers(results)
        return
    changes, replacement = scorer_overrides(words), None
    if scorer:
        replacement = load_scorer(scorer, changes)
        changes = {}
    ask = ask or any(word.startswith("judge=") for word in words)
    run = find_run(run)
    show_rescored(run, asyncio.run(rescore(run, changes, replacement, ask=ask)))


def _parser_names(text: str) -> list[str]:
    from earmark.errors import UsageError, alternatives
    from earmark.text.published_parsers import PARSERS

    names = list(PARSERS) if text == "all" else text.split(",")
    unknown = [name for name in names if name not in PARSERS]
    if unknown:
        raise UsageError(f"no parser is called '{unknown[0]}'{alternatives(unknown[0], PARSERS)}")
    return names


def _show_parsers(results: list[ParserResult]) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.table import footnotes, format_interval, format_number

    head: tuple[str, ...] = ("task", "condition", "parser", "accuracy", "95 % interval", "n", "unparsed", "refused")
    has_imported = any(result.against_imported for result in results)
    if has_imported:
        head += ("imported", "95 % interval", "agreement", "95 % interval", "kappa", "verdicts")
    results = sorted(results, key=lambda result: (result.row.task, result.row.condition))
    lines = []
    for parser, row, against_imported in results:
        estimate = row.headline[1]
        counts = map(str, (row.n, row.states["unparsed"], row.states["refused"]))
        line = [row.task, row.condition, parser, format_number(estimate.value), format_interval(estimate), *counts]
        lines.append([*line, *(_format_imported(against_imported) if has_imported else ())])
    show_table("the same replies by every parser", head, lines, words=3)
    print_line(*(f"{parser}: {note}" for parser, row, _ in results for note in footnotes([row])))


def _format_imported(estimates: Mapping[str, Estimate]) -> list[str]:
    """Format the accuracy by imported verdicts on the same replies, and their agreement with a parser."""
    from earmark.report.table import format_interval, format_number

    if not estimates:
        return ["-"] * 6
    imported, agreement, kappa = (estimates[name] for name in ("imported", "agreement", "kappa"))
    shares = [text for share in (imported, agreement) for text in (format_number(share.value), format_interval(share))]
    return [*shares, format_number(kappa.value), str(imported.n)]
