"""Simulated listening gains and leaderboards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from earmark.journal import Record
from earmark.report.aggregates import Aggregates
from earmark.report.gain import listening_gains
from earmark.report.rows import ListeningGain
from earmark.scorers.choice import ChoiceScorer
from earmark.stats.compare import mcnemar
from earmark.stats.confidence_sequence import share_sequence
from earmark.stats.difference import holm
from earmark.stats.jackknife import wilson
from earmark.types import Failure, Item, Response, Score

Rows = Iterator[tuple[str, ...]]
Marks = npt.NDArray[np.float64]
UNREAD = -1.0  # in place of a mark


def gathered(marks: Mapping[tuple[str, str], Marks], guess: float) -> Aggregates:
    """Cells from marks by task and condition: 1 right, 0 wrong, UNREAD."""
    cells, scorer, failure = Aggregates(), ChoiceScorer(), Failure("refused", "")
    labels = tuple("ABCD"[: round(1 / guess)])
    for (task, condition), column in marks.items():
        for index, mark in enumerate(column):
            item = Item(f"i{index}", task, choices=labels, labels=labels, targets=("A",))
            refused = mark == UNREAD
            counts = {"right": float(mark == 1), "n": 1.0, "read": float(not refused), "chance": guess}
            record = Record(
                item,
                condition=condition,
                response=None if refused else Response("A"),
                failure=failure if refused else None,
            )
            cells.add(
                record,
                scorer,
                Score(counts, None if refused else "AB"[int(mark == 0)], "refused" if refused else "answered"),
            )
    return cells


def gain_of(marks: Mapping[tuple[str, str], Marks], guess: float = 0.5) -> list[ListeningGain]:
    controls = list(dict.fromkeys(condition for _, condition in marks if condition != "plain"))
    return listening_gains(gathered(marks, guess).by_row, controls, {}, 0)


def several_controls(many: int) -> Rows:
    """Nothing is heard: plain and all controls are right as often, on the same items of different difficulty."""
    for hearing, n in ((0.5, 24), (0.8, 24), (0.8, 100)):
        for controls in (1, 2, 3, 4):
            rng = np.random.default_rng(controls)
            values, covered = [], 0
            for _ in range(many):
                luck = rng.beta(1, 1, n)
                marks = {("t", f"c{index}"): (rng.random(n) < luck).astype(float) for index in range(controls)}
                (gain,) = gain_of(
                    marks | {("t", "plain"): (rng.random(n) < luck + (1 - luck) * (2 * hearing - 1)).astype(float)}
                )
                truth = hearing - 0.5
                low, high = getattr(gain, "low", gain.difference.low), getattr(gain, "high", gain.difference.high)
                values.append((getattr(gain, "value", gain.difference.value) or 0.0) - truth)
                covered += low is not None and high is not None and low <= truth <= high
            yield (
                f"plain {hearing}, controls 0.5, n = {n}",
                str(controls),
                f"{np.mean(values):+.3f}",
                f"{np.median(values):+.3f}",
                f"{100 * covered / many:.1f}",
            )


def many_tasks(many: int) -> Rows:
    """Twelve tasks of 48 items, nothing is heard, one control."""
    rng = np.random.default_rng(0)
    some = 0
    for _ in range(max(50, many // 4)):
        marks = {
            (f"t{task}", name): (rng.random(48) < 0.5).astype(float)
            for task in range(12)
            for name in ("plain", "silence")
        }
        values = [gain for gain in gain_of(marks) if gain.task != "all tasks"]
        some += any((getattr(gain, "p_holm", gain.difference.p) or 1.0) < 0.05 for gain in values)
    yield ("twelve tasks of 48 items, one control", f"{100 * some / max(50, many // 4):.1f}")


RULES: Mapping[str, Callable[[Marks, float], float]] = {
    "earn nothing": lambda marks, _: float((marks == 1).mean()),
    "earn what guessing gets": lambda marks, guess: float(np.where(marks == UNREAD, guess, marks).mean()),
    "max(control, guessing)": lambda marks, guess: max(guess, float((marks == 1).mean())),
}
LISTENERS = (
    # plain, right in silence were it to answer, share of silence that it declines, guess
    ("guesses, declines silence", 0.5, 0.5, 1.0, 0.5),
    ("guesses, declines half of it", 0.5, 0.5, 0.5, 0.5),
    ("knows 0.6 of four choices by their texts, hears nothing, declines half", 0.6, 0.6, 0.5, 0.25),
    ("the same, declines none", 0.6, 0.6, 0.0, 0.25),
    ("hears, knows nothing else, declines all", 0.9, 0.25, 1.0, 0.25),
    ("hears, knows 0.6 by the texts, declines half", 0.9, 0.6, 0.5, 0.25),
)


def declining(many: int) -> Rows:
    """Bias of the mean gain, by the credit of an unparsed reply of a control; 200 items."""
    for name, plain, silent, declined, guess in LISTENERS:
        rng = np.random.default_rng(0)
        errors: dict[str, list[float]] = {rule: [] for rule in RULES}
        for _ in range(many):
            heard = (rng.random(200) < plain).mean()
            marks = np.where(rng.random(200) < declined, UNREAD, (rng.random(200) < silent).astype(float))
            for rule, control in RULES.items():
                errors[rule].append(float(heard) - control(marks, guess) - (plain - silent))
        yield (name, *(f"{np.mean(values):+.3f}" for values in errors.values()))


def equal_models(many: int) -> Rows:
    """All models are right as often; how many tables call some model worse than the first."""
    for models in (5, 10, 20):
        rng = np.random.default_rng(models)
        false: dict[str, int] = {"k - 1": 0, "all pairs": 0}
        pairs = list(combinations(range(models), 2))
        for _ in range(many):
            right = rng.random((models, 500)) < rng.beta(2, 1, 500)
            ranked = right[np.argsort(-right.sum(axis=1), kind="stable")]
            values = [
                mcnemar(int((a & ~b).sum()), int((b & ~a).sum())) for a, b in ((ranked[i], ranked[j]) for i, j in pairs)
            ]
            first = [value for (i, _), value in zip(pairs, values, strict=True) if i == 0]
            false["k - 1"] += any((p or 1) < 0.05 for p in holm(first))
            false["all pairs"] += any((p or 1) < 0.05 for p in holm(values))
        yield (str(models), *(f"{100 * values / many:.1f}" for values in false.values()))


def stopping(many: int) -> Rows:
    """Runs that stop at a half-width: the sequence and the usual interval, at all looks together and at the stop."""
    for share, until in ((0.5, 0.05), (0.5, 0.03), (0.8, 0.05), (0.8, 0.03), (0.9, 0.05), (0.9, 0.03), (0.98, 0.03)):
        rng = np.random.default_rng(0)
        held, sizes = np.zeros(3), []
        for _ in range(many):
            right, n, usual, every, at_stop = np.cumsum(rng.random(4000) < share), 10, True, True, None
            while n < 4000:
                low, high = share_sequence(int(right[n - 1]), n, until)
                bounds = wilson(int(right[n - 1]), n)
                every &= low <= share <= high
                usual &= bounds[0] <= share <= bounds[1]
                if at_stop is None and bounds[1] - bounds[0] <= 2 * until:
                    at_stop = bounds[0] <= share <= bounds[1]
                if high - low <= 2 * until:
                    break
                n = max(n + 1, int(n * 1.05))
            held += (every, usual, bool(at_stop))
            sizes.append(n)
        yield (f"{share}", f"{until}", *(f"{100 * value / many:.1f}" for value in held), f"{np.median(sizes):.0f}")


TABLES: Mapping[str, tuple[Sequence[str], Callable[[int], Rows]]] = {
    "Stopping": (
        ("share", "until", "sequence, every look", "usual, every look", "usual, at its stop", "items, median"),
        stopping,
    ),
    "Best of several controls": (("world", "controls", "mean error", "median error", "holds, %"), several_controls),
    "Gains of many tasks": (("world, nothing is heard", "some gain with p < 0.05, %"), many_tasks),
    "Unread replies of controls: mean error of the gain": (("model", *RULES), declining),
    "Leaderboards of equal models, 500 items: some called worse, %": (
        ("models", "p adjusted for k - 1", "for all pairs"),
        equal_models,
    ),
}
