"""Plans of audiograms for tests, and listeners with known thresholds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from earmark.audiogram.dimensions import DEFAULT_DIMENSIONS, Dimension, find_dimension
from earmark.audiogram.results import ReplayedTrack, ThresholdResult, threshold_result
from earmark.audiogram.trials import LABELS, Plan, Settings, Trial, make_plan, track_trials
from earmark.journal import Record
from earmark.stats.psychometric import Curve
from earmark.stats.staircase import Ending
from earmark.types import Response


def plan(*dimensions: str, **settings: int) -> Plan:
    return make_plan(Settings(dimensions or DEFAULT_DIMENSIONS, **settings), 0)


def played(one: Plan, dimension: Dimension, answer: Callable[[Trial], Record]) -> list[ReplayedTrack]:
    """All tracks of a dimension as somebody answers them; nothing is made to sound."""
    found = []
    for number in range(1, one.tracks + 1):
        going, done = track_trials(one, dimension, number), []
        trial = next(going)
        ending: Ending | None = None
        while ending is None:
            done.append((trial, answer(trial)))
            try:
                trial = going.send(done[-1][1])
            except StopIteration as over:
                ending = over.value
        found.append(ReplayedTrack(done, ending))
    return found


def says(text: Callable[[Trial], str]) -> Callable[[Trial], Record]:
    return lambda trial: Record(trial.item, response=Response(text(trial)))


def found_in(name: str, answer: Callable[[Trial], Record]) -> ThresholdResult:
    return threshold_result(find_dimension(name), played(plan(name), find_dimension(name), answer))


def hears(curve: Curve, seed: int = 0) -> Callable[[Trial], Record]:
    """A listener with a threshold, who says the letter that goes with being right or wrong."""
    dice = Random(seed)

    def text(trial: Trial) -> str:
        chance = 0.5 if trial.request.kind == "same" else float(curve.right(trial.request.level))
        right = trial.item.targets[0] if trial.item.targets else "A"
        return right if dice.random() < chance else next(label for label in LABELS if label != right)

    return says(text)


DEAF = {
    "always A": says(lambda _: "A"),
    "always B": says(lambda _: "B"),
    "in turn": says(lambda trial: "AB"[int(trial.item.id[-3:]) % 2]),
    "a coin": hears(Curve(1e6, 1.0)),
}
