"""Accuracy of the thresholds of an audiogram, on simulated listeners with known thresholds.

python tools/audiogram_simulation.py [LISTENERS [TRIALS]]      the tables of docs/audiogram.md; 400 take ten minutes
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
Listener: TypeAlias = Callable[[int, bool], float]  # probability of a right answer by level and whether A is right


def guesses(_: int, __: bool) -> float:
    """Answer at random."""
    return 0.5


def normal(threshold: float) -> Listener:
    """Make a listener with a normal error on the linear scale, unlike the fitted function of the logarithm."""
    quartile = NormalDist().inv_cdf(0.75)
    return lambda level, _: NormalDist().cdf(quartile * 2 ** ((level - threshold) / PER_OCTAVE))


def weibull(curve: Curve) -> Listener:
    """Make a listener with the fitted function."""
    return lambda level, _: float(curve.right(level))


def leans(curve: Curve, lean: float) -> Listener:
    """Make a listener with a normal error and a bias: it says A unless B seems to have more by this much."""

    def right(level: int, first: bool) -> float:
        heard = NormalDist().inv_cdf(min(float(Curve(curve.threshold, curve.width).right(level)), 1 - 1e-12))
        favour = lean if first else -lean
        return (1 - 2 * curve.lapse) * NormalDist().cdf(heard + favour) + 2 * curve.lapse * NormalDist().cdf(favour)

    return right


def says_first(lean: float) -> float:
    """Probability that a listener with a bias says A of two equal sounds."""
    return NormalDist().cdf(lean)


def simulate_audiogram(
    listener: Listener, config: StaircaseConfig, rng: np.random.Generator, lean: float = 0.0
) -> tuple[PsychometricFit, int]:
    """Simulate one dimension of one audiogram; returns the fit and the number of answers."""
    levels, right, firsts, same = [], [], [], []
    sides = rng.spawn(1)[0]
    for _ in range(TRACKS):
        going = run_track(config)
        trial = next(going)
        while True:
            first = bool(sides.random() < 0.5)
            outcome = bool(rng.random() < (says_first(lean) if trial.kind == "same" else listener(trial.level, first)))
            if trial.kind == "same":
                same.append(outcome)
            else:
                levels.append(trial.level)
                right.append(outcome)
                firsts.append(first)
            try:
                trial = going.send(outcome)
            except StopIteration:
                break
    return fit_psychometric(count_by_level(levels, right, firsts, (len(same), sum(same))), config.easiest), len(levels)


def row(names: tuple[object, ...], threshold: float, results: list[tuple[PsychometricFit, int]]) -> str:
    """Format the results of listeners of one kind, in levels."""
    fits = [fit for fit, _ in results]
    errors = [fit.curve.threshold - threshold for fit in fits if fit.curve and fit.outcome == "measured"]
    lows = [-math.inf if fit.low is None else fit.low for fit in fits]
    highs = [math.inf if fit.high is None else fit.high for fit in fits]
    held = np.mean([low <= threshold <= high for low, high in zip(lows, highs, strict=True)])
    widths = [high - low for low, high in zip(lows, highs, strict=True) if math.isfinite(high - low)]
    figures = (f"{100 * len(errors) / len(results):.0f}", f"{np.mean(errors):+.2f}", f"{np.std(errors):.2f}")
    answers = f"{np.mean([n for _, n in results]):.0f}"
    return line(*names, f"{threshold:g}", answers, *figures, f"{np.mean(widths):.1f}", f"{100 * held:.1f}")


def line(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the tables."""
    listeners = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else StaircaseConfig(EASIEST).trials
    config, rng = StaircaseConfig(EASIEST, trials=trials), np.random.default_rng(0)

    def many(listener: Listener, lean: float = 0.0) -> list[tuple[PsychometricFit, int]]:
        return [simulate_audiogram(listener, config, rng, lean) for _ in range(listeners)]

    print(line(*HEAD), f"|{'-|' * len(HEAD)}", sep="\n")
    for width, lapse, threshold in product(WIDTHS, LAPSES, THRESHOLDS):
        print(row((width, lapse), threshold, many(weibull(Curve(threshold, width, lapse)))), flush=True)
    for threshold in THRESHOLDS:
        print(row(("normal", 0), threshold, many(normal(threshold))), flush=True)
    for lean, width, threshold in product(LEANS, (10, 20), THRESHOLDS):
        results = many(leans(Curve(threshold, width, 0.03), lean), lean)
        print(row((width, f"0.03, lean {lean:g}"), threshold, results), flush=True)
    outside = {"a coin": guesses, "far above": weibull(Curve(70.0, 10.0)), "far below": weibull(Curve(-30.0, 10.0))}
    for name, listener in outside.items():
        results = many(listener)
        print(
            f"{name}: {dict(Counter(fit.outcome for fit, _ in results))}, {np.mean([n for _, n in results]):.0f} answers"
        )


if __name__ == "__main__":
    main()
