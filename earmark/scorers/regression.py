"""Numbers as answers that may be near: squared error and correlation over the replies in which a number is found.

    mse      = mean over read replies of (number - truth)^2
    pearson  = their correlation
    spearman = that of their ranks, ties sharing the mean of theirs
    unread   = replies without a number / n

The number of a reply is the last in it, or the one after "answer is" or its like (`scorers/number.py`); no number is
put in for a reply that has none. Correlations of two replies or fewer, or of numbers that are all alike, are no
number. The ranks of a resampled set are those of that set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.scorers.number import last_number, number_value
from earmark.stats.ratio import divide, ratio
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, sign

PAIR: Final = "pair:"  # before a truth and a number, in the name of a count


def mean_squared_error(counts: Counts) -> Number:
    """Squared errors by read replies."""
    return divide(counts.get("squares", 0.0), counts.get("read", 0.0))


def _columns(counts: Counts) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Truths, numbers, and how often each pair was counted, of shape (pairs, resamples)."""
    names = [name for name in counts if name.startswith(PAIR)]
    values = np.array([[float(part) for part in name.removeprefix(PAIR).split("|")] for name in names]).reshape(-1, 2)
    weights = [np.atleast_1d(np.asarray(counts[name], float)) for name in names]
    many = max((len(weight) for weight in weights), default=1)
    table = np.array([np.broadcast_to(weight, many) for weight in weights]).reshape(len(names), many)
    return values[:, 0], values[:, 1], table


def _correlation(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Weighted correlation of each column; x and y of shape (pairs, 1) or (pairs, resamples)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weights.sum(axis=0)
        dx, dy = x - (weights * x).sum(axis=0) / total, y - (weights * y).sum(axis=0) / total
        spread = np.sqrt((weights * dx**2).sum(axis=0) * (weights * dy**2).sum(axis=0))
        found = (weights * dx * dy).sum(axis=0) / spread
    enough = (total > 2) & (spread > 1e-12)
    correlation: npt.NDArray[np.float64] = np.where(enough, np.clip(found, -1.0, 1.0), np.nan)
    return correlation


def _ranks(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean rank of each value within each column, values that are alike sharing one."""
    distinct, place = np.unique(values, return_inverse=True)
    sizes = np.zeros((len(distinct), weights.shape[1]))
    np.add.at(sizes, place, weights)
    ends = np.cumsum(sizes, axis=0)
    ranks: npt.NDArray[np.float64] = (ends - (sizes - 1) / 2)[place]
    return ranks


def _plain(values: npt.NDArray[np.float64], like: Counts) -> Number:
    """One number for one set of counts, an array for resampled ones."""
    return values if any(np.ndim(count) for count in like.values()) else float(values[0])


def pearson(counts: Counts) -> Number:
    """Correlation of numbers with truths."""
    truth, number, weights = _columns(counts)
    return _plain(_correlation(truth[:, None], number[:, None], weights), counts)


def spearman(counts: Counts) -> Number:
    """Correlation of ranks."""
    truth, number, weights = _columns(counts)
    return _plain(_correlation(_ranks(truth, weights), _ranks(number, weights), weights), counts)


METRICS: Final = {
    "mse": Metric(mean_squared_error, "lower", limits=(0.0, float("inf"))),
    "pearson": Metric(pearson, limits=(-1, 1)),
    "spearman": Metric(spearman, limits=(-1, 1)),
    "unread": ratio("unread", "n", "lower"),
}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the rule: it has none."""


class RegressionScorer(AnswerScorer, frozen=True):
    """Compares the number in a reply with the right one."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> RegressionScorer().signature.rules
        'regression|number:last.1'
        """
        return sign("regression", ("number", "last.1"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        answer = last_number(response.text)
        return Score(self.counts(item, answer), answer, "unparsed" if answer is None else "answered", "last")

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), self.counts(item, item.targets[0] if item.targets else None)

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`."""
        truth = truth_of(item)
        if answer is None:
            return {"squares": 0.0, "read": 0.0, "unread": 1.0, "n": 1.0}
        number = float(str(number_value(answer)))
        pair = {f"{PAIR}{truth!r}|{number!r}": 1.0}
        return {"squares": (number - truth) ** 2, "read": 1.0, "unread": 0.0, "n": 1.0} | pair


def truth_of(item: Item) -> float:
    """The right number of an item. Raises BadData where it has none."""
    text = item.targets[0] if item.targets else ""
    number = last_number(text)
    if number is None:
        raise BadData(f"item '{item.id}' has the target '{text}', expected a number")
    return float(str(number_value(number)))


load = RegressionScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=Item("1", "t", "?", targets=("42",)), right="42", wrong="40"),)
