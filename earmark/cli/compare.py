"""Compare two runs, question by question: how far apart they are, and whether chance alone would tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.journal import ScoreLine
    from earmark.report.comparison import Comparison, Rules, Side
    from earmark.types import Benchmark, Scorer


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--metric", default="", help="This metric instead of each scorer's headline.")
@click.option("--all", "everything", is_flag=True, help="Every metric, not the headline alone.")
@click.option("--seed", default=0, show_default=True, help="Of the resampling.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(first: Path, second: Path, metric: str, everything: bool, seed: int, as_json: bool) -> None:
    """Compare FIRST and SECOND, folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    \b
    Differences are the second run less the first, over the questions that both have: runs need not be finished.
    What the columns mean and how to read them: docs/error-bars.md
    """
    from earmark.errors import BadData, UsageError
    from earmark.report.comparison import compare, metrics_of

    sides = side(first), side(second)
    found = compare(*sides, metric=metric, everything=everything, seed=seed)
    if metric and not found.rows:
        there = ", ".join(dict.fromkeys(name for each in sides for name in metrics_of(each)))
        raise UsageError(f"no metric is called '{metric}' in both runs; there are: {there}")
    if not any(row.difference.n for row in found.rows):
        raise BadData(f"{first} and {second} have no question in common; compare runs of one benchmark and condition")
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found))
    else:
        _show(found, first, second)


def _show(found: Comparison, first: Path, second: Path) -> None:
    from earmark.cli._words import show_table
    from earmark.report.comparison import HEAD, footnotes, table

    metrics = dict.fromkeys((row.metric, row.better) for row in found.rows)
    title = ", ".join(f"{name} ({better} is better)" for name, better in metrics)
    lines = table(found.rows)
    head: tuple[str, ...] = HEAD
    if len(metrics) > 1:
        head, lines = ("metric", *head), [(row.metric, *line) for row, line in zip(found.rows, lines, strict=True)]
    show_table(f"{found.second} less {found.first}: {title}", head, lines, words=len(head) - len(HEAD) + 2)
    click.echo(f"first: {found.first}, {first}\nsecond: {found.second}, {second}")
    for note in footnotes(found):
        click.echo(note)


# ---------------------------------------------------------------- from a folder to one side of the comparison


def side(run: Path) -> Side:
    """A run's scores as they were written; those of a run that was never scored are made from its journal."""
    from earmark import folder
    from earmark.journal import read
    from earmark.report.comparison import About, Side
    from earmark.scoring import read_scores

    signed = folder.signed(run)
    about = About(signed.model["name"], signed.benchmark, signed.data, signed.condition)
    if (run / folder.SCORES).exists() and (run / folder.METRICS).exists():
        return Side(about, _written_rules(run), read_scores(run / folder.SCORES), read(run / folder.JOURNAL))
    return Side(about, *_scored_now(run), read(run / folder.JOURNAL))


def _written_rules(run: Path) -> Callable[[str, str], Rules]:
    """The rules that signed the numbers of metrics.json: a packaged scorer, or else one of the run's benchmark."""
    import functools

    from earmark.again import reopened
    from earmark.report.comparison import Rules
    from earmark.report.files import read_metrics

    signatures = {(row.task, row.scorer): row.signature for row in read_metrics(run).rows if not row.slice}
    benchmark = functools.cache(lambda: reopened(run)[0])

    @functools.cache
    def rules(task: str, name: str) -> Rules:
        signature = signatures.get((task, name), name)
        scorer = _packaged(name, signature) or _of_benchmark(benchmark(), task, name)
        return Rules(signature, scorer.metrics)

    return rules


def _packaged(name: str, signature: str) -> Scorer | None:
    """A packaged scorer made again from its signature; None where what comes out signs otherwise."""
    from earmark import config, plugins
    from earmark.errors import UsageError
    from earmark.report.cells import signature_of

    if name not in plugins.names("scorers"):
        return None
    module = plugins.find("scorers", name)
    for settings in (dict(part.partition(":")[::2] for part in signature.split("|")[1:]), {}):
        try:
            scorer: Scorer = module.load(config.read(module.Settings, settings, ""))
        except UsageError:
            continue
        if signature_of(scorer).partition("|v:")[0] == signature.partition("|v:")[0]:
            return scorer
    return None


def _scored_now(run: Path) -> tuple[Callable[[str, str], Rules], Iterable[ScoreLine]]:
    """The rules of the run's benchmark, and its answers scored by them."""
    import asyncio

    from earmark import folder
    from earmark.again import reopened
    from earmark.errors import BadData
    from earmark.report.cells import signature_of
    from earmark.report.comparison import Rules
    from earmark.scoring import score_all

    benchmark, _ = reopened(run)
    if any(hasattr(scorer, "opened") for task in benchmark.tasks for scorer in benchmark.scorers(task)):
        raise BadData(f"{run}: is not scored yet, and its scorer asks a judge; score it with: earmark rescore {run}")

    def rules(task: str, name: str) -> Rules:
        scorer = _of_benchmark(benchmark, task, name)
        return Rules(signature_of(scorer), scorer.metrics)

    lines: list[ScoreLine] = []
    asyncio.run(score_all(run / folder.JOURNAL, benchmark.scorers, (), lambda _, line: lines.append(line)))
    return rules, lines


def _of_benchmark(benchmark: Benchmark, task: str, name: str) -> Scorer:
    from earmark.errors import BadData

    scorers = {scorer.name: scorer for scorer in benchmark.scorers(task)}
    if name not in scorers:
        raise BadData(
            f"{benchmark.name}:{task} is scored by {', '.join(scorers)}, and the run by {name}; score it again with: earmark rescore RUN"
        )
    return scorers[name]
