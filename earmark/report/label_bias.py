"""Answers that lean: one label is given far more often than it is right.

A model that gives label L to x of n items, of which a share q has L among its right answers, leans to L if both hold:

    P(X >= x) < 0.001 / m,   X binomial of n and q        chance does not explain it
    x / n > (1 + q) / 2                                   it is nearer to "always L" than to the right answers

m is the number of labels of all rows, so that less than one run in a thousand whose answers do not lean is told that
they do. With two labels, each right in half of the items, 11 equal answers of 11 are the fewest that are told of one
row, with four labels 7 of 7. Answers to repeats of an item are correlated: the first alone is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

from earmark.journal import Record, ScoreLine
from earmark.stats.quantiles import binomial_tail

ERROR_RATE: Final = 0.001  # of a whole run
SHOWN: Final = 3  # rows that a notice names


class LabelBias(Struct, frozen=True):
    """A label that is given too often by the answers to one task under one condition."""

    task: str
    condition: str
    label: str
    given: int  # answers with this label,
    answers: int  # of so many with any
    right: int  # answers to items for which the label is right
    p: float  # of so many or more if answers were as often this label as it is right


class LabelCounter:
    """Labels of answers and of right answers of a journal, by task and condition."""

    def __init__(self) -> None:
        self._given = defaultdict[tuple[str, str, str], Counter[str]](Counter)
        self._right = defaultdict[tuple[str, str, str], Counter[str]](Counter)

    def add(self, record: Record, line: ScoreLine) -> None:
        """Add the answer to an item with labels."""
        item = record.item
        if record.repeat or line.answer is None or len(item.labels) < 2 or line.answer not in item.labels:
            return
        key = (line.task, line.condition, line.scorer)
        self._given[key][line.answer] += 1
        right = self._right[key]
        for target in item.targets:
            right[target] += 1

    def extend(self, other: LabelCounter) -> None:
        """Add the answers of another part of the journal."""
        for own, more in ((self._given, other._given), (self._right, other._right)):
            for key, counts in more.items():
                own[key].update(counts)

    def to_rows(self, controls: Collection[str]) -> list[LabelBias]:
        """The rows that lean, one for each task and condition; under a control, where nothing is heard, any may."""
        keys = [key for key in self._given if key[1] not in controls]
        labels = sum(len({*self._given[key], *self._right[key]}) for key in keys)
        found: dict[tuple[str, str], LabelBias] = {}
        for key in keys:
            label, given = self._given[key].most_common(1)[0]
            answers, right = self._given[key].total(), self._right[key][label]
            p = binomial_tail(given, answers, right / answers)
            if p < ERROR_RATE / labels and 2 * given > answers + right:
                found.setdefault(key[:2], LabelBias(*key[:2], label, given, answers, right, p))
        return list(found.values())


def label_bias_notice(rows: Sequence[LabelBias]) -> Iterator[str]:
    """Notice of answers that lean, if any do.

    >>> row = LabelBias("pitch", "plain", "A", 1152, 1152, 576, 0.0)
    >>> print(*label_bias_notice([row]))
    answers lean: pitch plain A 1,152 of 1,152 (right 576); such a score is of the label, not of what was heard
    """
    if rows:
        named = [
            f"{row.task} {row.condition} {row.label} {row.given:,} of {row.answers:,} (right {row.right:,})"
            for row in rows[:SHOWN]
        ]
        more = [f"and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
        yield f"answers lean: {', '.join([*named, *more])}; such a score is of the label, not of what was heard"
