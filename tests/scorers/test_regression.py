"""Numbers that may be near: by hand, by a second implementation, and their laws."""

from __future__ import annotations

import asyncio
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from earmark.errors import BadData
from earmark.scorers import regression
from earmark.types import Item, Response

SCORER = regression.RegressionScorer()


def score(truth: str, reply: str) -> dict[str, float]:
    return asyncio.run(SCORER.score(Item("1", targets=(truth,)), Response(reply))).counts


def numbers(pairs: list[tuple[str, str]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for truth, reply in pairs:
        total.update(score(truth, reply))
    return {name: float(metric.value(total)) for name, metric in SCORER.metrics.items()}


def test_an_example_by_hand() -> None:
    found = numbers([("1", "about 2"), ("2", "The answer is 2, not 9"), ("4", "3"), ("9", "I cannot say")])
    assert found["mse"] == pytest.approx((1 + 0 + 1) / 3)
    assert found["unread"] == 0.25
    assert found["pearson"] == pytest.approx(stats.pearsonr([1, 2, 4], [2, 2, 3]).statistic)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=30))
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    found = numbers([(str(truth), str(reply)) for truth, reply in pairs])
    truths, replies = zip(*pairs, strict=True)
    if len({*truths}) == 1 or len({*replies}) == 1:
        assert math.isnan(found["pearson"])
        assert math.isnan(found["spearman"])
        return
    assert found["pearson"] == pytest.approx(stats.pearsonr(truths, replies).statistic, abs=1e-9)
    assert found["spearman"] == pytest.approx(stats.spearmanr(truths, replies).statistic, abs=1e-9)
    assert found["mse"] == pytest.approx(np.mean((np.array(truths) - np.array(replies)) ** 2))


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=12), st.integers(0, 999))
def test_resampled_numbers_are_those_of_the_resampled_set(pairs: list[tuple[int, int]], seed: int) -> None:
    times = np.random.default_rng(seed).integers(0, 3, (3, len(pairs)))
    counts = [score(str(truth), str(reply)) for truth, reply in pairs]
    names = {name for each in counts for name in each}
    summed = {name: times @ np.array([each.get(name, 0.0) for each in counts]) for name in names}
    for number, row in enumerate(times):
        again = [pair for pair, count in zip(pairs, row, strict=True) for _ in range(count)]
        if not again:
            continue
        alone = numbers([(str(truth), str(reply)) for truth, reply in again])
        for name in ("mse", "pearson", "spearman"):
            value = np.asarray(SCORER.metrics[name].value(summed))[number]
            assert value == pytest.approx(alone[name], abs=1e-9, nan_ok=True)


def test_silence_has_no_number_and_a_target_without_one_is_an_error() -> None:
    assert score("3", "") == {"squares": 0.0, "read": 0.0, "unread": 1.0, "n": 1.0}
    assert score("The answer is 3.5", "3.5")["squares"] == 0
    with pytest.raises(BadData, match="item '1' has the target 'high', expected a number"):
        score("high", "3")
    worst, best = SCORER.bounds(Item("1", targets=("3",)))
    assert (worst["unread"], best["squares"]) == (1, 0)
