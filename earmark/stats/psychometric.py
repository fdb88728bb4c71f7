"""A psychometric function, and the threshold that answers tell.

Of two alternatives one is right, so that a listener who hears nothing is right in half of the trials. At the level x,
counted so that more is easier, one is right with the chance

    psi(x) = 1/2 + (1/2 - lapse) F(x),     F(x) = 1 - 2^(-exp(k (x - threshold)))

F is Weibull's function over levels that are logarithms (Gumbel's): from 0 to 1, one half at the threshold. So at the threshold
a listener who never lapses is right in 75 % of the trials, whatever the lapses. `width` is the distance in levels between
F = 0.05 and F = 0.95, and k = 4.067 / width.

The curve is fitted by likelihood with weak priors on what is not asked for: the width has its logarithm anywhere between 2
and 80 levels, and a lapse of L a density that falls as exp(-L / 0.08), up to 0.25. The threshold is free from a third of the
range below the hardest level to as much above the easiest. The threshold told is that of the best curve. Its interval holds
the middle 95 % of the posterior of the threshold, with width and lapse summed over. All is computed on a grid, so there is no
start to choose and no minimum to be caught in. That, and not the profile of the likelihood, because it holds the truth as
often as it says (docs/audiogram.md): for a hundred trials the profile holds it 88 times of 100.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.stats.bags import Floats
from earmark.stats.jackknife import wilson
from earmark.stats.quantiles import LEVEL

Outcome: TypeAlias = Literal["measured", "not reached", "below the range", "too few answers"]

GUESS: Final = 0.5
SPAN: Final = math.log(math.log(20) / math.log(20 / 19))  # k times the width
WIDTHS: Final = tuple(float(width) for width in np.geomspace(2, 80, 15))
LAPSES: Final = (0.0, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25)
USUAL_LAPSE: Final = 0.08  # the mean of the prior, were it not cut off
BEYOND: Final = 1 / 3  # of the range, on either side, where a threshold is looked for too
FINE: Final = 0.5  # levels, between two thresholds that are tried
FEWEST: Final = 20  # answers without which nothing is told
SURE: Final = 0.5  # of the posterior, that must lie within the range for a threshold to be told


class Curve(Struct, frozen=True):
    """A psychometric function of levels."""

    threshold: float
    width: float
    lapse: float = 0.0

    def right(self, levels: npt.ArrayLike) -> Floats:
        """The chance of a right answer at levels of any shape.

        >>> Curve(20.0, 10.0).right([0.0, 20.0, 40.0]).round(3).tolist()
        [0.5, 0.75, 1.0]
        """
        return _right(np.asarray(levels, np.float64), self.threshold, self.width, self.lapse)


class Fit(Struct, frozen=True):
    """What answers tell of a threshold, in levels. A bound of None lies beyond what was tried."""

    outcome: Outcome
    curve: Curve | None = None
    low: float | None = None  # bounds of the threshold: the low one is the better hearing
    high: float | None = None


class Answers(Struct, frozen=True):
    """How many answers there were at each level, and how many were right."""

    levels: tuple[int, ...]
    asked: tuple[int, ...]
    right: tuple[int, ...]


def fit(answers: Answers, easiest: int) -> Fit:
    """The threshold that answers tell; `easiest` is the number of the easiest level, 0 the hardest.

    >>> fit(Answers((5, 15, 35), (40, 40, 40), (20, 30, 40)), 40).outcome
    'measured'
    >>> fit(Answers((40,), (60,), (31,)), 40).outcome
    'not reached'
    """
    if sum(answers.asked) < FEWEST:
        return Fit("too few answers")
    thresholds = _thresholds(easiest)
    posterior = _posterior(answers, thresholds)
    best = _best(posterior, thresholds)
    marginal = np.exp(posterior - posterior.max()).sum(axis=(1, 2))
    outcome = _outcome(best.threshold, marginal, thresholds, easiest)
    low, high = _middle(marginal, thresholds)
    if outcome == "measured" and high > easiest and _at_chance(answers, easiest):
        outcome = "not reached"
    return Fit(outcome, best, low if low >= 0 else None, high if high <= easiest else None)


def _right(levels: Floats, threshold: Floats | float, width: Floats | float, lapse: Floats | float) -> Floats:
    power = np.exp(np.minimum(SPAN / width * (levels - threshold), 50.0))
    return np.asarray(GUESS - (1 - GUESS - lapse) * np.expm1(-math.log(2) * power))


@functools.lru_cache(maxsize=32)
def _thresholds(easiest: int) -> Floats:
    beyond = round(easiest * BEYOND)
    return np.arange(-beyond, easiest + beyond + FINE / 2, FINE)


@functools.lru_cache(maxsize=1)
def _priors() -> Floats:
    """The logarithm of the prior, by lapse: its density times the stretch that a value of the grid stands for."""
    lapses = np.array(LAPSES)
    return np.asarray(np.log(np.gradient(lapses)) - lapses / USUAL_LAPSE)


def _posterior(answers: Answers, thresholds: Floats) -> Floats:
    """The logarithm of likelihood times priors, shape (thresholds, widths, lapses)."""
    levels, asked, right = (np.array(each, np.float64) for each in (answers.levels, answers.asked, answers.right))
    grid = thresholds[:, None, None, None], np.array(WIDTHS)[:, None, None], np.array(LAPSES)[:, None]
    chance = np.clip(_right(levels, *grid), 1e-9, 1 - 1e-9)
    likelihood = np.log(chance) @ right + np.log1p(-chance) @ (asked - right)
    return np.asarray(likelihood + _priors())


def _best(posterior: Floats, thresholds: Floats) -> Curve:
    """The likeliest curve; its threshold lies between those of the grid where a parabola through the best three has its top."""
    at, width, lapse = np.unravel_index(int(posterior.argmax()), posterior.shape)
    threshold = float(thresholds[at])
    profile = posterior.max(axis=(1, 2))
    if 0 < at < profile.size - 1:
        before, top, after = (float(value) for value in profile[at - 1 : at + 2])
        bend = before - 2 * top + after
        threshold += FINE * 0.5 * (before - after) / bend if bend < 0 else 0.0
    return Curve(threshold, WIDTHS[width], LAPSES[lapse])


def _outcome(threshold: float, marginal: Floats, thresholds: Floats, easiest: int) -> Outcome:
    """Where the threshold lies: the best curve and at least half of the posterior must have it within the range."""
    within = (thresholds >= 0) & (thresholds <= easiest)
    share = float(marginal[within].sum() / marginal.sum())
    if 0 <= threshold <= easiest and share >= SURE:
        return "measured"
    above = float(marginal[thresholds > easiest].sum())
    below = float(marginal[thresholds < 0].sum())
    return "not reached" if above >= below else "below the range"


def _at_chance(answers: Answers, easiest: int) -> bool:
    """Whether what was right at the easiest level is no more than a coin gets, at 95 %: then no level is known to be heard."""
    counts = zip(answers.levels, answers.asked, answers.right, strict=True)
    asked, right = next(((asked, right) for level, asked, right in counts if level == easiest), (0, 0))
    return not asked or wilson(right, asked)[0] <= GUESS


def _middle(marginal: Floats, thresholds: Floats) -> tuple[float, float]:
    """The bounds of the middle of a distribution on a grid."""
    steps = (marginal[1:] + marginal[:-1]) / 2
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    low, high = np.interp([(1 - LEVEL) / 2, (1 + LEVEL) / 2], sums / sums[-1], thresholds)
    return float(low), float(high)


def counted(levels: Sequence[int], right: Sequence[bool]) -> Answers:
    """Answers one by one as counts by level, the hardest first.

    >>> counted([3, 1, 3], [True, False, False])
    Answers(levels=(1, 3), asked=(1, 2), right=(0, 1))
    """
    found, of = np.unique(np.asarray(levels, np.intp), return_inverse=True)
    asked = np.bincount(of, minlength=found.size)
    hits = np.bincount(of, np.asarray(right, np.float64), minlength=found.size)
    return Answers(tuple(map(int, found)), tuple(map(int, asked)), tuple(map(int, hits)))
