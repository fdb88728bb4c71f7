"""Quantiles: scipy's binomial distribution as the second implementation, and coverage of skewed samples."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from earmark.stats.order_statistics import sample_quantile


@pytest.mark.parametrize("q", [0.5, 0.95])
@pytest.mark.parametrize("n", [1, 5, 6, 58, 59, 60, 100, 1000, 20_000])
def test_the_ranks_are_the_tightest_of_the_binomial(n: int, q: float) -> None:
    found = sample_quantile(np.arange(1.0, n + 1), q)
    assert found is not None
    binomial = scipy.stats.binom(n, q)
    ranks = np.arange(1, n + 1)
    lows, highs = ranks[binomial.cdf(ranks - 1) <= 0.025], ranks[binomial.sf(ranks - 1) <= 0.025]
    assert found.low == (lows[-1] if lows.size else None)
    assert found.high == (highs[0] if highs.size else None)
    assert found.value == np.quantile(np.arange(1.0, n + 1), q)


def test_coverage_of_a_long_tail() -> None:
    rng = np.random.default_rng(2)
    for q in (0.5, 0.95):
        truth = np.exp(scipy.stats.norm.ppf(q))
        held = 0
        for _ in range(1000):
            found = sample_quantile(np.exp(rng.standard_normal(100)), q)
            assert found is not None
            held += (found.low or 0.0) <= truth <= (np.inf if found.high is None else found.high)
        assert 0.94 < held / 1000 <= 1


def test_nothing_has_no_quantile() -> None:
    assert sample_quantile(np.array([]), 0.5) is None
