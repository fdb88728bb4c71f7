"""Compare two runs, question by question: how far apart they are, and whether chance alone would tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.folder import Signed
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
    from earmark.errors import BadData
    from earmark.report.comparison import compare

    found = compare(side(first), side(second), metric=metric, everything=everything, seed=seed)
    if not any(row.difference.n for row in found.rows):
        raise BadData(
            f"{first} and {second} have no {f'{metric} of a ' if metric else ''}question in common; compare runs of one benchmark"
        )
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
        rules, lines = _written_rules(run, signed), read_scores(run / folder.SCORES)
    else:
        rules, lines = _scored_now(run, signed)
    return Side(about, rules, lines, read(run / folder.JOURNAL))


def _written_rules(run: Path, signed: Signed) -> Callable[[str, str], Rules]:
    """The rules that signed the numbers of metrics.json."""
    import functools

    from earmark.report.comparison import Rules
    from earmark.report.files import read_metrics

    signatures = {(row.task, row.scorer): row.signature for row in read_metrics(run).rows}
    benchmark = functools.cache(lambda: _benchmark(run, signed))

    @functools.cache
    def rules(task: str, name: str) -> Rules:
        signature = signatures.get((task, name), name)
        scorer = _scorer(name, signature) or _of_benchmark(benchmark(), task, name)
        return Rules(signature, scorer.metrics)

    return rules


def _scorer(name: str, signature: str) -> Scorer | None:
    """A packaged scorer made again from its signature; None where what comes out signs otherwise."""
    from earmark import config, plugins
    from earmark.errors import UsageError
    from earmark.scoring import signature_of

    if name not in plugins.names("scorers"):
        return None
    module = plugins.find("scorers", name)
    settings = dict(part.partition(":")[::2] for part in signature.split("|")[1:])
    try:
        scorer: Scorer = module.load(config.read(module.Settings, settings, ""))
    except UsageError:
        return None
    return scorer if signature_of(scorer) == signature else None


def _scored_now(run: Path, signed: Signed) -> tuple[Callable[[str, str], Rules], Iterator[ScoreLine]]:
    """The rules of the run's benchmark, and its answers scored by them."""
    import asyncio

    from earmark import folder
    from earmark.report.comparison import Rules
    from earmark.scoring import line_of, records, score, signature_of

    benchmark = _benchmark(run, signed)

    def rules(task: str, name: str) -> Rules:
        scorer = _of_benchmark(benchmark, task, name)
        return Rules(signature_of(scorer), scorer.metrics)

    async def lines() -> list[ScoreLine]:
        return [
            line_of(record, scorer, await score(record, scorer))
            for record in records(run / folder.JOURNAL)
            for scorer in benchmark.scorers(record.item.task)
        ]

    return rules, iter(asyncio.run(lines()))


def _benchmark(run: Path, signed: Signed) -> Benchmark:
    """The benchmark of a run, with the settings that it was given."""
    import yaml

    from earmark.errors import BadData
    from earmark.evaluate import load_benchmark

    path = run / "config.yaml"
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))["benchmark"]
    except (FileNotFoundError, yaml.YAMLError, TypeError, KeyError) as error:
        raise BadData(f"{path}: cannot be read ({error!r}); restore it from a copy") from error
    return load_benchmark(signed.benchmark["name"], tuple(signed.benchmark["tasks"]), settings)


def _of_benchmark(benchmark: Benchmark, task: str, name: str) -> Scorer:
    from earmark.errors import BadData

    scorers = {scorer.name: scorer for scorer in benchmark.scorers(task)}
    if name not in scorers:
        raise BadData(
            f"{benchmark.name}:{task} is scored by {', '.join(scorers)}, and the run by {name}; score it again with: earmark rescore RUN"
        )
    return scorers[name]
