"""Difference of two runs as a value, the pairs that it is computed from, and Holm's adjustment of p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from earmark.stats.count_table import Floats, Names


class Pairs(Struct, frozen=True, eq=False):
    """The counts of two runs over the same items, each count an array of shape (items,)."""

    baseline: Mapping[str, Floats]
    candidate: Mapping[str, Floats]
    groups: Names  # items of one group are not independent
    items: Names | None = None  # the item of each pair, the same in every repeat; None: each is its own


class Difference(Struct, frozen=True, omit_defaults=True):
    """Candidate minus baseline; None where it is not defined, and then `why`."""

    baseline: float | None
    candidate: float | None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0  # pairs behind it
    groups: int = 0
    method: str = ""  # of the interval
    p: float | None = None
    test: str = ""
    standard_error: float | None = None  # of a difference that is not of right and wrong items
    disagreement: float | None = None  # share of the pairs of which one is right and the other wrong
    why: str = ""
    trusted: bool = True  # False: the interval may miss the truth; `why` says the reason


def holm(values: Sequence[float | None], among: int = 0) -> list[float | None]:
    """Holm's adjusted p-values; None stays None and does not count.

    `among` is the number of comparisons where more could have been made, such as of all pairs of models when the best
    is picked by the same data.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = sorted((value, index) for index, value in enumerate(values) if value is not None)
    many = max(among, len(known))
    adjusted: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (value, index) in enumerate(known):
        least = max(least, min(1.0, value * (many - rank)))
        adjusted[index] = least
    return adjusted
