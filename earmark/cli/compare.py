"""Compare two runs question by question, or a run with a paper's table or somebody's reference trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from earmark.report.comparison import Comparison


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path), required=False)
@click.option("--paper", is_flag=True, help="Beside the table that the benchmark's authors published.")
@click.option("--metric", default="", help="This metric instead of each scorer's headline.")
@click.option("--all", "everything", is_flag=True, help="Every metric, not the headline alone.")
@click.option(
    "--difference",
    "sought",
    type=click.FloatRange(min=0, min_open=True),
    help="How many pairs it takes to find this one.",
)
@click.option("--seed", default=0, show_default=True, help="Of the resampling.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(first: Path, second: Path | None, *, paper: bool, sought: float | None, as_json: bool, **how: Any) -> None:
    """Compare FIRST and SECOND, folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    \b
    earmark compare RUN RUN                      differences are the second run less the first, over the questions
                                                 that both have: runs need not be finished
    earmark compare RUN --paper                  the run beside the published table
    earmark compare RUN reference_trajectories/  AcousticBench: do both choose the same, question by question?

    What the columns mean and how to read them: docs/error-bars.md
    """
    import msgspec

    from earmark.cli import _reference
    from earmark.errors import UsageError

    if paper:
        _beside_the_paper(first, as_json=as_json)
    elif second is None:
        raise UsageError("give a second run, a folder of reference trajectories, or --paper")
    elif _reference.is_reference(second):
        _reference.show(first, second, as_json=as_json)
    else:
        found = _compared(first, second, **how)
        if as_json:
            click.echo(msgspec.json.encode(found))
        else:
            _show(found, first, second, sought)


def _compared(first: Path, second: Path, *, metric: str, everything: bool, seed: int) -> Comparison:
    from earmark.errors import BadData, UsageError
    from earmark.report.comparison import compare, metrics_of
    from earmark.sides import side

    sides = side(first), side(second)
    found = compare(*sides, metric=metric, everything=everything, seed=seed)
    if metric and not found.rows:
        there = ", ".join(dict.fromkeys(name for each in sides for name in metrics_of(each)))
        raise UsageError(f"no metric is called '{metric}' in both runs; there are: {there}")
    if not any(row.difference.n for row in found.rows):
        raise BadData(f"{first} and {second} have no question in common; compare runs of one benchmark and condition")
    return found


def _show(found: Comparison, first: Path, second: Path, sought: float | None) -> None:
    from earmark.cli._words import show_table
    from earmark.report.comparison import HEAD, footnotes, table, wanted

    metrics = dict.fromkeys((row.metric, row.better) for row in found.rows)
    title = ", ".join(f"{name} ({better} is better)" for name, better in metrics)
    lines = table(found.rows)
    head: tuple[str, ...] = HEAD
    if len(metrics) > 1:
        head, lines = ("metric", *head), [(row.metric, *line) for row, line in zip(found.rows, lines, strict=True)]
    show_table(f"{found.second} less {found.first}: {title}", head, lines, words=len(head) - len(HEAD) + 2)
    click.echo(f"first: {found.first}, {first}\nsecond: {found.second}, {second}")
    for note in (*(wanted(found.rows, sought) if sought else ()), *footnotes(found)):
        click.echo(note)


def _beside_the_paper(run: Path, *, as_json: bool) -> None:
    from earmark import folder
    from earmark.cli._words import show_table
    from earmark.config import yaml_names
    from earmark.errors import UsageError
    from earmark.report.files import read_metrics
    from earmark.report.published import beside, load

    signed = folder.signed(run)
    name, tables = signed.benchmark["name"], yaml_names("published")
    if name not in tables:
        raise UsageError(
            f"no published table of {name} is known; there are: {', '.join(tables)}; a YAML in published/ of your own folder of settings adds one"
        )
    published = load(tables[name])
    metrics = read_metrics(run)
    head, lines = beside(metrics.rows, published)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode([dict(zip(head, line, strict=True)) for line in lines]))
        return
    show_table(f"{name} by {signed.model['name']}: {published.metric} in percent, baseline in brackets", head, lines)
    for note in (
        f"published: {published.source}",
        *published.notes,
        *(f"this run: {told}" for told in metrics.notices),
    ):
        click.echo(note)
