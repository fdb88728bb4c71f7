"""The jackknife: the leaving out of pools, against the bootstrap."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.stats
from counts import MEAN, of, rate

from earmark.stats.estimate import MAX_POOLS, estimate, estimates, pool_groups
from earmark.types import Counts, Metric, Number


def test_the_jackknife_agrees_with_scipys_bootstrap() -> None:
    """A word error rate over 80 speakers."""
    dice = np.random.default_rng(1)
    words = dice.integers(20, 200, 80).astype(float)
    errors = dice.poisson(words * dice.beta(2, 18, 80)).astype(float)
    found = of(MEAN, [*errors], [*words])
    assert found.low is not None
    assert found.high is not None
    theirs = scipy.stats.bootstrap(
        (errors, words),
        lambda e, w, axis: e.sum(axis) / w.sum(axis),
        paired=True,
        n_resamples=20_000,
        rng=np.random.default_rng(2),
    )
    half = scipy.stats.t.ppf(0.975, 1 / np.square(1 / 80) / 80 - 1) * theirs.standard_error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.08 * half)


def test_many_metrics_are_what_each_is_alone() -> None:
    dice = np.random.default_rng(4)
    columns = {"right": dice.random(40), "n": np.ones(40)}
    groups = dice.integers(0, 15, 40).astype(np.uint64)
    metrics = {"mean": MEAN, "square": Metric(lambda counts: np.square(rate(counts)))}
    together = estimates(metrics, columns, groups)
    assert together == {name: estimate(metric, columns, groups) for name, metric in metrics.items()}
    assert together["mean"].groups == np.unique(groups).size


def test_a_number_that_one_group_alone_defines_has_no_interval() -> None:
    def of_class(counts: Counts) -> Number:
        return counts["right"] / counts["n"]  # with no guard of its own

    found = of(Metric(of_class), [0.5, 0, 0, 0], [1, 0, 0, 0])
    assert (found.value, found.low) == (0.5, None)
    assert found.why == "not defined without one of its groups, and so no interval"
    assert of(Metric(of_class), [0.5, 0.25, 0, 0, 0], [1, 1, 0, 0, 0]).low is not None
    nothing = of(Metric(of_class), [0, 0], [0, 0])
    assert (nothing.value, nothing.why) == (None, "not defined for these counts")


def test_a_million_groups_take_little_room() -> None:
    n = 200_000
    dice = np.random.default_rng(5)
    columns = {"right": dice.random(n), "n": dice.random(n) + 0.5}
    groups = dice.permutation(n).astype(np.uint64)
    tracemalloc.start()
    found = estimate(MEAN, columns, groups)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50_000_000
    share = columns["right"].sum() / columns["n"].sum()
    error = np.sqrt(np.square(columns["right"] - share * columns["n"]).sum()) / columns["n"].sum()
    assert found.value == pytest.approx(share)
    assert (found.low, found.high) == pytest.approx((share - 1.96 * error, share + 1.96 * error), abs=0.15 * error)
    assert found.groups == n


def test_pools_are_equal() -> None:
    dice = np.random.default_rng(0)
    assert [*pool_groups(5, dice)] == [0, 1, 2, 3, 4]
    sizes = np.bincount(pool_groups(3 * MAX_POOLS + 1, dice))
    assert sizes.size <= MAX_POOLS
    assert set(sizes[:-1]) == {4}
    assert sizes.sum() == 3 * MAX_POOLS + 1
