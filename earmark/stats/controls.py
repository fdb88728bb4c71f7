"""Gain over the best of several controls, where the best is not known beforehand.

With d_j the gain over control j and s_j its standard error, the gain over the best is min d_j. The minimum of several
noisy numbers is biased downwards, and an interval around it, as if the control had been known, is too narrow.
With Z normal with the correlations of the d_j, which share their items, and k_q the q-quantile of max Z_j,

    gain    min (d_j + k_0.5 s_j)      median-unbiased
    high    min (d_j + k_0.975 s_j)
    low     min (d_j - 1.96 s_j)       as in each control's own interval

over those controls that may be the best: d_j <= min (d_i + k s_i) + 2 k s_j, k the 1 - 0.1 / log n quantile over all
(Chernozhukov, Lee and Rosen 2013). The p-value against all controls is the largest of them (Berger 1982). That the
model is worse than some control is tested by max Z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from earmark.stats.count_table import Floats, Names
from earmark.stats.jackknife import correlations
from earmark.stats.quantiles import LEVEL, z_quantile

DRAWS: Final = 20_000


class Control(NamedTuple):
    """Gain over one control; positive where hearing helps."""

    value: float
    low: float
    high: float
    p: float
    groups: Names  # names of its groups,
    change: Floats  # and the change of the gain without each


class Joint(NamedTuple):
    """Gain over the best of several controls."""

    value: float
    low: float
    high: float
    p: float


def gain_over_best(controls: Sequence[Control], n: int, seed: int = 0) -> Joint:
    """Gain over the best of several controls of n items."""
    if len(controls) == 1:
        return Joint(*controls[0][:4])
    values, lows, highs, ps = (np.array([control[field] for control in controls]) for field in range(4))
    drawn = _draw_gains(controls, seed)
    errors = (highs - values) / z_quantile(LEVEL)
    wide = float(np.quantile(drawn.max(axis=1), 1 - 0.1 / math.log(max(n, 3))))
    likely = values <= (values + wide * errors).min() + 2 * wide * errors
    middle, top = (float(k) for k in np.quantile(drawn[:, likely].max(axis=1), (0.5, 0.5 + LEVEL / 2)))
    # A maximum is at least each of its parts; the draws miss that slightly where all controls are alike.
    least = (0.0, z_quantile(LEVEL))
    value, high = (float((values + max(k) * errors)[likely].min()) for k in zip((middle, top), least, strict=True))
    best = float(values.min())
    if best > 0:
        return Joint(value, float(lows.min()), high, float(ps.max()))
    behind = float((-values / np.maximum(errors, 1e-12)).max())
    joint = float((drawn.max(axis=1) >= behind).mean()) * 2
    return Joint(value, float(lows.min()), high, min(1.0, max(joint, float(ps[values.argmin()]))))


def _draw_gains(controls: Sequence[Control], seed: int) -> npt.NDArray[np.float64]:
    """Normal draws with the correlations of the gains, shape (draws, controls).

    Where an interval is wider than the groups explain (runs that never differ), all controls share the remainder.
    """
    names = np.unique(np.concatenate([control.groups for control in controls]))
    changes = []
    for control in controls:
        column = np.zeros(names.size + 1)
        column[names.searchsorted(control.groups)] = control.change
        error = (control.high - control.low) / 2 / z_quantile(LEVEL)
        column[-1] = math.sqrt(max(0.0, error**2 - float(np.square(control.change).sum())))
        changes.append(column)
    values, vectors = np.linalg.eigh(correlations(changes))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.random.default_rng(seed).standard_normal((DRAWS, len(controls))) @ root.T
    return np.asarray(drawn)
