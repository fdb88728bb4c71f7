"""How right the thresholds of an audiogram are: listeners with known thresholds, by the thousand.

python tools/audiogram_simulation.py [LISTENERS]      the tables of docs/audiogram.md; 400 of each kind take about ten minutes
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product

import numpy as np

from earmark.stats.psychometric import Curve, Fit, counted, fit
from earmark.stats.staircase import Rule, track

EASIEST, TRACKS = 40, 4
WIDTHS, LAPSES, THRESHOLDS = (5, 10, 20, 30), (0.0, 0.03, 0.1), (10, 20, 30)


def listened(curve: Curve | None, rule: Rule, dice: np.random.Generator) -> tuple[Fit, int]:
    """One dimension of one audiogram, and how many answers it took; no curve answers as a coin falls."""
    levels, right = [], []
    for _ in range(TRACKS):
        going = track(rule)
        asked = next(going)
        while True:
            chance = 0.5 if curve is None or asked.kind == "same" else float(curve.right(asked.level))
            outcome = bool(dice.random() < chance)
            if asked.kind != "same":
                levels.append(asked.level)
                right.append(outcome)
            try:
                asked = going.send(outcome)
            except StopIteration:
                break
    return fit(counted(levels, right), rule.easiest), len(levels)


def row(curve: Curve, rule: Rule, listeners: int, dice: np.random.Generator) -> str:
    """What became of listeners of one kind."""
    found = [listened(curve, rule, dice) for _ in range(listeners)]
    fits = [one for one, _ in found]
    errors = [one.curve.threshold - curve.threshold for one in fits if one.curve and one.outcome == "measured"]
    lows, highs = (
        [-1e9 if one.low is None else one.low for one in fits],
        [1e9 if one.high is None else one.high for one in fits],
    )
    held = np.mean([low <= curve.threshold <= high for low, high in zip(lows, highs, strict=True)])
    closed = [high - low for low, high in zip(lows, highs, strict=True) if high - low < 1e8]
    told = len(errors) / listeners
    return (
        f"| {curve.width:g} | {curve.lapse:g} | {curve.threshold:g} | {np.mean([n for _, n in found]):.0f} | {100 * told:.0f} | "
        f"{np.mean(errors):+.2f} | {100 * np.mean(errors) / curve.width:+.1f} | {np.std(errors):.2f} | {np.mean(closed):.1f} | {100 * held:.1f} |"
    )


def main() -> None:
    """Print the tables."""
    listeners = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else Rule(EASIEST).trials
    rule, dice = Rule(EASIEST, trials=trials), np.random.default_rng(0)
    print(
        "| width | lapse | threshold | answers | measured, % | bias | of the width, % | deviation | interval | held, % |\n"
        + "|-" * 10
        + "|"
    )
    for width, lapse, threshold in product(WIDTHS, LAPSES, THRESHOLDS):
        print(row(Curve(threshold, width, lapse), rule, listeners, dice), flush=True)
    for name, curve in {"a coin": None, "far above": Curve(-30.0, 10.0), "far below": Curve(70.0, 10.0)}.items():
        found = [listened(curve, rule, dice) for _ in range(listeners)]
        print(f"{name}: {dict(Counter(one.outcome for one, _ in found))}, {np.mean([n for _, n in found]):.0f} answers")


if __name__ == "__main__":
    main()
