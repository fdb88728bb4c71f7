"""Numbers and their intervals: worked examples, a second implementation (scipy), and what must not happen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from counts import MEAN, of, rate

from earmark.report.table import format_interval
from earmark.scorers.choice import METRICS
from earmark.scorers.classes import ClassesScorer, macro_f1
from earmark.stats.count_table import CountTable
from earmark.stats.estimate import ALIKE, Estimate, estimate, estimates
from earmark.stats.jackknife import effective_n, share_influence, wilson
from earmark.stats.quantiles import LEVEL, t_quantile
from earmark.types import Metric

SHARE = Metric(rate, share=("right", "n"))


def case(shared: Path, name: str) -> Any:
    with (shared / "cases" / "cases.jsonl").open(encoding="utf-8") as file:
        return next(found for found in map(json.loads, file) if found["id"] == name)


# ---------------------------------------------------------------- shares


def test_all_or_none_right_has_a_width(shared: Path) -> None:
    f17 = case(shared, "f17")
    for asked, (low, high) in zip(f17["input"]["cases"], f17["expected"]["wilson"], strict=True):
        found = of(SHARE, [1.0] * asked["k"] + [0.0] * (asked["n"] - asked["k"]))
        assert (found.low, found.high) == pytest.approx((low, high), abs=f17["expected"]["tolerance"])
        assert found.method == "wilson"


@pytest.mark.parametrize("n", [1, 2, 7, 40, 1000])
def test_wilson_is_scipys(n: int) -> None:
    for k in {0, 1, n // 3, n // 2, n}:
        theirs = scipy.stats.binomtest(k, n).proportion_ci(LEVEL, "wilson")
        assert wilson(k, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_an_item_asked_three_times_is_not_three_items() -> None:
    """The same replies in every repeat tell nothing new."""
    marks = [1.0, 1, 0, 1, 0, 1, 1, 1, 0, 1]
    once = of(SHARE, marks)
    thrice = of(SHARE, marks * 3, groups=[*range(10)] * 3, items=[*range(10)] * 3)
    assert (thrice.value, thrice.low, thrice.high, thrice.method) == (once.value, once.low, once.high, "wilson")


def test_all_right_in_every_group_is_as_sure_as_the_groups_are_many() -> None:
    found = of(SHARE, [1.0] * 30, groups=[*range(10)] * 3)
    assert (found.low, found.high) == wilson(10, 10)


def test_words_of_one_utterance_are_not_independent() -> None:
    """A share of words: Wilson over all words would be three times too sure."""
    dice = np.random.default_rng(0)
    words = dice.integers(5, 30, 100).astype(float)
    right = np.where(dice.random(100) < 0.8, words, 0.0)  # an utterance is understood or not
    found = of(SHARE, [*right], [*words])
    assert found.low is not None
    assert found.high is not None
    low, high = wilson(right.sum(), words.sum())
    assert found.high - found.low > 3 * (high - low)
    assert found.method == "wilson over 100 groups"


def independent(right: list[float], counted: list[float]) -> float:
    """How many independent things would tell a share as well, from sums by group."""
    n, share = sum(counted), sum(right) / sum(counted)
    return effective_n(share * (1 - share), share_influence(np.array(right), np.array(counted)), n)


def test_independent_things_worked_by_hand() -> None:
    """Two things a group, always alike, 2 of 4 groups right: v = 4/3 · 4/64 = 1/12, p(1-p)/v = 3, (1.960/3.182)² =
    0.379.
    """
    assert independent([2.0, 0, 2, 0], [2.0, 2, 2, 2]) == pytest.approx(3 * 0.379292, abs=1e-5)
    assert of(SHARE, [2.0, 0], [2.0, 0]).low is None  # one of them has a thing
    # groups that vary less than chance would have it are never more than the things that they hold
    most = independent([1.0] * 50, [2.0] * 50)
    assert most == pytest.approx(100 * (1.95996 / t_quantile(0.95, 49)) ** 2, abs=1e-3)


def test_what_is_no_share_of_whole_things() -> None:
    assert of(SHARE, [0.5, 0.25, 1.0, 0.75]).method == "wilson over 4 groups"  # marks, not right or wrong
    assert of(SHARE, [2, 0, 3, 1]).method == "jackknife of 4 groups"  # more than there are
    scaled = Metric(lambda counts: 100 * rate(counts), share=("right", "n"))
    found = of(scaled, [1, 0] * 20)
    assert found.method == "jackknife of 40 groups"
    assert found.low is not None
    assert found.low > 30


def test_failed_items_stay_in_the_denominator_and_both_shares_are_told(shared: Path) -> None:
    e05 = case(shared, "e05")
    given, wanted = e05["input"], e05["expected"]
    right = np.array([1.0] * given["correct"] + [0.0] * (given["wrong"] + given["errors"]))
    read = np.array([1.0] * (given["correct"] + given["wrong"]) + [0.0] * given["errors"])
    columns = {"right": right, "read": read, "n": np.ones(given["n"])}
    found = estimates(METRICS, columns, np.arange(given["n"], dtype=np.uint64))
    assert found["accuracy"].value == pytest.approx(wanted["accuracy_over_all"], abs=1e-6)
    assert found["accuracy_read"].value == pytest.approx(wanted["accuracy_over_answered"], abs=1e-6)
    assert found["accuracy"].n == found["accuracy_read"].n == 100
    assert (found["accuracy_read"].low, found["accuracy_read"].high) == wilson(80, 90)


# ---------------------------------------------------------------- resampling


def test_one_item_none_and_equal_ones(shared: Path) -> None:
    f19 = case(shared, "f19")
    for scores, mean in zip(f19["input"]["score_lists"], f19["expected"]["mean"], strict=True):
        found = of(MEAN, scores)
        assert found.value == (None if mean is None else pytest.approx(mean))
        if len(set(scores)) == len(scores):
            assert (found.low, found.high) == (None, None)
            assert found.why
        else:
            assert (found.low, found.high, found.why) == (None, None, ALIKE)


def test_macro_f1_over_classes_that_come_and_go(shared: Path) -> None:
    """The classes are those of the data and the replies, in the value as in each sample: f11, and scikit-learn."""
    from sklearn.metrics import f1_score

    f11 = case(shared, "f11")
    truth, said = f11["input"]["y_true"], f11["input"]["y_pred"]
    bags = CountTable()
    for at, (t, p) in enumerate(zip(truth, said, strict=True)):
        bags.add({f"t:{t}": 1.0, f"p:{p}": 1.0, f"h:{p}": float(t == p)}, str(at))
    found = estimate(Metric(macro_f1), bags.columns, bags.groups)
    assert found.value == pytest.approx(f11["expected"]["macro_f1_labels_abc"])
    dice = np.random.default_rng(6)
    classes, guesses = dice.integers(0, 3, (2, 200))
    columns = {f"{kind}:{k}": np.zeros(200) for kind in "tph" for k in range(3)}
    for at, (t, p) in enumerate(zip(classes, guesses, strict=True)):
        columns[f"t:{t}"][at] = columns[f"p:{p}"][at] = 1.0
        columns[f"h:{p}"][at] = float(t == p)
    theirs = [f1_score(classes[drawn], guesses[drawn], average="macro") for drawn in dice.integers(0, 200, (400, 200))]
    ours = estimate(Metric(macro_f1, limits=(0, 1)), columns, np.arange(200, dtype=np.uint64))
    assert ours.value == pytest.approx(f1_score(classes, guesses, average="macro"))
    assert ours.low is not None
    assert ours.high is not None
    assert (ours.high - ours.low) / 3.92 == pytest.approx(np.std(theirs), rel=0.12)


def test_means_over_small_classes_and_rates_that_few_items_make_up_are_marked() -> None:
    def of_classes(each: int) -> Estimate:
        truth = np.repeat(np.arange(10), each)
        said = np.where(np.arange(truth.size) % 3, truth, (truth + 1) % 10)
        columns = {f"{kind}:{k}": np.zeros(truth.size) for kind in "tph" for k in range(10)}
        for at, (t, p) in enumerate(zip(truth, said, strict=True)):
            columns[f"t:{t}"][at] = columns[f"p:{p}"][at] = 1.0
            columns[f"h:{p}"][at] = float(t == p)
        return estimate(ClassesScorer().metrics["macro_f1"], columns, np.arange(truth.size, dtype=np.uint64))

    small, large = of_classes(4), of_classes(5)
    assert (small.trusted, small.why) == (
        False,
        "its smallest class has 4 items, fewer than 5: do not trust the interval",
    )
    assert (large.trusted, large.why) == (True, "")
    assert format_interval(small).endswith("?")
    errors = [1.0, 0, 2, 1, 0, 1, 1, 0, 2, 1] * 50
    metric = Metric(rate, "lower", limits=(0, np.inf))
    steady = of(metric, errors, [10.0] * 500)
    assert (steady.trusted, steady.why) == (True, "")
    looped = of(metric, [*errors[:-1], 2000.0], [10.0] * 500)
    assert (looped.trusted, looped.why.startswith("its spread rests on 1 of 500 groups")) == (False, True)


def test_error_rates_of_few_items_are_marked_whatever_the_groups() -> None:
    """Of 499 items one in 150 sets has none of the responses that 1 in 100 is."""
    metric = Metric(rate, "lower", limits=(0, np.inf))

    def marked(items: int, repeats: int, metric: Metric = metric) -> bool:
        errors = np.tile(np.arange(items) % 3, repeats).astype(float)
        columns = {"right": errors, "n": np.full(errors.size, 10.0)}
        names = np.tile(np.arange(items, dtype=np.uint64), repeats)
        return not estimate(metric, columns, names % 40, names).trusted

    assert marked(499, 1)
    assert marked(499, 3), "repeats are no further items"
    assert not marked(500, 1)
    assert not marked(20, 1, Metric(rate, limits=(0, 1)))
