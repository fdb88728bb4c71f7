"""Formatting of rows, estimates and usage as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from earmark.report.rows import Row
from earmark.stats.difference import Difference, holm
from earmark.stats.estimate import Estimate
from earmark.stats.repeats import Repeats
from earmark.types import Usage

SIGNIFICANCE: Final = 0.05
MIN_NOTED_GUESS_RATE: Final = 0.45  # from which on the effect of unparsed replies is noted
MAX_TITLES: Final = 3  # rows that a note names
HEAD: Final = ("task", "condition", "score", "95 % interval", "n", "unparsed", "refused", "failed", "chance")


def rows_table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Format the headline of each row as a line of a table with the columns `HEAD`."""
    above = _above_guessing(rows)
    return [_line(row, row.headline[1], _guess(row, row in above)) for row in rows]


def full_table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Format every metric of every row as a line of a table with the columns `metric` and `HEAD`."""
    above = _above_guessing(rows)
    return [
        (name, *_line(row, estimate, _guess(row, row in above) if name == row.headline[0] else "-"))
        for row in rows
        for name, estimate in row.metrics.items()
    ]


def _above_guessing(rows: Sequence[Row]) -> list[Row]:
    """Select the rows whose headline is above guessing, by Holm-adjusted p-values."""
    adjusted = holm([row.p_guess for row in rows])
    return [row for row, p in zip(rows, adjusted, strict=True) if p is not None and p < SIGNIFICANCE]


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
        title = f"{row.title} {row.condition}: " if row.title else ""  # replies of a file have no task
        unjudged = row.states.get("judge-failed", 0)
        if unjudged:
            notes.append(
                f"{title}{unjudged} answers without a verdict of the judge are not scored; {name} "
                f"{format_number(estimate.worst)} to {format_number(estimate.best)} if these and the {row.failed} "
                "failed were all wrong or all right"
            )
        elif estimate.best is not None and estimate.best != estimate.value:
            notes.append(f"{title}{name} {format_number(estimate.best)} if the {row.failed} failed were right")
        unparsed = row.states.get("unparsed", 0) + row.states.get("refused", 0)
        if unparsed and row.p_guess is not None and (row.guess_rate or 0.0) >= MIN_NOTED_GUESS_RATE:
            notes.append(
                f"{title}{unparsed} unparsed or refused score 0; guesses instead would add "
                f"{format_number(unparsed * (row.guess_rate or 0.0) / row.n)} to {name}"
            )
        if row.repeats:
            notes.append(f"{title}{name}, {repeats_line(row.repeats)}")
    notes += reasons((f"{row.title} {row.condition}" if row.title else "", *_reason(row)) for row in rows)
    if any(row.p_guess is not None for row in rows):
        result = "*: above guessing" if _above_guessing(rows) else "no score is significantly above guessing"
        notes.append(f"{result}, p < {SIGNIFICANCE} (one-sided binomial test, Holm over the rows)")
    return notes


def _reason(row: Row) -> tuple[str, str]:
    name, estimate = row.headline
    return name, estimate.why


def reasons(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """Format why intervals are missing or marked, rows of one reason together; of title, metric and reason of each.

    >>> reasons([("a", "wer", "one group"), ("b", "wer", ""), ("c", "wer", "one group")])
    ['a, c: wer, one group']
    """
    titles: dict[tuple[str, str], list[str]] = {}
    for title, metric, why in rows:
        if why:
            titles.setdefault((metric, why), []).append(title)
    notes = []
    for (metric, why), of in titles.items():
        more = f" and {len(of) - MAX_TITLES} more" if len(of) > MAX_TITLES else ""
        named = ", ".join(filter(None, of[:MAX_TITLES])) + more
        notes.append(f"{named}: {metric}, {why}" if named else f"{metric}, {why}")
    return notes


def items_for_interval(rows: Sequence[Row], width: float) -> list[str]:
    """Estimate the number of items that each row needs for an interval of a width."""
    from earmark.stats.planning import items_for  # noqa: PLC0415 - of `show --width`

    return [
        f"{row.title} {row.condition}: {name}, an interval of width {width:g} needs about {n:,} items; "
        f"{estimate.n:,} gave {format_interval(estimate)}"
        for row in rows
        for name, estimate in (row.headline,)
        if not row.is_slice and (n := items_for(estimate, width)) is not None
    ]


def repeats_line(repeats: Repeats) -> str:
    """Format the spread over repeats.

    >>> from earmark.stats.repeats import RepeatSummary
    >>> repeats_line(Repeats([0.5, 0.75], RepeatSummary(2, 0.625, 0.177), {2: Estimate(0.5, 0.4, 0.6)}))
    '2 repeats: 0.500, 0.750, mean 0.625, standard deviation 0.177; right every time 0.500 (0.400-0.600)'
    """
    spread = repeats.summary
    text = (
        f"{len(repeats.numbers)} repeats: {', '.join(map(format_number, repeats.numbers))}, "
        f"mean {format_number(spread.mean)}, standard deviation {format_number(spread.deviation)}"
    )
    if not repeats.all_right:
        return text
    most = repeats.all_right[max(repeats.all_right)]
    return f"{text}; right every time {format_number(most.value)} ({format_interval(most)})"


def usage_parts(usage: Usage) -> list[str]:
    """Format usage, as far as it is known.

    >>> usage_parts(Usage(tokens_in=1500, tokens_out=20, audio_tokens_in=1000, cost=0.25)), usage_parts(Usage())
    (['1,500 tokens in (1,000 audio), 20 out', 'cost 0.2500'], [])
    """
    audio = f" ({usage.audio_tokens_in:,} audio)" if usage.audio_tokens_in else ""
    parts = [f"{usage.tokens_in:,} tokens in{audio}, {usage.tokens_out:,} out"] if usage.tokens_in else []
    return parts + ([f"cost {usage.cost:.4f}"] if usage.cost else [])


def judge_usage_lines(usage: Usage) -> list[str]:
    """Format the usage of judges, if any is known.

    >>> judge_usage_lines(Usage(tokens_in=7, tokens_out=1)), judge_usage_lines(Usage())
    (['judge usage: 7 tokens in, 1 out'], [])
    """
    parts = usage_parts(usage)
    return [f"judge usage: {'; '.join(parts)}"] if parts else []


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


def format_signed_interval(difference: Difference) -> str:
    """Format the interval of a difference.

    >>> format_signed_interval(Difference(None, None, 0.1, -0.1, 0.3, n=9))
    '-0.100 to +0.300'
    """
    if difference.low is None or difference.high is None:
        return "-"
    return f"{format_signed(difference.low)} to {format_signed(difference.high)}{mark(difference)}"


def format_p(value: float | None) -> str:
    """
    >>> format_p(0.0312), format_p(0.0001)
    ('0.031', '<0.001')
    """
    return "-" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
