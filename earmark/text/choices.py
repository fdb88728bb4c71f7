"""Answer options: their letters, their order, how a prompt lists them, and which of them a reply chose."""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random
from typing import Literal

from msgspec import Struct

from earmark.errors import BadData
from earmark.text._screen import fold, plain

LETTERS = string.ascii_uppercase
ORDER_TAG = "choice_order"  # of items that are asked in several orders of their choices


class Parsed(Struct, frozen=True):
    """Parsed choice of one reply."""

    answer: str | None  # a label as the item spells it; several are joined by "," in the item's order
    rule: str  # the rule that parsed it, or the reason why nothing was parsed
    span: tuple[int, int] | None  # in the reply
    state: Literal["answered", "unparsed", "refused"]


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


def same_choice(labels: tuple[str, ...], choices: tuple[str, ...]) -> dict[str, str]:
    """Map each label to the first whose option has the same text.

    >>> same_choice(("A", "B", "C"), ("yes", "no", "Yes"))
    {'A': 'A', 'B': 'B', 'C': 'A'}
    """
    if len(choices) == len(labels) and _are_distinct(choices):
        return dict(zip(labels, labels, strict=True))
    first: dict[str, str] = {}
    texts = [fold(choice) for choice in choices] if len(choices) == len(labels) else labels
    return {label: first.setdefault(text, label) for label, text in zip(labels, texts, strict=True)}


def _are_distinct(choices: Sequence[str]) -> bool:
    """True if no two texts are equal, even without their blanks: all are folded at once, which options mostly pass."""
    folded = "".join(plain("\0".join(choices)).casefold().split()).split("\0")
    return len(set(folded)) == len(folded) == len(choices)
