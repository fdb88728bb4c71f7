"""Agreement of two raters beyond chance: Cohen's kappa (1960), weighted for ratings (1968).

With o(i, j) the share of cases that one rater put in category i and the other in j, and r(i), c(j) its sums,

    agreement = sum over i of o(i, i)
    kappa     = 1 - sum w(i, j) o(i, j) / sum w(i, j) r(i) c(j)

    w(i, j) = 1 where i and j differ         nominal: any disagreement is as bad as any other
              |i - j|                        linear: categories are in order, one step apart is half as bad as two
              (i - j)²                       quadratic

1 is full agreement, 0 the agreement of two raters who draw at random from the same shares. Where both put everything
into one category, kappa is not defined. Counts add up, so intervals are those of any other number: by conversation,
where several cases come from one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from earmark.types import Counts, Metric, Number

Weights: TypeAlias = Literal["nominal", "linear", "quadratic"]
OF: Final = "\x1f"  # between the two categories in the name of a count


def agreement_counts(first: str, second: str) -> dict[str, float]:
    """Counts of one case.

    >>> agreement_counts("yes", "no")["same"]
    0.0
    """
    return {"same": float(first == second), "cases": 1.0, f"o{OF}{first}{OF}{second}": 1.0}


def weight_matrix(size: int, weights: Weights) -> npt.NDArray[np.float64]:
    """Weight of each disagreement.

    >>> weight_matrix(3, "linear").tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    """
    apart = np.abs(np.subtract.outer(np.arange(float(size)), np.arange(float(size))))
    powers = {"nominal": 0.0, "linear": 1.0, "quadratic": 2.0}
    return np.where(apart > 0, apart ** powers[weights], 0.0)


def kappa(counts: Counts, categories: Sequence[str], weights: Weights = "nominal") -> Number:
    """Cohen's kappa from summed counts, categories in their order.

    >>> table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    >>> round(float(kappa({f"o{OF}{i}{OF}{j}": n for (i, j), n in table.items()}, ("yes", "no"))), 3)
    0.4
    """
    cells = [counts.get(f"o{OF}{i}{OF}{j}", 0.0) for i in categories for j in categories]
    size = len(categories)
    table = np.stack(np.broadcast_arrays(*(np.asarray(cell, np.float64) for cell in cells)))
    table = table.reshape(size, size, *table.shape[1:])
    weight = weight_matrix(size, weights)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed = np.einsum("ij,ij...->...", weight, table) * table.sum(axis=(0, 1))
    expected = np.einsum("ij,i...,j...->...", weight, rows, columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        value: Number = 1.0 - np.true_divide(observed, expected)
    return value


def agreement_metrics(categories: Sequence[str], weights: Sequence[Weights] = ("nominal",)) -> Mapping[str, Metric]:
    """Agreement, and kappa with each of some weights, called `kappa` (nominal), `kappa_linear`, `kappa_quadratic`."""

    def kappa_metric(weight: Weights) -> Metric:
        return Metric(lambda counts: kappa(counts, categories, weight), limits=(-1, 1))

    agreement = Metric(lambda counts: np.true_divide(counts["same"], counts["cases"]), share=("same", "cases"))
    return {"agreement": agreement} | {
        "kappa" if weight == "nominal" else f"kappa_{weight}": kappa_metric(weight) for weight in weights
    }
