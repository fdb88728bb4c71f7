"""Staircases: where they settle, what they ask, and when they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.stats.psychometric import Curve
from earmark.stats.staircase import MAX_STREAK, Ending, StaircaseConfig, TrialRequest, run_track

Answer = Callable[[TrialRequest], bool | None]


def followed(rule: StaircaseConfig, answer: Answer) -> tuple[list[TrialRequest], Ending]:
    """Everything that a track asks of a listener, and how it ends."""
    going, asked = run_track(rule), []
    ask = next(going)
    while True:
        asked.append(ask)
        try:
            ask = going.send(answer(ask))
        except StopIteration as over:
            return asked, over.value


def listener(curve: Curve, seed: int) -> Answer:
    dice = np.random.default_rng(seed)
    return lambda ask: bool(dice.random() < float(curve.right(ask.level)))


def hears_20(ask: TrialRequest) -> bool:
    """Right from the level 20 on, and never below."""
    return ask.level >= 20


def told(answers: Iterable[bool | None]) -> Answer:
    left = iter(answers)
    return lambda _: next(left)


def test_it_settles_where_three_of_four_are_right() -> None:
    curve = Curve(threshold=20.0, width=8.0)
    rule = StaircaseConfig(40, trials=400, catches=0)
    late = [ask.level for seed in range(20) for ask in followed(rule, listener(curve, seed))[0][100:]]
    assert np.mean(curve.right(late)) == pytest.approx(0.75, abs=0.01)


def test_the_first_steps_worked_by_hand() -> None:
    """Steps of 8, 4, 2 and 1: each change between right and wrong halves them; a wrong answer goes three steps up."""
    asked, _ = followed(
        StaircaseConfig(40, trials=8, catches=0), told([True, True, True, False, True, False, False, True])
    )
    assert [ask.level for ask in asked] == [40, 32, 24, 16, 16 + 3 * 4, 28 - 2, 26 + 3 * 1, 29 + 3 * 1]


@given(st.lists(st.sampled_from([True, False, None]), min_size=60, max_size=60), st.integers(0, 4))
def test_whatever_is_answered_levels_stay_in_range_and_the_same_answers_ask_the_same(
    answers: list[bool | None], catches: int
) -> None:
    rule = StaircaseConfig(40, trials=24, catches=catches)
    first, ending = followed(rule, told(answers))
    again, _ = followed(rule, told(answers))
    assert first == again
    assert all(0 <= ask.level <= 40 for ask in first)
    if ending == "done":
        answered = [ask for ask, answer in zip(first, answers, strict=False) if answer is not None]
        assert Counter(ask.kind for ask in answered) == Counter(step=24) + Counter(easy=catches, same=catches)


def test_catch_trials_do_not_move_it() -> None:
    plain, _ = followed(StaircaseConfig(40, catches=0), hears_20)
    caught, _ = followed(StaircaseConfig(40, catches=3), hears_20)
    assert [ask.level for ask in caught if ask.kind == "step"] == [ask.level for ask in plain]
    assert all(ask.level == 40 for ask in caught if ask.kind == "easy")


def test_what_was_not_answered_is_asked_again_at_its_level() -> None:
    asked, _ = followed(StaircaseConfig(40, trials=8, catches=0), told([True, None, None, True, *[True] * 6]))
    assert [ask.level for ask in asked[:5]] == [40, 32, 32, 32, 24]


@pytest.mark.parametrize(
    ("answer", "ending", "trials"),
    [
        (lambda _: False, "at_floor", MAX_STREAK),
        (lambda _: True, "at_ceiling", 5 + MAX_STREAK),
        (lambda _: None, "aborted", 8),
        (hears_20, "done", 24),
    ],
)
def test_it_ends_where_going_on_would_tell_little(answer: Answer, ending: str, trials: int) -> None:
    asked, ended = followed(StaircaseConfig(40, catches=0), answer)
    assert (ended, len(asked)) == (ending, trials)
