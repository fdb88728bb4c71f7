"""Requirements on the scores of a run, for continuous integration.

`accuracy>=0.8` is met if the lower end of the metric's 95 % interval is at least 0.8, `wer<=0.1` if the upper end is at
most 0.1: sampling alone then leads to a false pass in at most one of 40 cases. A run is not worse than another by more
than a margin if the 95 % interval of the difference, item by item, excludes a loss of more than the margin (a
non-inferiority test, one-sided at 2.5 %; Blackwelder 1982). Without an interval nothing is met.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from earmark.errors import BadData, UsageError, alternatives
from earmark.report.comparison import compare_runs
from earmark.report.files import read_metrics
from earmark.report.rows import Row
from earmark.report.table import format_number, format_signed
from earmark.runs.run_scores import load_run_scores

REQUIREMENT: Final = re.compile(r"\s*([\w.-]+)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*\Z")


class Requirement(Struct, frozen=True):
    """A bound on a metric."""

    metric: str
    sign: Literal[">=", "<=", ">", "<"]
    bound: float


class GateResult(Struct, frozen=True):
    """One requirement on one row of a run."""

    task: str
    condition: str
    requirement: str
    value: float | None
    low: float | None
    high: float | None
    passed: bool
    why: str

    @property
    def line(self) -> str:
        """The result in one line."""
        verdict = "pass" if self.passed else "FAIL"
        return f"{verdict}  {self.task} {self.condition}: {self.requirement}: {self.why}"


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement such as `accuracy>=0.8`. Raises UsageError for anything else.

    >>> parse_requirement("wer <= .1")
    Requirement(metric='wer', sign='<=', bound=0.1)
    """
    match = REQUIREMENT.match(text)
    if match is None:
        raise UsageError(
            f"'{text}' is no requirement; expected METRIC>=NUMBER or METRIC<=NUMBER, such as 'accuracy>=0.8'"
        )
    name, sign, bound = match.groups()
    return Requirement(name, sign, float(bound))  # type: ignore[arg-type] # one of the four


def check_requirements(
    run: Path, requirements: list[Requirement], task: str = "", condition: str = "plain"
) -> list[GateResult]:
    """Check requirements on every row of a run that has the metric, or on those of one task.

    Raises UsageError where no row has it, and BadData for an unfinished run: what was not asked may be wrong.
    """
    metrics = read_metrics(run)
    if not metrics.finished:
        raise BadData(f"{run}: is unfinished, so nothing is known of the rest; rerun the original command to resume")
    rows = [row for row in metrics.rows if not row.is_slice and row.condition == condition and task in ("", row.task)]
    results = []
    for requirement in requirements:
        having = [row for row in rows if requirement.metric in row.metrics]
        if not having:
            names = {name for row in metrics.rows for name in row.metrics}
            raise UsageError(
                f"no row of {run} has '{requirement.metric}'{f' for task {task}' if task else ''} under {condition}"
                f"{alternatives(requirement.metric, names, _available(metrics.rows))}"
            )
        results += [_check_row(row, requirement) for row in having]
    return results


def check_not_worse(run: Path, old: Path, margin: float, task: str = "", condition: str = "plain") -> list[GateResult]:
    """Check that a run is not worse than an older one by more than a margin, by each headline, item by item.

    Raises UsageError where they have no question in common.
    """
    if margin <= 0:
        raise UsageError(f"--by {margin:g}: expected a margin above 0, such as 0.02")
    compared = compare_runs(load_run_scores(old), load_run_scores(run))
    rows = [row for row in compared.rows if row.condition == condition and task in ("", row.task) and row.difference.n]
    if not rows:
        raise UsageError(f"{run} and {old} have no question in common{f' in task {task}' if task else ''}")
    results = []
    for row in rows:
        difference = row.difference
        bound = difference.low if row.better == "higher" else difference.high
        loss = None if bound is None else -bound if row.better == "higher" else bound
        passed = loss is not None and loss <= margin
        end = "lower" if row.better == "higher" else "upper"
        why = (
            f"the difference of {row.metric} has no interval ({difference.why})"
            if bound is None
            else f"the {end} end of the difference's 95 % interval is {format_signed(bound)} (difference "
            f"{format_signed(difference.value)}, n {difference.n:,})"
        )
        wanted = f"{row.metric} not worse than {old} by more than {margin:g}"
        results.append(
            GateResult(row.title, condition, wanted, difference.value, difference.low, difference.high, passed, why)
        )
    return results


def _check_row(row: Row, requirement: Requirement) -> GateResult:
    estimate = row.metrics[requirement.metric]
    is_floor = requirement.sign[0] == ">"
    end = estimate.low if is_floor else estimate.high
    name = "lower" if is_floor else "upper"
    passed = end is not None and _holds(end, requirement)
    why = (
        f"the {name} end of the 95 % interval is {format_number(end)} (value {format_number(estimate.value)}, "
        f"n {row.n:,}, failed {row.failed})"
        if end is not None
        else f"there is no interval ({estimate.why})"
    )
    wanted = f"{requirement.metric}{requirement.sign}{requirement.bound:g}"
    return GateResult(row.title, row.condition, wanted, estimate.value, estimate.low, estimate.high, passed, why)


def _holds(value: float, requirement: Requirement) -> bool:
    bound = requirement.bound
    return {
        ">=": value >= bound,
        "<=": value <= bound,
        ">": value > bound,
        "<": value < bound,
    }[requirement.sign]


def _available(rows: list[Row]) -> str:
    names = dict.fromkeys(
        f"{row.task} {row.condition} {name}" for row in rows if not row.is_slice for name in row.metrics
    )
    return ", ".join(list(names)[:20])
