"""Trials of an audiogram: what is asked, what signs a plan, and how an answer is read."""

from __future__ import annotations

import pytest
from audiogram_plans import plan

from earmark.audio.synth import synthesize
from earmark.audiogram.dimensions import DIMENSIONS, TONES, Dimension, find_dimension
from earmark.audiogram.trials import (
    LABELS,
    Settings,
    as_benchmark,
    make_plan,
    parse_reply,
    plan_of,
    track_trials,
    trial_item,
    trial_prompt,
)
from earmark.errors import RunMismatch, UsageError
from earmark.journal import Record
from earmark.stats.staircase import TrialRequest
from earmark.types import Failure, Response, SynthSpec, Waveform, replace

LEVELS = (0, 0.5, 1)  # of the range


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda one: one.name)
def test_every_level_can_be_made_to_sound(dimension: Dimension) -> None:
    for share in LEVELS:
        for kind in ("step", "same"):
            trial = trial_item(
                plan(dimension.name), dimension, (1, 1), TrialRequest(kind, round(share * dimension.top))
            )
            first, second = (synthesize(clip) for clip in trial.clips if isinstance(clip, SynthSpec))
            assert first.seconds > 0.1
            assert second.seconds > 0.1
            assert bool(trial.targets) == (kind == "step")


def test_a_trial_depends_on_its_place_and_level_alone() -> None:
    pitch = find_dimension("pitch")
    one = trial_item(plan("pitch"), pitch, (2, 7), TrialRequest("step", 20))
    assert one == trial_item(plan("pitch", "gap", tracks=9, trials=50), pitch, (2, 7), TrialRequest("step", 20))
    others = [((2, 8), 20, 0), ((3, 7), 20, 0), ((2, 7), 21, 0), ((2, 7), 20, 1)]
    made = [
        trial_item(replace(plan("pitch"), seed=seed), pitch, place, TrialRequest("step", level))
        for place, level, seed in others
    ]
    assert all(other.clips != one.clips for other in made)


def test_for_models_that_take_one_sound_both_are_joined() -> None:
    trial = trial_item(plan("pitch"), find_dimension("pitch"), (1, 1), TrialRequest("step", 30))
    two, one = trial_prompt(trial), trial_prompt(trial, one_clip=True)
    assert [type(part) for part in two.turns[0].parts] == [SynthSpec, SynthSpec, str]
    assert [type(part) for part in one.turns[0].parts] == [Waveform, str]


def test_a_plan_can_be_read_back_from_what_signs_it() -> None:
    one = plan("gap", "tone", trials=9, tracks=2)
    assert [dimension.name for dimension in one.dimensions] == ["gap", *TONES]
    assert plan_of(as_benchmark(one).settings) == one


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (Settings(("pich",)), "no dimension is called 'pich'"),
        (Settings(trials=7), "trials=7: expected at least 8"),
        (Settings(tracks=0), "tracks=0: expected at least 1"),
        (
            Settings(tracks=1, trials=8),
            "tracks=1 of trials=8 are 10 answers in each dimension, and no curve is fitted to fewer",
        ),
        (Settings(()), "dimensions=[] asks nothing"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(settings: Settings, told: str) -> None:
    with pytest.raises(UsageError, match=told.replace("[", r"\[")):
        make_plan(settings, 0)


def test_a_journal_of_other_trials_is_refused() -> None:
    going = track_trials(plan("pitch"), find_dimension("pitch"), 1)
    first = next(going)
    with pytest.raises(RunMismatch, match="pitch-1-001"):
        going.send(Record(replace(first.item, question="Which one is lower?"), response=Response("A")))


def test_what_an_answer_amounts_to() -> None:
    step, same = (
        trial_item(plan("pitch"), find_dimension("pitch"), (1, 1), TrialRequest(kind, 30)) for kind in ("step", "same")
    )
    right = step.targets[0]
    wrong = next(label for label in LABELS if label != right)
    told = [
        parse_reply(record)[1:]
        for record in (
            Record(step, response=Response(f"({right})")),
            Record(step, response=Response(f"I think it is {wrong}.")),
            Record(same, response=Response(wrong)),
            Record(step, response=Response("I cannot hear audio.")),
            Record(step, response=Response("", stop="filtered")),
            Record(step, failure=Failure("request-failed", "broken")),
        )
    ]
    assert told == [
        (True, "answered"),
        (False, "answered"),
        (True, "answered"),
        (None, "refused"),
        (None, "refused"),
        (None, "request-failed"),
    ]
