"""How right the thresholds of an audiogram are: listeners with known thresholds, by the hundred.

python tools/audiogram_simulation.py [LISTENERS [TRIALS]]      the tables of docs/audiogram.md; 400 of each kind take
ten minutes
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from earmark.audiogram.dimensions import PER_OCTAVE
from earmark.stats.psychometric import Curve, PsychometricFit, count_by_level, fit_psychometric
from earmark.stats.staircase import StaircaseConfig, run_track

EASIEST, TRACKS = 40, 4
WIDTHS, LAPSES, THRESHOLDS = (5, 10, 20, 30), (0.0, 0.03, 0.1), (10, 20, 30)
HEAD = ("width", "lapse", "threshold", "answers", "measured, %", "bias", "deviation", "interval", "held, %")
LEANS = (0.3, 0.6, 1.0)  # of the spread of a listener's error
Hears: TypeAlias = Callable[
    [int, bool], float
]  # the chance of a right answer at a level, where the first is right or is not


def guesses(_: int, __: bool) -> float:
    """A coin."""
    return 0.5


def normal(threshold: float) -> Hears:
    """A listener with a normal error on the scale itself: no Weibull function, nor any other of the logarithm."""
    quartile = NormalDist().inv_cdf(0.75)
    return lambda level, _: NormalDist().cdf(quartile * 2 ** ((level - threshold) / PER_OCTAVE))


def weibull(curve: Curve) -> Hears:
    """A listener with the curve that is fitted."""
    return lambda level, _: float(curve.right(level))


def leans(curve: Curve, lean: float) -> Hears:
    """A listener with a normal error who says the first unless the second seems to have more by so much, as in its
    lapses.
    """

    def right(level: int, first: bool) -> float:
        heard = NormalDist().inv_cdf(min(float(Curve(curve.threshold, curve.width).right(level)), 1 - 1e-12))
        favour = lean if first else -lean
        return (1 - 2 * curve.lapse) * NormalDist().cdf(heard + favour) + 2 * curve.lapse * NormalDist().cdf(favour)

    return right


def says_first(lean: float) -> float:
    """How often a listener with a lean says the first of two sounds that do not differ."""
    return NormalDist().cdf(lean)


def listened(
    hears: Hears, rule: StaircaseConfig, dice: np.random.Generator, lean: float = 0.0
) -> tuple[PsychometricFit, int]:
    """One dimension of one audiogram, and how many answers it took."""
    levels, right, firsts, same = [], [], [], []
    sides = dice.spawn(1)[0]
    for _ in range(TRACKS):
        going = run_track(rule)
        asked = next(going)
        while True:
            first = bool(sides.random() < 0.5)
            outcome = bool(dice.random() < (says_first(lean) if asked.kind == "same" else hears(asked.level, first)))
            if asked.kind == "same":
                same.append(outcome)
            else:
                levels.append(asked.level)
                right.append(outcome)
                firsts.append(first)
            try:
                asked = going.send(outcome)
            except StopIteration:
                break
    return fit_psychometric(count_by_level(levels, right, firsts, (len(same), sum(same))), rule.easiest), len(levels)


def row(names: tuple[object, ...], threshold: float, found: list[tuple[PsychometricFit, int]]) -> str:
    """What became of listeners of one kind: all in levels."""
    fits = [one for one, _ in found]
    errors = [one.curve.threshold - threshold for one in fits if one.curve and one.outcome == "measured"]
    lows = [-math.inf if one.low is None else one.low for one in fits]
    highs = [math.inf if one.high is None else one.high for one in fits]
    held = np.mean([low <= threshold <= high for low, high in zip(lows, highs, strict=True)])
    widths = [high - low for low, high in zip(lows, highs, strict=True) if math.isfinite(high - low)]
    told = (f"{100 * len(errors) / len(found):.0f}", f"{np.mean(errors):+.2f}", f"{np.std(errors):.2f}")
    answers = f"{np.mean([n for _, n in found]):.0f}"
    return line(*names, f"{threshold:g}", answers, *told, f"{np.mean(widths):.1f}", f"{100 * held:.1f}")


def line(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the tables."""
    listeners = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else StaircaseConfig(EASIEST).trials
    rule, dice = StaircaseConfig(EASIEST, trials=trials), np.random.default_rng(0)

    def many(hears: Hears, lean: float = 0.0) -> list[tuple[PsychometricFit, int]]:
        return [listened(hears, rule, dice, lean) for _ in range(listeners)]

    print(line(*HEAD), f"|{'-|' * len(HEAD)}", sep="\n")
    for width, lapse, threshold in product(WIDTHS, LAPSES, THRESHOLDS):
        print(row((width, lapse), threshold, many(weibull(Curve(threshold, width, lapse)))), flush=True)
    for threshold in THRESHOLDS:
        print(row(("normal", 0), threshold, many(normal(threshold))), flush=True)
    for lean, width, threshold in product(LEANS, (10, 20), THRESHOLDS):
        found = many(leans(Curve(threshold, width, 0.03), lean), lean)
        print(row((width, f"0.03, lean {lean:g}"), threshold, found), flush=True)
    outside = {"a coin": guesses, "far above": weibull(Curve(70.0, 10.0)), "far below": weibull(Curve(-30.0, 10.0))}
    for name, hears in outside.items():
        found = many(hears)
        print(f"{name}: {dict(Counter(one.outcome for one, _ in found))}, {np.mean([n for _, n in found]):.0f} answers")


if __name__ == "__main__":
    main()
