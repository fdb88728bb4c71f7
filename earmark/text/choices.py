"""Answer options: their letters, their order and how a prompt lists them."""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random

from earmark.errors import BadData

LETTERS = string.ascii_uppercase
ORDER_TAG = "choice_order"  # of items that are asked in several orders of their choices


def choice_letters(count: int, place: str = "one item") -> tuple[str, ...]:
    """Return the labels of this many choices: A, B, C, ...

    >>> choice_letters(3)
    ('A', 'B', 'C')
    """
    if count > len(LETTERS):
        raise BadData(f"found {count} choices in {place}, expected at most {len(LETTERS)}")
    return tuple(LETTERS[:count])


def format_choices(choices: Sequence[str], labels: Sequence[str]) -> str:
    """Format the choices as lines of a prompt.

    >>> format_choices(("cat", "dog"), ("A", "B"))
    'A. cat\\nB. dog'
    """
    return "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))


def shuffle_choices(choices: Sequence[str], seed: int, item: str) -> tuple[str, ...]:
    """Shuffle the choices, by the seed and the item alone."""
    order = list(choices)
    Random(f"{seed}:{item}").shuffle(order)  # noqa: S311 - an order, not a secret
    return tuple(order)
