"""What benchmarks of choices have in common."""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random

from earmark.errors import BadData, UsageError

LETTERS = string.ascii_uppercase


def letters(count: int, place: str = "one item") -> tuple[str, ...]:
    """The labels of so many choices: A, B, C, ...

    >>> letters(3)
    ('A', 'B', 'C')
    """
    if count > len(LETTERS):
        raise BadData(f"found {count} choices in {place}, expected at most {len(LETTERS)}")
    return tuple(LETTERS[:count])


def listed(choices: Sequence[str], labels: Sequence[str]) -> str:
    """The choices as lines of a prompt.

    >>> listed(("cat", "dog"), ("A", "B"))
    'A. cat\\nB. dog'
    """
    return "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))


def shuffled(choices: Sequence[str], seed: int, item: str) -> tuple[str, ...]:
    """The choices in an order that depends on the seed and the item alone."""
    order = list(choices)
    Random(f"{seed}:{item}").shuffle(order)  # noqa: S311 - an order, not a secret
    return tuple(order)


def checked_tasks(benchmark: str, asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The tasks asked for in the benchmark's own order, all of them where none is named."""
    wrong = [task for task in asked if task not in known]
    if wrong:
        raise UsageError(f"{benchmark} has no task '{wrong[0]}'; there are: {', '.join(known)}")
    return tuple(task for task in known if not asked or task in asked)
