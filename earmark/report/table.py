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


def table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`: one for each row, its headline alone."""
    above = _above_guessing(rows)
    return [_line(row, row.headline[1], _guess(row, row in above)) for row in rows]


def full_table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table under `metric` and `HEAD`: every metric of every row, with chance beside the headline, which has it."""
    above = _above_guessing(rows)
    return [
        (name, *_line(row, found, _guess(row, row in above) if name == row.headline[0] else "-"))
        for row in rows
        for name, found in row.metrics.items()
    ]


def _above_guessing(rows: Sequence[Row]) -> list[Row]:
    """The rows whose headline is above guessing, by p-values that may all be held against 0.05 at once."""
    adjusted = holm([row.p_guess for row in rows])
    return [row for row, p in zip(rows, adjusted, strict=True) if p is not None and p < SHOWN]


def _guess(row: Row, above: bool) -> str:
    return number(row.chance) + "*" * above


def _line(row: Row, found: Estimate, guess: str) -> tuple[str, ...]:
    counts = (row.n, row.states["unparsed"], row.states["refused"], row.failed)
    return (row.title, row.condition, number(found.value), interval(found), *map(str, counts), guess)


def footnotes(rows: Sequence[Row]) -> list[str]:
    """What failed items may hide, and what has no interval, in a line each."""
    told = []
    for row in rows:
        name, found = row.headline
        where = f"{row.title} {row.condition}: " if row.title else ""  # replies of a file have no task
        unjudged = row.states.get("judge-failed", 0)
        if unjudged:
            told.append(
                f"{where}{unjudged} answers without a verdict of the judge, outside the score; {name} "
                f"{number(found.worst)} to {number(found.best)} with them and the {row.failed} failed at their worst or best"
            )
        elif found.best is not None and found.best != found.value:
            told.append(f"{where}{name} {number(found.best)} if the {row.failed} failed had been right")
        unread = row.states.get("unparsed", 0) + row.states.get("refused", 0)
        if unread and row.p_guess is not None and row.chance is not None and row.chance >= EVEN_CHANCE:
            told.append(
                f"{where}{unread} unread or refused earn nothing; guesses in their place would add "
                f"{number(unread * row.chance / row.n)} to {name}"
            )
        if found.why:
            told.append(f"{where}{name}, {found.why}")
        if row.repeats:
            told.append(f"{where}{name}, {repeats(row.repeats)}")
    if any(row.p_guess is not None for row in rows):
        told.append(
            f"*: above guessing, p < {SHOWN} (one-sided binomial test, Holm over the rows)"
            if _above_guessing(rows)
            else f"no score is shown to be above guessing, p < {SHOWN} (one-sided binomial test, Holm over the rows)"
        )
    return told


def wanted(rows: Sequence[Row], width: float) -> list[str]:
    """How many items each row's headline would take for an interval so wide, as far as what is there can tell."""
    told = []
    for row in rows:
        name, found = row.headline
        if not row.sliced and (many := items_for(found, width)) is not None:
            there = f"{found.n:,} gave {interval(found)}"
            told.append(
                f"{row.title} {row.condition}: {name}, an interval {width:g} wide takes about {many:,} items; {there}"
            )
    return told


def repeats(found: Repeats) -> str:
    """What asking everything several times told.

    >>> from earmark.stats.repeats import Spread
    >>> repeats(Repeats([0.5, 0.75], Spread(2, 0.625, 0.177), {2: Estimate(0.5, 0.4, 0.6)}))
    '2 repeats: 0.500, 0.750, mean 0.625, standard deviation 0.177; right every time 0.500 (0.400-0.600)'
    """
    spread = found.spread
    told = f"{len(found.numbers)} repeats: {', '.join(map(number, found.numbers))}, mean {number(spread.mean)}, standard deviation {number(spread.deviation)}"
    if not found.all_right:
        return told
    most = found.all_right[max(found.all_right)]
    return f"{told}; right every time {number(most.value)} ({interval(most)})"


def tokens(used: Usage) -> list[str]:
    """What answers took, as far as it is known.

    >>> tokens(Usage(tokens_in=1500, tokens_out=20, tokens_sound=1000, cost=0.25)), tokens(Usage())
    (['1,500 tokens in (1,000 of sound), 20 out', 'cost 0.2500'], [])
    """
    sound = f" ({used.tokens_sound:,} of sound)" if used.tokens_sound else ""
    told = [f"{used.tokens_in:,} tokens in{sound}, {used.tokens_out:,} out"] if used.tokens_in else []
    return told + ([f"cost {used.cost:.4f}"] if used.cost else [])


def judging(used: Usage) -> list[str]:
    """The line that tells what judges took, where they took anything that is known.

    >>> judging(Usage(tokens_in=7, tokens_out=1)), judging(Usage())
    (['judges took: 7 tokens in, 1 out'], [])
    """
    told = tokens(used)
    return [f"judges took: {'; '.join(told)}"] if told else []


def number(value: float | None) -> str:
    """
    >>> number(0.5), number(None)
    ('0.500', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def interval(found: Estimate) -> str:
    """
    >>> interval(Estimate(0.5, 0.4, 0.6))
    '0.400-0.600'
    """
    return "-" if found.low is None or found.high is None else f"{number(found.low)}-{number(found.high)}{mark(found)}"


def mark(found: Estimate | Difference) -> str:
    """
    >>> mark(Estimate(0.5)), mark(Estimate(0.5, trusted=False))
    ('', '?')
    """
    return "" if found.trusted else "?"


def signed(value: float | None) -> str:
    """
    >>> signed(0.05), signed(-0.05), signed(None)
    ('+0.050', '-0.050', '-')
    """
    return "-" if value is None else f"{value:+.3f}"


def chance(value: float | None) -> str:
    """
    >>> chance(0.0312), chance(0.0001)
    ('0.031', '<0.001')
    """
    return "-" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
