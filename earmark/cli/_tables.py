"""Shared parts of the commands: parse benchmarks and overrides, print tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from earmark import plugins
from earmark.config import Config, compose_config, yaml_names
from earmark.engine.load import load_run_benchmark
from earmark.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from earmark.journal import UsageTotals
    from earmark.report.rows import DatasetCounts, ListeningGain, Metrics, Row
    from earmark.types import Benchmark, Usage
from earmark.runs.signature import load_signature

FILE_WIDTH = 200  # columns where nobody's terminal sets a limit
COLUMN_GAP = 2  # columns between those of a table
MIN_FOLDED_WIDTH = 10  # to which words may be folded, the gap with them


class BenchmarkRun(NamedTuple):
    """One benchmark to run, with the settings that it is run with."""

    benchmark: Benchmark
    settings: Config


def parse_runs(words: Sequence[str]) -> list[BenchmarkRun]:
    """The benchmarks that words of a command line name, suites taken apart."""
    settings = [word for word in words if "=" in word]
    named = [word for word in words if "=" not in word]
    if not named:
        raise UsageError(
            "no benchmark is named; there are: "
            f"{', '.join([*plugins.plugin_names('benchmarks'), *plugins.table_names('benchmarks'), *yaml_names('suite')])}"
        )
    return [run for name in merge_tasks(named) for run in _parse_run(name, settings)]


def merge_tasks(named_runs: Sequence[str]) -> list[str]:
    """Tasks of one benchmark brought together; one that is named without a task means all of them.

    >>> merge_tasks(["listen:2B", "acoustics:pitch", "listen:3B", "acoustics"])
    ['listen:2B,3B', 'acoustics']
    """
    tasks: dict[str, list[str]] = {}
    for name in named_runs:
        benchmark, _, task = name.partition(":")
        tasks.setdefault(benchmark, []).append(task)
    return [f"{benchmark}:{','.join(chosen)}" if all(chosen) else benchmark for benchmark, chosen in tasks.items()]


def _parse_run(name: str, settings: Sequence[str]) -> list[BenchmarkRun]:
    benchmark, _, tasks = name.partition(":")
    suites = yaml_names("suite")
    if benchmark in suites and not tasks:
        return [run for entry in load_suite(suites[benchmark]) for run in parse_runs([*entry, *settings])]
    names = [*plugins.plugin_names("benchmarks"), *plugins.table_names("benchmarks")]
    if "." not in benchmark and benchmark not in names:
        raise UsageError(f"no benchmark or suite is called '{benchmark}'; there are: {', '.join([*names, *suites])}")
    return [
        BenchmarkRun(*load_run_benchmark(benchmark, tuple(filter(None, tasks.split(","))), compose_config(settings)))
    ]


def load_suite(path: Path) -> list[list[str]]:
    """The command lines in a suite's YAML."""
    import yaml

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: is no YAML ({' '.join(str(error).split())})") from error
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise UsageError(
            f"{path}: found {type(entries).__name__}, expected a list of command lines such as 'listen:2B limit=20'"
        )
    return [entry.split() for entry in entries]


def show_rows(title: str, rows: Sequence[Row], *, everything: bool = False, by: str = "") -> None:
    """Print rows as a table, with what must be known about them underneath; those of a tag's values with `by`."""
    from earmark.report.table import HEAD, footnotes, full_table, rows_table

    if not rows and not by:
        click.echo(f"{title}: no numbers")
        return
    shown = [row for row in rows if (row.slice.startswith(f"{by}=") if by else not row.is_slice)]
    if not shown:
        tags = dict.fromkeys(row.slice.partition("=")[0] for row in rows if row.is_slice)
        raise UsageError(f"no row is broken down by '{by}'; there are: {', '.join(tags) or 'none'}")
    if everything and not any(row.task for row in shown):  # replies of a file
        show_table(title, ("metric", *HEAD[2:]), [(line[0], *line[3:]) for line in full_table(shown)])
    elif everything:
        show_table(title, ("metric", *HEAD), full_table(shown), words=3)
    else:
        metrics = _metric_names(shown)
        if len(set(metrics)) > 1:  # scored several ways: each line tells which
            lines = [(metric, *line) for metric, line in zip(metrics, rows_table(shown), strict=True)]
            show_table(title, ("metric", *HEAD), lines, words=3)
        else:
            show_table(f"{title}: {', '.join(metrics[:1])}", HEAD, rows_table(shown), words=2)
    for note in footnotes(shown):
        click.echo(note)


def _metric_names(rows: Sequence[Row]) -> list[str]:
    """The headline of each row, with its scorer where several rows would else look alike."""
    keys = [(row.title, row.condition, row.headline[0]) for row in rows]
    is_ambiguous = len({*keys}) < len(keys)
    return [f"{row.headline[0]} ({row.scorer})" if is_ambiguous else row.headline[0] for row in rows]


def show_metrics(
    title: str, metrics: Metrics, *, everything: bool = False, by: str = "", width: float | None = None
) -> None:
    """Print the numbers of a run, and what must be known about them; how many items an interval of a width takes, if
    asked.
    """
    from earmark.report.table import required_items

    show_rows(title, metrics.rows, everything=everything, by=by)
    for needed in required_items(metrics.rows, width) if width else ():
        click.echo(needed)
    show_gains(metrics.gains, by=by)
    show_exclusions(metrics.dataset)
    show_usage(metrics.usage)
    show_judge_usage(metrics.judge_usage)


def show_rescored(run: Path, metrics: Metrics) -> None:
    """Print the table of a run that was scored anew, its notices, and what its judges took."""

    signature = load_signature(run)
    show_rows(f"{signature.benchmark['name']} by {signature.model['name']}", metrics.rows)
    for notice in metrics.warnings:
        click.echo(notice)
    show_judge_usage(metrics.judge_usage)


def show_gains(gains: Sequence[ListeningGain], *, by: str = "") -> None:
    """Print what listening adds, of tasks and averages, or of a tag's values."""
    from earmark.report.gain import HEAD, gain_footnotes, gain_table

    shown = [gain for gain in gains if (gain.slice.startswith(f"{by}=") if by else not gain.slice)]
    if shown:
        show_table(
            f"listening gain: plain less the best deaf control, {shown[0].metric}", HEAD, gain_table(shown), words=1
        )
        for note in gain_footnotes(shown):
            click.echo(note)


def show_exclusions(dataset: DatasetCounts) -> None:
    """Print what was never asked about and never counted, and why."""
    for task, reasons in dataset.skipped.items():
        click.echo(f"{task}: skipped {', '.join(f'{count} ({reason})' for reason, count in reasons.items())}")


def show_usage(taken: UsageTotals) -> None:
    """Print what the answers took, where it is known."""
    from earmark.report.table import usage_parts

    used = taken.usage
    if not taken.seconds and not used.tokens_in:  # imported from where neither was told
        return
    parts = [f"{taken.answers:,} answers in {taken.seconds / taken.answers:.2f} s each"]
    parts += [f"{taken.audio_seconds:,.0f} s of sound"] if taken.audio_seconds else []
    click.echo(f"took: {'; '.join([*parts, *usage_parts(used)])}")


def show_judge_usage(used: Usage) -> None:
    """Print what judges took, where they took anything that is known."""
    from earmark.report.table import judge_usage_lines

    for line in judge_usage_lines(used):
        click.echo(line)


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1) -> None:
    """Print a table; the first columns hold words, the rest numbers. One too wide goes on below, its words said again."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else FILE_WIDTH)
    gap = column_gap(head, rows, console.width)
    for part, columns in enumerate(split_columns(head, rows, words, console.width, gap)):
        shown = [[line[column] for column in columns] for line in (head, *rows)]
        if part:
            console.print()
        console.print(make_table("" if part else title, shown[0], shown[1:], words, gap))


def column_widths(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Width of each column of a table."""
    from rich.cells import cell_len

    return [max(cell_len(str(line[index])) for line in (head, *rows)) for index in range(len(head))]


def column_gap(head: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> int:
    """Number of columns of a terminal stand between those of a table: one, where it fits by that alone."""
    bare, gaps = sum(column_widths(head, rows)), len(head) - 1
    return 1 if bare + gaps <= width < bare + COLUMN_GAP * gaps else COLUMN_GAP


def split_columns(
    head: Sequence[str], rows: Sequence[Sequence[Any]], words: int, width: int, gap: int = COLUMN_GAP
) -> list[list[int]]:
    """The columns of a table in parts that fit a terminal, the columns of words in each.

    >>> split_columns(("task", "score", "n"), [("speech", "0.500", "1,000")], 1, 20), split_columns(("task", "score", "n"), [], 1, 11)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    needed = [wide + gap for wide in column_widths(head, rows)]
    room = (
        width + gap - sum(min(needed[index], max(MIN_FOLDED_WIDTH, len(head[index]) + gap)) for index in range(words))
    )
    parts: list[list[int]] = [[]]
    for index in range(words, len(head)):
        if parts[-1] and sum(needed[column] for column in (*parts[-1], index)) > room:
            parts.append([])
        parts[-1].append(index)
    return [[*range(words), *part] for part in parts]


def make_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1, gap: int = COLUMN_GAP
) -> Table:
    """A table as rich draws it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, gap - 1),
        pad_edge=False,
        collapse_padding=True,
        show_edge=False,
        header_style="bold",
    )
    for index, name in enumerate(head):
        if index < words:  # only words may break: half a number is another number
            table.add_column(name, overflow="fold", no_wrap=all(len(str(row[index])) <= len(name) for row in rows))
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    return table
