"""Tables and lines that several commands print."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from earmark.errors import UsageError, alternatives
from earmark.runs.signature import load_signature
from earmark.terminal.console import make_console, print_line, print_on
from earmark.text.printable import printable

if TYPE_CHECKING:
    from rich.table import Table

    from earmark.journal import UsageTotals
    from earmark.report.rows import DatasetCounts, ListeningGain, Metrics, Row
    from earmark.types import Usage

COLUMN_GAP: Final = 2  # blanks between the columns of a table
UNFINISHED: Final = "unfinished: rerun the original command to resume"
MIN_WORD_WIDTH: Final = 10  # columns of a word column whose texts are cut, its gap included
ALWAYS_SHOWN: Final = frozenset(  # columns that are shown though they are the same in every row
    """model|score|95 % interval|baseline|candidate|difference|p|p, Holm|p vs first|plain|listening gain|threshold
    |only baseline right|only candidate right|ratio""".replace("\n    ", "").split("|")
)


def show_rows(title: str, rows: Sequence[Row], *, everything: bool = False, by: str = "") -> None:
    """Print rows as a table with its footnotes; with `by` those of a tag's values."""
    from earmark.report.table import HEAD, footnotes, full_table, rows_table

    if not rows and not by:
        print_line(f"{title}: no scores")
        return
    shown = [row for row in rows if (row.slice.startswith(f"{by}=") if by else not row.is_slice)]
    if not shown:
        tags = dict.fromkeys(row.slice.partition("=")[0] for row in rows if row.is_slice)
        raise UsageError(f"no row is broken down by '{by}'{alternatives(by, tags)}")
    if everything and not any(row.task for row in shown):  # replies of a file
        show_table(title, ("metric", *HEAD[2:]), [(line[0], *line[3:]) for line in full_table(shown)])
    elif everything:
        show_table(title, ("metric", *HEAD), full_table(shown), words=3)
    else:
        metrics = _metric_names(shown)
        if len(set(metrics)) > 1:  # several headlines or scorers: each line names its own
            lines = [(metric, *line) for metric, line in zip(metrics, rows_table(shown), strict=True)]
            show_table(title, ("metric", *HEAD), lines, words=3)
        else:
            show_table(f"{title}: {metrics[0]}", HEAD, rows_table(shown), words=2)
    print_line(*footnotes(shown))


def _metric_names(rows: Sequence[Row]) -> list[str]:
    """The headline of each row, with its scorer where several rows would else look alike."""
    keys = [(row.title, row.condition, row.headline[0]) for row in rows]
    is_ambiguous = len({*keys}) < len(keys)
    return [f"{row.headline[0]} ({row.scorer})" if is_ambiguous else row.headline[0] for row in rows]


def show_metrics(
    title: str, metrics: Metrics, *, everything: bool = False, by: str = "", width: float | None = None
) -> None:
    """Print the scores of a run with their footnotes; with `width` the number of items such an interval needs."""
    from earmark.report.latency import latency_line
    from earmark.report.table import items_for_interval

    show_rows(title, metrics.rows, everything=everything, by=by)
    print_line(*(items_for_interval(metrics.rows, width) if width else ()))
    show_gains(metrics.gains, by=by)
    show_exclusions(metrics.dataset)
    show_usage(metrics.usage)
    print_line(*latency_line(metrics.latency))
    show_judge_usage(metrics.judge_usage)


def show_rescored(run: Path, metrics: Metrics) -> None:
    """Print the table of a rescored run, its warnings and the usage of its judges."""
    signature = load_signature(run)
    show_rows(f"{signature.benchmark['name']} by {signature.model['name']}", metrics.rows)
    print_line(*metrics.warnings)
    show_judge_usage(metrics.judge_usage)


def show_gains(gains: Sequence[ListeningGain], *, by: str = "") -> None:
    """Print the listening gains of tasks and averages, or of a tag's values."""
    shown = [gain for gain in gains if (gain.slice.startswith(f"{by}=") if by else not gain.slice)]
    if shown:
        from earmark.report.gain import HEAD, gain_footnotes, gain_table

        show_table(f"listening gain: plain minus the best control, {shown[0].metric}", HEAD, gain_table(shown))
        print_line(*gain_footnotes(shown))


def show_exclusions(dataset: DatasetCounts) -> None:
    """Print the items that were neither asked nor counted, with the reasons."""
    for task, reasons in dataset.skipped.items():
        print_line(f"{task}: skipped {', '.join(f'{count} ({reason})' for reason, count in reasons.items())}")


def show_usage(totals: UsageTotals) -> None:
    """Print time, audio, tokens and cost of the responses, as far as they are known."""
    from earmark.report.table import usage_parts

    if not totals.seconds and not totals.usage.tokens_in:  # imported from logs without either
        return
    parts = [f"{totals.answers:,} answers, {totals.seconds / totals.answers:.2f} s each"]
    parts += [f"{totals.audio_seconds:,.0f} s of audio"] if totals.audio_seconds else []
    print_line(f"usage: {'; '.join([*parts, *usage_parts(totals.usage)])}")


def show_judge_usage(usage: Usage) -> None:
    """Print the usage of judges, if any is known."""
    from earmark.report.table import judge_usage_lines

    print_line(*judge_usage_lines(usage))


def show_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1, *, stderr: bool = False
) -> None:
    """Print a table whose first columns are words and the rest numbers.

    A column that is the same in every row is told once above the table, the first and scores excepted. Texts that do
    not fit are cut in the middle. Columns of numbers that do not fit go into a further table below, with the columns of
    words repeated.
    """
    from rich.text import Text

    cells = [[printable(str(cell)) for cell in line] for line in (head, *rows)]
    cells, words, same = drop_constant_columns(cells, words)
    console = make_console(stderr=stderr, table=True)
    for line, style in ((title, "bold"), (same, "")):
        if line:
            print_on(console, Text(printable(line), style=style))
    widths = column_widths(cells)
    gap = column_gap(widths, console.width)
    for index, columns in enumerate(split_columns(cells[0], widths, words, console.width, gap)):
        shown = cut_words([[line[column] for column in columns] for line in cells], words, console.width, gap)
        print_line(*[""] * bool(index), err=stderr)
        print_on(console, make_table(shown[0], shown[1:], words, gap))


def drop_constant_columns(
    cells: list[list[str]], words: int, keep: Collection[str] = ALWAYS_SHOWN
) -> tuple[list[list[str]], int, str]:
    """Return a table of two rows or more without its columns that are the same in every row, the number of columns of
    words that are left, and a line on the others.

    >>> drop_constant_columns([["task", "condition", "n"], ["a", "plain", "1"], ["b", "plain", "2"]], 2)
    ([['task', 'n'], ['a', '1'], ['b', '2']], 1, 'condition: plain')
    """
    head, *rows = cells
    if len(rows) < 2:
        return cells, words, ""
    constant = [
        index > 0 and name not in keep and len({row[index] for row in rows}) == 1 for index, name in enumerate(head)
    ]
    kept = [[cell for cell, is_constant in zip(line, constant, strict=True) if not is_constant] for line in cells]
    same = ", ".join(f"{name}: {rows[0][index]}" for index, name in enumerate(head) if constant[index])
    return kept, words - sum(constant[:words]), same


def cut_words(cells: list[list[str]], words: int, width: int, gap: int) -> list[list[str]]:
    """Return a table whose columns of words are cut in the middle so that it fits a width."""
    widths = column_widths(cells)
    room = width + gap - sum(column + gap for column in widths[words:])
    smallest = [min(widths[index] + gap, max(MIN_WORD_WIDTH, len(cells[0][index]) + gap)) for index in range(words)]
    allowed = [column + gap for column in widths[:words]]
    while sum(allowed) > room and any(column > least for column, least in zip(allowed, smallest, strict=True)):
        index = max(range(words), key=lambda column: (allowed[column] > smallest[column], allowed[column]))
        allowed[index] -= 1
    return [
        [*(cut_middle(cell, allowed[index] - gap) for index, cell in enumerate(line[:words])), *line[words:]]
        for line in cells
    ]


def cut_middle(text: str, width: int) -> str:
    """Cut a text in its middle so that it takes at most so many columns of a terminal.

    >>> cut_middle("Qwen2-Audio-7B-Instruct", 12), cut_middle("short", 12)
    ('Qwen2-…truct', 'short')
    """
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    head, tail = len(text) // 2, len(text) - len(text) // 2
    left, right = text[:head], text[tail:]
    while left and cell_len(left) > width // 2:
        left = left[:-1]
    while right and cell_len(right) > width - 1 - cell_len(left):
        right = right[1:]
    return f"{left}…{right}"


def fits(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True if a table has its place beside the edges of the terminal, or of a file."""
    widths = column_widths([head, *rows])
    return sum(widths) + len(widths) - 1 <= make_console().width


def column_widths(cells: Sequence[Sequence[str]]) -> list[int]:
    """Width of each column of a table, its heading included."""
    from rich.cells import cell_len

    return [max(map(cell_len, column)) for column in zip(*cells, strict=True)]


def column_gap(widths: Sequence[int], width: int) -> int:
    """Number of blanks between columns: one if the table fits only so, else `COLUMN_GAP`."""
    gaps = len(widths) - 1
    return 1 if sum(widths) + gaps <= width < sum(widths) + COLUMN_GAP * gaps else COLUMN_GAP


def split_columns(
    head: Sequence[str], widths: Sequence[int], words: int, width: int, gap: int = COLUMN_GAP
) -> list[list[int]]:
    """Split the columns of a table into parts that fit a terminal, the columns of words in each.

    >>> split_columns(("task", "score", "n"), (6, 5, 5), 1, 20), split_columns(("task", "score", "n"), (4, 5, 1), 1, 11)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    needed = [column + gap for column in widths]
    folded = (min(needed[index], max(MIN_WORD_WIDTH, len(head[index]) + gap)) for index in range(words))
    available = width + gap - sum(folded)
    parts: list[list[int]] = [[]]
    for index in range(words, len(head)):
        if parts[-1] and sum(needed[column] for column in (*parts[-1], index)) > available:
            parts.append([])
        parts[-1].append(index)
    return [[*range(words), *part] for part in parts]


def make_table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1, gap: int = COLUMN_GAP) -> Table:
    """Create a rich table; no cell is folded over lines."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, gap - 1),
        pad_edge=False,
        collapse_padding=True,
        show_edge=False,
        header_style="bold",
    )
    for index, name in enumerate(head):
        if index < words:
            table.add_column(name, no_wrap=True)
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
