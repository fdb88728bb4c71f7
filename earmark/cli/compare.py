"""Compare two runs question by question, or a run with a published table or reference trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._formats import format_options, print_tables, refuse_with_form
from earmark.cli._params import RunPath, find_run
from earmark.runs.signature import load_signature
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from earmark.report.comparison import Comparison


@click.command()
@click.argument("baseline", type=RunPath())
@click.argument("candidate", type=RunPath(folders=True), required=False)
@click.option("--paper", is_flag=True, help="Compare with the table that the benchmark's authors published.")
@click.option("--metric", default="", help="Metric to compare by, instead of each scorer's headline.")
@click.option("--all", "everything", is_flag=True, help="Compare by every metric, not only the headline.")
@click.option(
    "--difference",
    type=click.FloatRange(min=0, min_open=True),
    help="Print the number of pairs needed to detect a difference of this size.",
)
@click.option("--latency", is_flag=True, help="Compare seconds and tokens too, answer by answer.")
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
@format_options
def command(
    baseline: Path, candidate: Path | None, *, paper: bool, form: str | None, difference: float | None, **options: Any
) -> None:
    """Compare BASELINE and CANDIDATE, folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    \b
    earmark compare RUN RUN         candidate minus baseline, over the questions
                                    that both answered; runs may be unfinished
    earmark compare RUN --paper     compare with the published table
    earmark compare RUN reference_trajectories/
                                    AcousticBench: agreement of the answers

    A folder with runs below it stands for the newest of them, and @ for the newest under results. docs/error-bars.md
    explains the columns.
    """
    from earmark.cli import _reference
    from earmark.errors import UsageError

    below = {"difference": difference, "latency": options.pop("latency")}
    refuse_with_form(form, **below)
    reference = candidate is not None and _reference.is_reference(candidate)
    if paper or reference:
        _refuse_for_published(form, **below)
    if paper:
        _compare_published(baseline, as_json=form == "json")
    elif candidate is None:
        raise UsageError("give a second run, a folder of reference trajectories, or --paper")
    elif reference:
        _reference.show_reference(baseline, candidate, as_json=form == "json")
    else:
        candidate = find_run(candidate)
        comparison = _compare(baseline, candidate, **options)
        if form:
            _print_form(comparison, form)
        else:
            _show(comparison, baseline, candidate, difference, latency=below["latency"])


def _show_latency(baseline: Path, candidate: Path) -> None:
    from earmark.cli._tables import show_table
    from earmark.journal import JOURNAL_FILE, read_journal
    from earmark.report.latency_ratio import HEAD, latency_ratios, ratio_table

    ratios = latency_ratios(*(read_journal(run / JOURNAL_FILE) for run in (baseline, candidate)))
    if ratios:
        show_table("seconds and tokens of an answer, candidate / baseline", HEAD, ratio_table(ratios), words=3)
    else:
        print_line("no question has seconds or tokens in both runs")


def _refuse_for_published(form: str | None, **options: object) -> None:
    """Raise UsageError for what is of two runs alone."""
    from earmark.errors import UsageError

    given = [form] if form not in (None, "json") else [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"--{given[0]} is for two runs; a published table is compared with --json or without a form")


def _print_form(comparison: Comparison, form: str) -> None:
    from earmark.report.comparison_table import difference_table

    if form == "json":
        print_json(comparison)
    else:
        print_tables([difference_table(comparison)], form)


def _compare(baseline: Path, candidate: Path, *, metric: str, everything: bool, seed: int) -> Comparison:
    from earmark.errors import BadData, UsageError, alternatives
    from earmark.report.comparison import compare_runs, metric_names
    from earmark.runs.run_scores import load_run_scores

    runs = load_run_scores(baseline), load_run_scores(candidate)
    comparison = compare_runs(*runs, metric=metric, everything=everything, seed=seed)
    if metric and not comparison.rows:
        available = dict.fromkeys(name for run in runs for name in metric_names(run))
        raise UsageError(f"no metric is called '{metric}' in both runs{alternatives(metric, available)}")
    if not any(row.difference.n for row in comparison.rows):
        raise BadData(
            f"{baseline} and {candidate} have no question in common; compare runs of one benchmark and condition"
        )
    return comparison


def _show(comparison: Comparison, baseline: Path, candidate: Path, difference: float | None, *, latency: bool) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.comparison_table import HEAD, comparison_table, footnotes, pairs_for_difference

    metrics = dict.fromkeys((row.metric, row.better) for row in comparison.rows)
    title = ", ".join(f"{name} ({better} is better)" for name, better in metrics)
    lines = comparison_table(comparison.rows)
    head: tuple[str, ...] = HEAD
    if len(metrics) > 1:
        head, lines = ("metric", *head), [(row.metric, *line) for row, line in zip(comparison.rows, lines, strict=True)]
    show_table(
        f"{comparison.candidate} minus {comparison.baseline}: {title}", head, lines, words=len(head) - len(HEAD) + 2
    )
    print_line(f"baseline: {comparison.baseline}, {baseline}", f"candidate: {comparison.candidate}, {candidate}")
    print_line(*(pairs_for_difference(comparison.rows, difference) if difference else ()), *footnotes(comparison))
    if latency:
        _show_latency(baseline, candidate)


def _compare_published(run: Path, *, as_json: bool) -> None:
    from earmark.cli._tables import show_table
    from earmark.config.folders import yaml_names
    from earmark.errors import UsageError
    from earmark.report.files import read_metrics
    from earmark.report.published import against_published, load_published

    signature = load_signature(run)
    name, tables = signature.benchmark["name"], yaml_names("published")
    if name not in tables:
        raise UsageError(
            f"no published table of {name} is known; there are: {', '.join(tables)}; to add one, put a YAML file into "
            "published/ of your settings folder"
        )
    published = load_published(tables[name])
    metrics = read_metrics(run)
    head, lines = against_published(metrics.rows, published)
    if as_json:
        print_json([dict(zip(head, line, strict=True)) for line in lines])
        return
    metric = published.every[0].metric
    show_table(f"{name} by {signature.model['name']}: {metric} in percent, baseline in brackets", head, lines)
    for table in published.every:
        print_line(f"published: {table.source}", *table.notes)
    print_line(*(f"this run: {warning}" for warning in metrics.warnings))
