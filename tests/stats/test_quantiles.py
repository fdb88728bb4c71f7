"""Quantiles against scipy's."""

from __future__ import annotations

import pytest
import scipy.stats

from earmark.stats.quantiles import binomial_tail, t_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 10, 59, 200, 201, 5000])
def test_students_quantile_is_scipys(degrees: int) -> None:
    for level in (0.5, 0.6, 0.95, 0.99):
        theirs = scipy.stats.t.ppf(0.5 + level / 2, degrees)
        assert t_quantile(level, degrees) == pytest.approx(theirs, rel=1e-8)


def test_the_tail_of_a_binomial_is_scipys() -> None:
    for least, n, chance in (
        (8, 10, 0.5),
        (3, 10, 0.5),
        (500, 1000, 0.5),
        (300, 1000, 0.25),
        (7, 7, 0.3),
        (0, 5, 0.1),
        (6, 5, 0.1),
    ):
        assert binomial_tail(least, n, chance) == pytest.approx(scipy.stats.binom.sf(least - 1, n, chance), rel=1e-8)
