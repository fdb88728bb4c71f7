"""A run beside numbers that were published: no test, since nothing but the numbers is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from earmark.errors import BadData
from earmark.report.rows import Row
from earmark.report.table import mark

LEAD: Final = ("task", "this run", "95 % interval", "n")


class Published(Struct, frozen=True, forbid_unknown_fields=True):
    """A published table: by model and task the number in percent and, where it was told, its baseline."""

    source: str
    metric: str  # ours, that comes nearest
    models: dict[str, dict[str, tuple[float, ...]]]
    baseline: str = ""  # our metric of the baseline
    condition: str = "plain"
    notes: tuple[str, ...] = ()


def load(path: Path) -> Published:
    """The published table in a YAML."""
    import yaml  # noqa: PLC0415 - a tenth of a second

    try:
        return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Published)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise BadData(f"{path}: is no published table ({' '.join(str(error).split())})") from error


def beside(rows: Sequence[Row], published: Published) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the lines of a table: this run's numbers in percent, then those that were published, baselines in brackets.

    Raises BadData where the run has none of the tasks.
    """
    lines = []
    for row in rows:
        found = row.metrics.get(published.metric)
        there = [numbers.get(row.task) for numbers in published.models.values()]
        if row.slice or row.condition != published.condition or found is None or not any(there):
            continue
        baseline = row.metrics.get(published.baseline)
        low_high = (
            "-"
            if found.low is None or found.high is None
            else f"{100 * found.low:.1f}-{100 * found.high:.1f}{mark(found)}"
        )
        ours = told(found.value, baseline.value if baseline else None)
        lines.append((row.task, ours, low_high, str(row.n), *(_told(numbers) for numbers in there)))
    if not lines:
        raise BadData(
            f"the run has no {published.metric} under {published.condition} of a task that was published; published are: "
            f"{', '.join(dict.fromkeys(task for numbers in published.models.values() for task in numbers))}"
        )
    return (*LEAD, *published.models), lines


def told(value: float | None, baseline: float | None = None) -> str:
    """A share in percent, its baseline in brackets.

    >>> told(0.349, 0.128), told(0.5), told(None)
    ('34.9 (12.8)', '50.0', '-')
    """
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if baseline is None else f"{100 * value:.1f} ({100 * baseline:.1f})"


def _told(numbers: tuple[float, ...] | None) -> str:
    return "-" if numbers is None else told(*(number / 100 for number in numbers))
