"""An audiogram without a model: what is asked, what is read from answers, and who is told a threshold."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from audiogram_plans import DEAF, found_in, hears, says
from audiogram_simulation import leans, says_first

from earmark.audiogram.dimensions import DEFAULT_DIMENSIONS, find_dimension
from earmark.audiogram.trials import LABELS, Trial
from earmark.journal import Record
from earmark.stats.psychometric import Curve
from earmark.types import Failure


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
