"""Each condition does what its page says, measured on what comes out."""

from __future__ import annotations

import numpy as np
import pytest
from condition_sounds import RATE, make_condition, through
from sounds import decibels, sine

from earmark.audio import read
from earmark.types import Benchmark

LOUD = ("noise:-10", "noise:pink@-10", "noise:babble@-10", "telephone", "codec:mp3@32k", "speed:1.25", "reverb:0.5")


@pytest.mark.parametrize("text", LOUD)
def test_all_sounds_of_a_prompt_are_turned_down_by_one_factor(text: str, talkers: Benchmark) -> None:
    name, _, argument = text.partition(":")
    condition = make_condition(name, argument, 3, talkers)
    square = np.sign(sine(frequency=333.0)) * np.linspace(0.5, 1.0, 16000)
    item = next(iter(talkers.items()))
    sounds = [read.from_array(square * level, RATE) for level in (1.0, 0.5, 0.25)]
    changed = through(condition, *sounds, item=item)
    notes = {note for sound in changed for note in sound.notes if note.startswith("turned down by ")}
    assert len(notes) == 1
    assert all(notes < set(sound.notes) for sound in changed)
    levels = [decibels(float(np.mean(sound.samples.astype(np.float64) ** 2))) for sound in changed]
    assert np.diff(levels) == pytest.approx(decibels(0.25), abs=0.5)
