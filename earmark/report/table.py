"""Rows as a table of words, for the terminal and for files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from earmark.report.rows import Row
from earmark.stats.compare import Difference, holm
from earmark.stats.estimate import Estimate
from earmark.stats.planning import items_for
from earmark.stats.repeats import Repeats
from earmark.types import Usage

SHOWN: Final = 0.05  # p-values below it
EVEN_CHANCE: Final = 0.45  # of guessing, from which on what unread replies take is told
HEAD: Final = ("task", "condition", "score", "95 % interval", "n", "unparsed", "refused", "failed", "chance")


def rows_table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`: one for each row, its headline alone."""
    above = _above_guessing(rows)
    return [_line(row, row.headline[1], _guess(row, row in above)) for row in rows]


def full_table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table under `metric` and `HEAD`: every metric of every row, with chance beside the headline, which
    has it.
    """
    above = _above_guessing(rows)
    return [
        (name, *_line(row, estimate, _guess(row, row in above) if name == row.headline[0] else "-"))
        for row in rows
        for name, estimate in row.metrics.items()
    ]


def _above_guessing(rows: Sequence[Row]) -> list[Row]:
    """The rows whose headline is above guessing, by p-values that may all be held against 0.05 at once."""
    adjusted = holm([row.p_guess for row in rows])
    return [row for row, p in zip(rows, adjusted, strict=True) if p is not None and p < SHOWN]


def _guess(row: Row, above: bool) -> str:
    return format_number(row.guess_rate) + "*" * above


def _line(row: Row, estimate: Estimate, guess: str) -> tuple[str, ...]:
    counts = (row.n, row.states["unparsed"], row.states["refused"], row.failed)
    return (
        row.title,
        row.condition,
        format_number(estimate.value),
        format_interval(estimate),
        *map(str, counts),
        guess,
    )


def footnotes(rows: Sequence[Row]) -> list[str]:
    """Footnotes on failed items and missing intervals, a line each."""
    notes = []
    for row in rows:
        name, estimate = row.headline
        where = f"{row.title} {row.condition}: " if row.title else ""  # replies of a file have no task
        unjudged = row.states.get("judge-failed", 0)
        if unjudged:
            notes.append(
                f"{where}{unjudged} answers without a verdict of the judge, outside the score; {name} "
                f"{format_number(estimate.worst)} to {format_number(estimate.best)} with them and the {row.failed} "
                "failed at their worst or best"
            )
        elif estimate.best is not None and estimate.best != estimate.value:
            notes.append(f"{where}{name} {format_number(estimate.best)} if the {row.failed} failed had been right")
        unread = row.states.get("unparsed", 0) + row.states.get("refused", 0)
        if unread and row.p_guess is not None and row.guess_rate is not None and row.guess_rate >= EVEN_CHANCE:
            notes.append(
                f"{where}{unread} unread or refused earn nothing; guesses in their place would add "
                f"{format_number(unread * row.guess_rate / row.n)} to {name}"
            )
        if estimate.why:
            notes.append(f"{where}{name}, {estimate.why}")
        if row.repeats:
            notes.append(f"{where}{name}, {repeats_line(row.repeats)}")
    if any(row.p_guess is not None for row in rows):
        notes.append(
            f"*: above guessing, p < {SHOWN} (one-sided binomial test, Holm over the rows)"
            if _above_guessing(rows)
            else f"no score is shown to be above guessing, p < {SHOWN} (one-sided binomial test, Holm over the rows)"
        )
    return notes


def required_items(rows: Sequence[Row], width: float) -> list[str]:
    """Number of items each row's headline would take for an interval so wide, as far as what is there can tell."""
    lines = []
    for row in rows:
        name, estimate = row.headline
        if not row.is_slice and (many := items_for(estimate, width)) is not None:
            observed = f"{estimate.n:,} gave {format_interval(estimate)}"
            lines.append(
                f"{row.title} {row.condition}: {name}, an interval {width:g} wide takes about {many:,} items; "
                f"{observed}"
            )
    return lines


def repeats_line(repeats: Repeats) -> str:
    """Format the spread over repeats.

    >>> from earmark.stats.repeats import RepeatSummary
    >>> repeats_line(Repeats([0.5, 0.75], RepeatSummary(2, 0.625, 0.177), {2: Estimate(0.5, 0.4, 0.6)}))
    '2 repeats: 0.500, 0.750, mean 0.625, standard deviation 0.177; right every time 0.500 (0.400-0.600)'
    """
    spread = repeats.summary
    text = f"{len(repeats.numbers)} repeats: {', '.join(map(format_number, repeats.numbers))}, mean {format_number(spread.mean)}, standard deviation {format_number(spread.deviation)}"
    if not repeats.all_right:
        return text
    most = repeats.all_right[max(repeats.all_right)]
    return f"{text}; right every time {format_number(most.value)} ({format_interval(most)})"


def usage_parts(used: Usage) -> list[str]:
    """Format usage, as far as it is known.

    >>> usage_parts(Usage(tokens_in=1500, tokens_out=20, audio_tokens_in=1000, cost=0.25)), usage_parts(Usage())
    (['1,500 tokens in (1,000 of sound), 20 out', 'cost 0.2500'], [])
    """
    sound = f" ({used.audio_tokens_in:,} of sound)" if used.audio_tokens_in else ""
    parts = [f"{used.tokens_in:,} tokens in{sound}, {used.tokens_out:,} out"] if used.tokens_in else []
    return parts + ([f"cost {used.cost:.4f}"] if used.cost else [])


def judge_usage_lines(used: Usage) -> list[str]:
    """The line that tells what judges took, where they took anything that is known.

    >>> judge_usage_lines(Usage(tokens_in=7, tokens_out=1)), judge_usage_lines(Usage())
    (['judges took: 7 tokens in, 1 out'], [])
    """
    parts = usage_parts(used)
    return [f"judges took: {'; '.join(parts)}"] if parts else []


def format_number(value: float | None) -> str:
    """
    >>> format_number(0.5), format_number(None)
    ('0.500', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def format_interval(estimate: Estimate) -> str:
    """
    >>> format_interval(Estimate(0.5, 0.4, 0.6))
    '0.400-0.600'
    """
    return (
        "-"
        if estimate.low is None or estimate.high is None
        else f"{format_number(estimate.low)}-{format_number(estimate.high)}{mark(estimate)}"
    )


def mark(estimate: Estimate | Difference) -> str:
    """
    >>> mark(Estimate(0.5)), mark(Estimate(0.5, trusted=False))
    ('', '?')
    """
    return "" if estimate.trusted else "?"


def format_signed(value: float | None) -> str:
    """
    >>> format_signed(0.05), format_signed(-0.05), format_signed(None)
    ('+0.050', '-0.050', '-')
    """
    return "-" if value is None else f"{value:+.3f}"


def format_p(value: float | None) -> str:
    """
    >>> format_p(0.0312), format_p(0.0001)
    ('0.031', '<0.001')
    """
    return "-" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
