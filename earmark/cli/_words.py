"""What commands share: reading benchmarks and settings from words, and showing tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from earmark import plugins
from earmark.config import Composed, compose, load_line, yaml_names
from earmark.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from earmark.journal import Taken
    from earmark.report.rows import Found, Gain, Metrics, Row
    from earmark.types import Benchmark, Usage


WIDE = 200  # columns where nobody's terminal sets a limit
GAP = 2  # columns between those of a table
FOLDED = 10  # to which words may be folded, the gap with them


class Line(NamedTuple):
    """One benchmark to run, with the settings that it is run with."""

    benchmark: Benchmark
    settings: Composed


def lines(words: Sequence[str]) -> list[Line]:
    """The benchmarks that words of a command line name, suites taken apart."""
    settings = [word for word in words if "=" in word]
    named = [word for word in words if "=" not in word]
    if not named:
        raise UsageError(
            f"no benchmark is named; there are: {', '.join([*plugins.names('benchmarks'), *yaml_names('suite')])}"
        )
    return [line for name in merged(named) for line in _lines(name, settings)]


def merged(named: Sequence[str]) -> list[str]:
    """Tasks of one benchmark brought together; one that is named without a task means all of them.

    >>> merged(["listen:2B", "acoustics:pitch", "listen:3B", "acoustics"])
    ['listen:2B,3B', 'acoustics']
    """
    tasks: dict[str, list[str]] = {}
    for name in named:
        benchmark, _, task = name.partition(":")
        tasks.setdefault(benchmark, []).append(task)
    return [f"{benchmark}:{','.join(chosen)}" if all(chosen) else benchmark for benchmark, chosen in tasks.items()]


def _lines(name: str, settings: Sequence[str]) -> list[Line]:
    benchmark, _, tasks = name.partition(":")
    suites = yaml_names("suite")
    if benchmark in suites and not tasks:
        return [line for entry in suite(suites[benchmark]) for line in lines([*entry, *settings])]
    if "." not in benchmark and benchmark not in plugins.names("benchmarks"):
        raise UsageError(
            f"no benchmark or suite is called '{benchmark}'; there are: {', '.join([*plugins.names('benchmarks'), *suites])}"
        )
    return [Line(*load_line(benchmark, tuple(filter(None, tasks.split(","))), compose(settings)))]


def suite(path: Path) -> list[list[str]]:
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
    from earmark.report.table import HEAD, footnotes, full_table, table

    if not rows and not by:
        click.echo(f"{title}: no numbers")
        return
    shown = [row for row in rows if (row.slice.startswith(f"{by}=") if by else not row.sliced)]
    if not shown:
        tags = dict.fromkeys(row.slice.partition("=")[0] for row in rows if row.sliced)
        raise UsageError(f"no row is broken down by '{by}'; there are: {', '.join(tags) or 'none'}")
    if everything and not any(row.task for row in shown):  # replies of a file
        show_table(title, ("metric", *HEAD[2:]), [(line[0], *line[3:]) for line in full_table(shown)])
    elif everything:
        show_table(title, ("metric", *HEAD), full_table(shown), words=3)
    else:
        metrics = [row.headline[0] for row in shown]
        if len(set(metrics)) > 1:  # scored several ways: each line tells which
            lines = [(metric, *line) for metric, line in zip(metrics, table(shown), strict=True)]
            show_table(title, ("metric", *HEAD), lines, words=3)
        else:
            show_table(f"{title}: {', '.join(metrics[:1])}", HEAD, table(shown), words=2)
    for note in footnotes(shown):
        click.echo(note)


def show_metrics(
    title: str, metrics: Metrics, *, everything: bool = False, by: str = "", width: float | None = None
) -> None:
    """Print the numbers of a run, and what must be known about them; how many items an interval of a width takes, if asked."""
    from earmark.report.table import wanted

    show_rows(title, metrics.rows, everything=everything, by=by)
    for needed in wanted(metrics.rows, width) if width else ():
        click.echo(needed)
    show_gains(metrics.gains, by=by)
    show_skipped(metrics.found)
    show_taken(metrics.taken)
    show_judging(metrics.judging)


def show_scored(run: Path, metrics: Metrics) -> None:
    """Print the table of a run that was scored anew, its notices, and what its judges took."""
    from earmark import folder

    signed = folder.signed(run)
    show_rows(f"{signed.benchmark['name']} by {signed.model['name']}", metrics.rows)
    for notice in metrics.notices:
        click.echo(notice)
    show_judging(metrics.judging)


def show_gains(gains: Sequence[Gain], *, by: str = "") -> None:
    """Print what listening adds, of tasks and averages, or of a tag's values."""
    from earmark.report.gain import HEAD, footnotes, table

    shown = [gain for gain in gains if (gain.slice.startswith(f"{by}=") if by else not gain.slice)]
    if shown:
        show_table(f"listening gain: plain less the best deaf control, {shown[0].metric}", HEAD, table(shown), words=1)
        for note in footnotes(shown):
            click.echo(note)


def show_skipped(found: Found) -> None:
    """Print what was never asked about and never counted, and why."""
    for task, reasons in found.skipped.items():
        click.echo(f"{task}: skipped {', '.join(f'{count} ({reason})' for reason, count in reasons.items())}")


def show_taken(taken: Taken) -> None:
    """Print what the answers took, where it is known."""
    from earmark.report.table import tokens

    used = taken.usage
    if not taken.seconds and not used.tokens_in:  # imported from where neither was told
        return
    parts = [f"{taken.answers:,} answers in {taken.seconds / taken.answers:.2f} s each"]
    parts += [f"{taken.sound:,.0f} s of sound"] if taken.sound else []
    click.echo(f"took: {'; '.join([*parts, *tokens(used)])}")


def show_judging(used: Usage) -> None:
    """Print what judges took, where they took anything that is known."""
    from earmark.report.table import judging

    for line in judging(used):
        click.echo(line)


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1) -> None:
    """Print a table; the first columns hold words, the rest numbers. One too wide goes on below, its words said again."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    gap = between(head, rows, console.width)
    for at, columns in enumerate(fitting(head, rows, words, console.width, gap)):
        shown = [[line[column] for column in columns] for line in (head, *rows)]
        if at:
            console.print()
        console.print(drawn("" if at else title, shown[0], shown[1:], words, gap))


def widths(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """How wide each column of a table is."""
    from rich.cells import cell_len

    return [max(cell_len(str(line[at])) for line in (head, *rows)) for at in range(len(head))]


def between(head: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> int:
    """How many columns of a terminal stand between those of a table: one, where it fits by that alone."""
    bare, gaps = sum(widths(head, rows)), len(head) - 1
    return 1 if bare + gaps <= width < bare + GAP * gaps else GAP


def fitting(
    head: Sequence[str], rows: Sequence[Sequence[Any]], words: int, width: int, gap: int = GAP
) -> list[list[int]]:
    """The columns of a table in parts that fit a terminal, the columns of words in each.

    >>> fitting(("task", "score", "n"), [("speech", "0.500", "1,000")], 1, 20), fitting(("task", "score", "n"), [], 1, 11)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    needed = [wide + gap for wide in widths(head, rows)]
    room = width + gap - sum(min(needed[at], max(FOLDED, len(head[at]) + gap)) for at in range(words))
    parts: list[list[int]] = [[]]
    for at in range(words, len(head)):
        if parts[-1] and sum(needed[column] for column in (*parts[-1], at)) > room:
            parts.append([])
        parts[-1].append(at)
    return [[*range(words), *part] for part in parts]


def drawn(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1, gap: int = GAP) -> Table:
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
    for at, name in enumerate(head):
        if at < words:  # only words may break: half a number is another number
            table.add_column(name, overflow="fold", no_wrap=all(len(str(row[at])) <= len(name) for row in rows))
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    return table
