"""One track of an adaptive staircase: chooses the next level from the answers so far.

Levels are whole numbers, 0 the hardest. The staircase is the weighted up-down of Kaernbach (1991): a right answer goes
one step harder, a wrong one `up` steps easier, so that it settles where

    p · 1 = (1 - p) · up,    p = up / (1 + up)

which is 3 of 4 for `up` = 3. It begins at the easiest level with steps of `first` levels, halved at each reversal until
they are one. At regular intervals, and without moving it, a catch trial is asked: at the easiest level, or of two
sounds that do not differ.

After a trial without an answer the same level is asked again, of other sounds; after `max_unparsed` of them the track
is aborted. It ends early when `MAX_STREAK` or more answers at the easiest level were right in no more than two of
three, and with `MAX_STREAK` right answers in a row at the hardest.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

MAX_STREAK: Final = 8  # answers at one end of the levels
Kind: TypeAlias = Literal[
    "step", "easy", "same"
]  # of the staircase, at the easiest level, or of sounds that do not differ
Ending: TypeAlias = Literal["done", "at_floor", "at_ceiling", "aborted"]
# ^ all trials asked; chance at the easiest level; perfect at the hardest level; too many trials without an answer


class StaircaseConfig(Struct, frozen=True):
    """Settings of a staircase track."""

    easiest: int  # the number of the easiest level
    trials: int = 24  # answers that move the staircase
    up: int = 3
    first: int = 8
    catches: int = 2  # trials of each of the two kinds
    max_unparsed: int = 8


class TrialRequest(NamedTuple):
    """One trial of a track."""

    kind: Kind
    level: int


def run_track(config: StaircaseConfig) -> Generator[TrialRequest, bool | None, Ending]:
    """Generate the trials of a track: send in whether the answer was right, or None if there was none.

    The same answers lead to the same trials, so a journal is replayed by sending its answers in. For a trial of equal
    sounds the value that is sent in does not matter.

    >>> going = run_track(StaircaseConfig(easiest=40, catches=0))
    >>> [next(going).level, *(going.send(right).level for right in (True, True, False, None, True))]
    [40, 32, 24, 36, 36, 34]
    """
    level, step = config.easiest, config.first
    last: bool | None = None
    missing = stuck = right_when_stuck = free = 0
    catches = _catch_positions(config)
    for answered in range(config.trials):
        outcome = False
        for kind in (*catches.get(answered, ()), "step"):
            request = TrialRequest(kind, level if kind == "step" else config.easiest)
            while (sent := (yield request)) is None:
                missing += 1
                if missing >= config.max_unparsed:
                    return "aborted"
            outcome = sent
        easiest, hardest = level == config.easiest, level == 0
        stuck += easiest
        right_when_stuck += easiest and outcome
        free = free + 1 if hardest and outcome else 0
        if easiest and stuck >= MAX_STREAK and 3 * right_when_stuck <= 2 * stuck:
            return "at_floor"
        if free >= MAX_STREAK:
            return "at_ceiling"
        if last is not None and outcome != last:
            step = max(1, step // 2)
        level = max(0, level - step) if outcome else min(config.easiest, level + step * config.up)
        last = outcome
    return "done"


def _catch_positions(config: StaircaseConfig) -> dict[int, tuple[Kind, ...]]:
    """Catch trials by the answer of the staircase that they precede: evenly over the track, the two kinds in turn."""
    kinds_by_position: dict[int, tuple[Kind, ...]] = {}
    for number in range(2 * config.catches):
        position = round((number + 0.5) / (2 * config.catches) * config.trials)
        kind: Kind = "easy" if number % 2 else "same"
        kinds_by_position[position] = (*kinds_by_position.get(position, ()), kind)
    return kinds_by_position
