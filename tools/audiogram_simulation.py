"""How right the thresholds of an audiogram are: listeners with known thresholds, by the hundred.

python tools/audiogram_simulation.py [LISTENERS [TRIALS]]      the tables of docs/audiogram.md; 400 of each kind take ten minutes
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
from earmark.stats.psychometric import Curve, Fit, counted, fit
from earmark.stats.staircase import Rule, track

EASIEST, TRACKS = 40, 4
WIDTHS, LAPSES, THRESHOLDS = (5, 10, 20, 30), (0.0, 0.03, 0.1), (10, 20, 30)
HEAD = ("width", "lapse", "threshold", "answers", "measured, %", "bias", "deviation", "interval", "held, %")
Hears: TypeAlias = Callable[[int], float]  # the chance of a right answer at a level


def guesses(_: int) -> float:
    """A coin."""
    return 0.5


def normal(threshold: float) -> Hears:
    """A listener with a normal error on the scale itself: no Weibull function, nor any other of the logarithm."""
    quartile = NormalDist().inv_cdf(0.75)
    return lambda level: NormalDist().cdf(quartile * 2 ** ((level - threshold) / PER_OCTAVE))


def weibull(curve: Curve) -> Hears:
    """A listener with the curve that is fitted."""
    return lambda level: float(curve.right(level))


def listened(hears: Hears, rule: Rule, dice: np.random.Generator) -> tuple[Fit, int]:
    """One dimension of one audiogram, and how many answers it took."""
    levels, right = [], []
    for _ in range(TRACKS):
        going = track(rule)
        asked = next(going)
        while True:
            outcome = bool(dice.random() < (0.5 if asked.kind == "same" else hears(asked.level)))
            if asked.kind != "same":
                levels.append(asked.level)
                right.append(outcome)
            try:
                asked = going.send(outcome)
            except StopIteration:
                break
    return fit(counted(levels, right), rule.easiest), len(levels)


def row(names: tuple[object, ...], threshold: float, found: list[tuple[Fit, int]]) -> str:
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
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else Rule(EASIEST).trials
    rule, dice = Rule(EASIEST, trials=trials), np.random.default_rng(0)

    def many(hears: Hears) -> list[tuple[Fit, int]]:
        return [listened(hears, rule, dice) for _ in range(listeners)]

    print(line(*HEAD), f"|{'-|' * len(HEAD)}", sep="\n")
    for width, lapse, threshold in product(WIDTHS, LAPSES, THRESHOLDS):
        print(row((width, lapse), threshold, many(weibull(Curve(threshold, width, lapse)))), flush=True)
    for threshold in THRESHOLDS:
        print(row(("normal", 0), threshold, many(normal(threshold))), flush=True)
    outside = {"a coin": guesses, "far above": weibull(Curve(70.0, 10.0)), "far below": weibull(Curve(-30.0, 10.0))}
    for name, hears in outside.items():
        found = many(hears)
        print(f"{name}: {dict(Counter(one.outcome for one, _ in found))}, {np.mean([n for _, n in found]):.0f} answers")


if __name__ == "__main__":
    main()
