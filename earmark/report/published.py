"""Comparison of a run with published numbers; without a test, since only the numbers are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from earmark.data.plain_yaml import load_yaml
from earmark.errors import BadData
from earmark.report.rows import Row
from earmark.report.table import mark

FIRST_COLUMNS: Final = ("task", "this run", "95 % interval", "n")


class PublishedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A published table: the number by model and task and, if stated, its baseline; and what others reported."""

    source: str = ""  # the reporter, and where
    metric: str = ""  # our closest metric
    models: dict[str, dict[str, tuple[float, ...]]] = {}
    unit: Literal["%", "points"] = "%"
    baseline: str = ""  # our metric of the baseline
    condition: str = "plain"
    date: str = ""  # of the report
    data: str = ""  # the state of the data it was made with
    notes: tuple[str, ...] = ()
    reports: tuple[PublishedTable, ...] = ()  # by others

    @property
    def every(self) -> tuple[PublishedTable, ...]:
        """This table and those of others, without empty ones."""
        return tuple(table for table in (self, *self.reports) if table.models)


def load_published(path: Path) -> PublishedTable:
    """Read the published table of a YAML file."""
    try:
        table = msgspec.convert(load_yaml(path), PublishedTable)
    except msgspec.ValidationError as error:
        raise BadData(f"{path}: expected a published table ({' '.join(str(error).split())})") from error
    if not table.every or not all(each.source and each.metric for each in table.every):
        raise BadData(f"{path}: expected models with their source and metric, in the file or in each of its reports")
    return table


def against_published(rows: Sequence[Row], published: PublishedTable) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the head and the lines of a table: scores of this run and published ones in percent, with baselines.

    Raises BadData if the run has none of the published tasks.
    """
    lines = []
    models = {
        model if table is published else f"{model} ({table.source.partition(' (')[0]})": numbers
        for table in published.every
        if (table.metric, table.unit) == (published.every[0].metric, "%")
        for model, numbers in table.models.items()
    }
    metric = published.every[0].metric
    models = {model: numbers for model, numbers in models.items() if {*numbers} & {row.task for row in rows}}
    for row in rows:
        estimate = row.metrics.get(metric)
        published_numbers = [numbers.get(row.task) for numbers in models.values()]
        if row.slice or row.condition != published.condition or estimate is None or not any(published_numbers):
            continue
        baseline = row.metrics.get(published.baseline)
        interval = (
            "-"
            if estimate.low is None or estimate.high is None
            else f"{100 * estimate.low:.1f}-{100 * estimate.high:.1f}{mark(estimate)}"
        )
        score = format_percent(estimate.value, baseline.value if baseline else None)
        lines.append((row.task, score, interval, str(row.n), *map(_format_numbers, published_numbers)))
    if not lines:
        every = (numbers for table in published.every for numbers in table.models.values())
        tasks = ", ".join(dict.fromkeys(task for numbers in every for task in numbers))
        raise BadData(f"the run has no {metric} under {published.condition} of a published task; published: {tasks}")
    return (*FIRST_COLUMNS, *models), lines


def format_percent(value: float | None, baseline: float | None = None) -> str:
    """Format a share in percent, with its baseline in brackets.

    >>> format_percent(0.349, 0.128), format_percent(0.5), format_percent(None)
    ('34.9 (12.8)', '50.0', '-')
    """
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if baseline is None else f"{100 * value:.1f} ({100 * baseline:.1f})"


def _format_numbers(numbers: tuple[float, ...] | None) -> str:
    return "-" if numbers is None else format_percent(*(number / 100 for number in numbers))
