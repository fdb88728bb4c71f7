"""A psychometric function, and its threshold fitted to answers.

Of two alternatives one is right, so that a listener who hears nothing is right in half of the trials. At the level x,
counted so that more is easier, the probability of a right answer is

    psi(x) = 1/2 + (1/2 - lapse) F(x),     F(x) = 1 - 2^(-exp(k (x - threshold)))

F is Weibull's function of levels that are logarithms (Gumbel's): from 0 to 1, one half at the threshold. So at the
threshold a listener who never lapses is right in 75 % of the trials. `width` is the distance in levels between F = 0.05
and F = 0.95, and k = 4.067 / width.

A listener may be biased (lean) towards the first answer or the second. Without lapses the odds of a right answer are
those of psi, times e^lean where the first is right, divided by it where the second is; in a lapse the odds of saying
the first are e^lean. A bias lowers the share of right answers near the threshold, and a curve without it would put the
threshold too high. The threshold is that of the listener without its bias.

The fit is by likelihood with weak priors: lean normal around 0 with a standard deviation of 1, the logarithm of the
width uniform between 2 and 80 levels, a lapse of L with a density that falls as exp(-L / 0.08), up to 0.25. The
threshold is free from a third of the range below the hardest level to as much above the easiest. The threshold is that
of the best curve; its interval is the middle 95 % of its marginal posterior. All is computed on a grid, so there is no
start to choose and no local minimum. The profile of the likelihood would cover the truth 88 times of 100 for a hundred
trials, this interval as often as it says (docs/audiogram.md).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from earmark.stats.count_table import Floats
from earmark.stats.jackknife import wilson
from earmark.stats.quantiles import LEVEL

Outcome: TypeAlias = Literal["measured", "not reached", "below the range", "too few answers"]

GUESS: Final = 0.5
SPAN: Final = math.log(math.log(20) / math.log(20 / 19))  # k times the width
WIDTHS: Final = tuple(float(width) for width in np.geomspace(2, 80, 15))
LAPSES: Final = (0.0, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25)
DEFAULT_LAPSE: Final = 0.08  # the mean of the prior, were it not cut off
LEANS: Final = tuple(round(0.4 * step, 1) for step in range(-6, 7))  # logarithms of odds
MAX_LOG_DROP: Final = 8.0  # leans whose log-likelihood is further below the best are left out
BEYOND: Final = 1 / 3  # of the range, on either side, where a threshold is searched too
GRID_STEP: Final = 0.5  # levels, between two thresholds that are tried
MIN_ANSWERS: Final = 20  # with fewer no threshold is reported
MIN_POSTERIOR: Final = 0.5  # of the posterior, that must lie within the range for a threshold to be reported


class Curve(Struct, frozen=True):
    """A psychometric function of levels."""

    threshold: float
    width: float
    lapse: float = 0.0
    lean: float = 0.0  # to the first answer, the logarithm of odds

    def right(self, levels: npt.ArrayLike) -> Floats:
        """Probability of a right answer at levels of any shape, where either answer is right as often.

        >>> Curve(20.0, 10.0).right([0.0, 20.0, 40.0]).round(3).tolist()
        [0.5, 0.75, 1.0]
        >>> Curve(20.0, 10.0, lean=1.0).right([0.0, 20.0, 40.0]).round(3).tolist()
        [0.5, 0.708, 1.0]
        """
        heard = _weibull(np.asarray(levels, np.float64), self.threshold, self.width)
        return np.asarray(
            (_chance_right(heard, self.lapse, self.lean) + _chance_right(heard, self.lapse, -self.lean)) / 2
        )


class PsychometricFit(Struct, frozen=True):
    """Fitted threshold, in levels. A bound of None lies beyond the levels tried."""

    outcome: Outcome
    curve: Curve | None = None
    low: float | None = None  # bounds of the threshold: the low one is the better hearing
    high: float | None = None


class TrialCounts(Struct, frozen=True):
    """Numbers of answers and of right answers at each level, and the same of the trials whose first sound was right.

    Without the latter no lean is fitted. `same`: trials of sounds that do not differ, and answers "the first" to them.
    """

    levels: tuple[int, ...]
    asked: tuple[int, ...]
    right: tuple[int, ...]
    first_asked: tuple[int, ...] = ()
    first_right: tuple[int, ...] = ()
    same: tuple[int, int] = (0, 0)


def fit_psychometric(answers: TrialCounts, easiest: int) -> PsychometricFit:
    """Fit the threshold to answers; `easiest` is the number of the easiest level, 0 the hardest.

    >>> fit_psychometric(TrialCounts((5, 15, 35), (40, 40, 40), (20, 30, 40)), 40).outcome
    'measured'
    >>> fit_psychometric(TrialCounts((40,), (60,), (31,)), 40).outcome
    'not reached'
    """
    if sum(answers.asked) < MIN_ANSWERS:
        return PsychometricFit("too few answers")
    thresholds = _thresholds(easiest)
    leans = _leans(answers, thresholds)
    posterior = np.stack([_posterior(answers, thresholds, np.array(WIDTHS), LAPSES, lean) for lean in leans])
    best = _best(posterior, thresholds, leans)
    marginal = np.exp(posterior - posterior.max()).sum(axis=(0, 2, 3))
    outcome = _outcome(best.threshold, marginal, thresholds, easiest)
    low, high = _credible_interval(marginal, thresholds)
    if outcome == "measured" and high > easiest and _at_chance(answers, easiest):
        outcome = "not reached"
    return PsychometricFit(outcome, best, low if low >= 0 else None, high if high <= easiest else None)


def _weibull(levels: Floats, threshold: Floats | float, width: Floats | float) -> Floats:
    """F of the module's formula."""
    power = np.exp(np.minimum(SPAN / width * (levels - threshold), 50.0))
    return np.asarray(-np.expm1(-math.log(2) * power))


def _chance_right(heard: Floats, lapse: Floats | float, lean: float) -> Floats:
    """Probability of a right answer where the right answer is the one that a listener leans to."""
    favour = GUESS * (1 + heard) * math.exp(lean)
    attentive = favour / (favour + GUESS * (1 - heard))
    return np.asarray((1 - 2 * lapse) * attentive + 2 * lapse / (1 + math.exp(-lean)))


@functools.lru_cache(maxsize=32)
def _thresholds(easiest: int) -> Floats:
    beyond = round(easiest * BEYOND)
    return np.arange(-beyond, easiest + beyond + GRID_STEP / 2, GRID_STEP)


def _leans(answers: TrialCounts, thresholds: Floats) -> tuple[float, ...]:
    """Leans with a relevant likelihood, by a coarse grid."""
    if not answers.first_asked:
        return (0.0,)
    widths = np.array(WIDTHS[::4])
    tops = [float(_posterior(answers, thresholds[::4], widths, LAPSES[::3], lean).max()) for lean in LEANS]
    return tuple(lean for lean, top in zip(LEANS, tops, strict=True) if top > max(tops) - MAX_LOG_DROP)


def _posterior(
    answers: TrialCounts, thresholds: Floats, widths: Floats, lapses: tuple[float, ...], lean: float
) -> Floats:
    """Logarithm of likelihood times priors at one lean, shape (thresholds, widths, lapses)."""
    levels, asked, right = (np.array(each, np.float64) for each in (answers.levels, answers.asked, answers.right))
    first = (
        np.array((answers.first_asked, answers.first_right), np.float64)
        if answers.first_asked
        else np.zeros((2, levels.size))
    )
    heard = _weibull(levels, thresholds[:, None, None, None], widths[:, None, None])
    lapse = np.array(lapses)
    log_posterior = np.log(np.gradient(lapse)) - lapse / DEFAULT_LAPSE - lean * lean / 2
    for n, hits, favour in ((*first, lean), (asked - first[0], right - first[1], -lean)):
        if n.any():
            chance = np.clip(_chance_right(heard, lapse[:, None], favour), 1e-9, 1 - 1e-9)
            log_posterior = log_posterior + np.log(chance) @ hits + np.log1p(-chance) @ (n - hits)
    same, said_first = answers.same
    return np.asarray(
        log_posterior - said_first * math.log1p(math.exp(-lean)) - (same - said_first) * math.log1p(math.exp(lean))
    )


def _best(posterior: Floats, thresholds: Floats, leans: tuple[float, ...]) -> Curve:
    """Likeliest curve; its threshold is the maximum of a parabola through the best three of the grid."""
    lean, index, width, lapse = np.unravel_index(int(posterior.argmax()), posterior.shape)
    threshold = float(thresholds[index])
    profile = posterior.max(axis=(0, 2, 3))
    if 0 < index < profile.size - 1:
        before, top, after = (float(value) for value in profile[index - 1 : index + 2])
        bend = before - 2 * top + after
        threshold += GRID_STEP * 0.5 * (before - after) / bend if bend < 0 else 0.0
    return Curve(threshold, WIDTHS[width], LAPSES[lapse], leans[lean])


def _outcome(threshold: float, marginal: Floats, thresholds: Floats, easiest: int) -> Outcome:
    """Outcome of a fit: the best curve and at least half of the posterior must have the threshold within the range."""
    within = (thresholds >= 0) & (thresholds <= easiest)
    share = float(marginal[within].sum() / marginal.sum())
    if 0 <= threshold <= easiest and share >= MIN_POSTERIOR:
        return "measured"
    above = float(marginal[thresholds > easiest].sum())
    below = float(marginal[thresholds < 0].sum())
    return "not reached" if above >= below else "below the range"


def _at_chance(answers: TrialCounts, easiest: int) -> bool:
    """True if the answers at the easiest level are not above chance at 95 %: then no level is known to be heard."""
    counts = zip(answers.levels, answers.asked, answers.right, strict=True)
    asked, right = next(((asked, right) for level, asked, right in counts if level == easiest), (0, 0))
    return not asked or wilson(right, asked)[0] <= GUESS


def _credible_interval(marginal: Floats, thresholds: Floats) -> tuple[float, float]:
    """Bounds of the middle 95 % of a distribution on a grid."""
    steps = (marginal[1:] + marginal[:-1]) / 2
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    low, high = np.interp([(1 - LEVEL) / 2, (1 + LEVEL) / 2], sums / sums[-1], thresholds)
    return float(low), float(high)


def count_by_level(
    levels: Sequence[int],
    right: Sequence[bool],
    first: Sequence[bool] | None = None,
    same: tuple[int, int] = (0, 0),
) -> TrialCounts:
    """Count answers by level, the hardest first; `first`: whether the first sound was right.

    >>> count_by_level([3, 1, 3], [True, False, False])
    TrialCounts(levels=(1, 3), asked=(1, 2), right=(0, 1), first_asked=(), first_right=(), same=(0, 0))
    """
    unique_levels, of = np.unique(np.asarray(levels, np.intp), return_inverse=True)

    def total(weights: npt.NDArray[np.float64]) -> tuple[int, ...]:
        return tuple(map(int, np.bincount(of, weights, minlength=unique_levels.size)))

    hits, ones = np.asarray(right, np.float64), np.ones(len(levels))
    known = np.zeros(0) if first is None else np.asarray(first, np.float64)
    sides = (total(known), total(known * hits)) if first is not None else ((), ())
    return TrialCounts(tuple(map(int, unique_levels)), total(ones), total(hits), *sides, same)
