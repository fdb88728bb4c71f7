"""An audiogram without a model: what is asked, what is read from answers, and who is told a threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from audiogram_simulation import leans, says_first

from earmark.audio.synth import synthesize
from earmark.audiogram.dimensions import DEFAULT_DIMENSIONS, DIMENSIONS, TONES, Dimension, find_dimension
from earmark.audiogram.results import ReplayedTrack, ThresholdResult, threshold_result
from earmark.audiogram.trials import (
    LABELS,
    Plan,
    Settings,
    Trial,
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
from earmark.stats.psychometric import Curve
from earmark.stats.staircase import Ending, TrialRequest
from earmark.types import Failure, Item, Response, SynthSpec, Waveform, replace

Answer = Callable[[Item], str]
LEVELS = (0, 0.5, 1)  # of the range


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


# ---------------------------------------------------------------- what is asked


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


# ---------------------------------------------------------------- what is read


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


def test_a_listener_is_told_its_threshold_in_the_unit() -> None:
    pitch = find_dimension("pitch")
    found = found_in("pitch", hears(Curve(pitch.level(1.0), 8.0)))
    assert found.outcome == "measured"
    assert found.low
    assert found.high
    assert found.threshold
    assert found.low < 1.0 < found.high
    assert found.low < found.threshold < found.high
    assert (found.catch_easy.total, found.catch_same.total) == (8, 8)
    assert not found.remarks


DEAF = {
    "always A": says(lambda _: "A"),
    "always B": says(lambda _: "B"),
    "in turn": says(lambda trial: "AB"[int(trial.item.id[-3:]) % 2]),
    "a coin": hears(Curve(1e6, 1.0)),
}


@pytest.mark.parametrize("answer", DEAF.values(), ids=DEAF)
@pytest.mark.parametrize("name", ["pitch", "noise", "tone-250", "tempo"])
def test_a_deaf_model_has_no_threshold_and_is_at_chance(name: str, answer: Callable[[Trial], Record]) -> None:
    found = found_in(name, answer)
    assert (found.outcome, found.threshold, found.low) == ("not reached", None, None)
    assert "at chance at the easiest level" in found.remarks[0]


def test_always_saying_a_is_as_often_right_at_the_easiest_level_as_a_coin() -> None:
    """Answers in balance over pairs would not do: the staircase would move with the balance, and always A seem to hear."""
    found = [found_in(name, DEAF["always A"]).at_easiest for name in DEFAULT_DIMENSIONS]
    share = sum(one.count for one in found) / sum(one.total for one in found)
    assert share == pytest.approx(0.5, abs=0.08)


def test_a_model_that_refuses_is_given_up_on() -> None:
    found = found_in("pitch", says(lambda _: "I'm sorry, I cannot listen to audio."))
    assert (found.outcome, found.trials, found.threshold) == ("too few answers", 0, None)
    assert found.aborted.count == found.aborted.total == 4
    assert found.unparsed == sum(found.states.values()) == 4 * 8


def test_a_perfect_ear_is_told_that_it_is_finer_than_what_was_asked() -> None:
    found = found_in("gap", says(lambda trial: trial.item.targets[0] if trial.item.targets else "A"))
    assert (found.outcome, found.threshold) == ("below the range", None)
    assert found.remarks[0].startswith("hears the hardest level, 0.465 ms")


def test_no_threshold_is_told_where_the_easy_catch_trials_are_at_chance() -> None:
    """The other answers go along a curve, and a threshold would be told of them."""
    listener, coin = hears(Curve(20.0, 8.0)), Random(2)

    def answer(trial: Trial) -> Record:
        return says(lambda _: coin.choice(LABELS))(trial) if trial.request.kind == "easy" else listener(trial)

    found = found_in("pitch", answer)
    assert found.catch_easy.count < 6
    assert (found.outcome, found.threshold, found.low, found.high) == ("not reached", None, None, None)
    assert f"of the catch trials {found.catch_easy}" in found.remarks[0]


def test_a_listener_that_leans_to_a_is_told_its_own_threshold() -> None:
    pitch = find_dimension("pitch")
    right, dice = leans(Curve(pitch.level(1.0), 10.0), 1.0), Random(4)

    def text(trial: Trial) -> str:
        if trial.request.kind == "same":
            return LABELS[dice.random() > says_first(1.0)]
        answer = trial.item.targets[0]
        return answer if dice.random() < right(trial.request.level, answer == "A") else "AB"[answer == "A"]

    found = found_in("pitch", says(text))
    assert found.curve
    assert found.curve.lean > 0
    assert (found.low or 0.0) < 1.0 < (found.high or 99.0)


def test_failures_are_counted_and_in_no_fit() -> None:
    listener = hears(Curve(20.0, 8.0))

    def answer(trial: Trial) -> Record:
        failed = trial.item.id.endswith(("5", "0"))
        return Record(trial.item, failure=Failure("request-failed", "broken")) if failed else listener(trial)

    found = found_in("pitch", answer)
    assert found.failed == found.states["request-failed"] > 10
    assert found.trials + found.catch_same.total == found.states["answered"]
    assert found.outcome == "measured"
