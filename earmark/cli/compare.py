"""Compare two runs question by question, or a run with a paper's table or somebody's reference trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from earmark.report.comparison import Comparison
from earmark.runs.signature import load_signature


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
def command(
    first: Path, second: Path | None, *, paper: bool, sought: float | None, as_json: bool, **options: Any
) -> None:
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
        _against_paper(first, as_json=as_json)
    elif second is None:
        raise UsageError("give a second run, a folder of reference trajectories, or --paper")
    elif _reference.is_reference(second):
        _reference.show_reference(first, second, as_json=as_json)
    else:
        comparison = _compare(first, second, **options)
        if as_json:
            click.echo(msgspec.json.encode(comparison))
        else:
            _show(comparison, first, second, sought)


def _compare(first: Path, second: Path, *, metric: str, everything: bool, seed: int) -> Comparison:
    from earmark.errors import BadData, UsageError
    from earmark.report.comparison import compare_runs, metric_names
    from earmark.runs.run_scores import load_run_scores

    sides = load_run_scores(first), load_run_scores(second)
    comparison = compare_runs(*sides, metric=metric, everything=everything, seed=seed)
    if metric and not comparison.rows:
        available = ", ".join(dict.fromkeys(name for each in sides for name in metric_names(each)))
        raise UsageError(f"no metric is called '{metric}' in both runs; there are: {available}")
    if not any(row.difference.n for row in comparison.rows):
        raise BadData(f"{first} and {second} have no question in common; compare runs of one benchmark and condition")
    return comparison


def _show(comparison: Comparison, first: Path, second: Path, sought: float | None) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.comparison import HEAD, comparison_table, footnotes, required_pairs

    metrics = dict.fromkeys((row.metric, row.better) for row in comparison.rows)
    title = ", ".join(f"{name} ({better} is better)" for name, better in metrics)
    lines = comparison_table(comparison.rows)
    head: tuple[str, ...] = HEAD
    if len(metrics) > 1:
        head, lines = ("metric", *head), [(row.metric, *line) for row, line in zip(comparison.rows, lines, strict=True)]
    show_table(
        f"{comparison.candidate} less {comparison.baseline}: {title}", head, lines, words=len(head) - len(HEAD) + 2
    )
    click.echo(f"first: {comparison.baseline}, {first}\nsecond: {comparison.candidate}, {second}")
    for note in (*(required_pairs(comparison.rows, sought) if sought else ()), *footnotes(comparison)):
        click.echo(note)


def _against_paper(run: Path, *, as_json: bool) -> None:
    from earmark.cli._tables import show_table
    from earmark.config import yaml_names
    from earmark.errors import UsageError
    from earmark.report.files import read_metrics
    from earmark.report.published import against_published, load_published

    signature = load_signature(run)
    name, tables = signature.benchmark["name"], yaml_names("published")
    if name not in tables:
        raise UsageError(
            f"no published table of {name} is known; there are: {', '.join(tables)}; a YAML in published/ of your own "
            "folder of settings adds one"
        )
    published = load_published(tables[name])
    metrics = read_metrics(run)
    head, lines = against_published(metrics.rows, published)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode([dict(zip(head, line, strict=True)) for line in lines]))
        return
    show_table(f"{name} by {signature.model['name']}: {published.metric} in percent, baseline in brackets", head, lines)
    for note in (
        f"published: {published.source}",
        *published.notes,
        *(f"this run: {warning}" for warning in metrics.warnings),
    ):
        click.echo(note)
