"""Dimensions of an audiogram: levels are values, and values levels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from audiogram_plans import plan

from earmark.audio.synth import synthesize
from earmark.audiogram.dimensions import DIMENSIONS, Dimension, find_dimension
from earmark.audiogram.trials import LABELS, trial_item
from earmark.stats.staircase import TrialRequest
from earmark.types import SynthSpec


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda one: one.name)
def test_levels_are_values_and_values_levels(dimension: Dimension) -> None:
    values = [dimension.value(level) for level in range(dimension.top + 1)]
    assert values == sorted(values)
    assert values[-1] == dimension.easiest
    assert values[0] == pytest.approx(dimension.hardest, rel=0.1)
    assert [dimension.level(value) for value in values] == pytest.approx(range(dimension.top + 1), abs=0.01)
    assert dimension.human is None or values[0] < dimension.human.threshold < values[-1]


def test_a_soft_tone_is_as_strong_as_it_says_and_both_noises_are_alike() -> None:
    tone = find_dimension("tone-1000")
    level = round(tone.level(-50.0))
    trial = trial_item(plan("tone-1000"), tone, (1, 1), TrialRequest("step", level))
    power = {
        label: 10 * math.log10(2 * np.mean(np.square(synthesize(clip).samples, dtype=np.float64)))
        for label, clip in zip(LABELS, trial.clips, strict=True)
        if isinstance(clip, SynthSpec)
    }
    with_tone = power.pop(trial.targets[0])
    assert with_tone == pytest.approx(tone.value(level), abs=0.3)
    assert next(iter(power.values())) == pytest.approx(-80.0, abs=0.5)
