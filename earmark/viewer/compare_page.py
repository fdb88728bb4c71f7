"""The page of two to four runs beside each other: counts of who got what right, and the items of each count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from earmark.errors import EarmarkError, UsageError
from earmark.report.comparison import Comparison, compare_runs
from earmark.types import replace
from earmark.viewer.filters import Filters, Order
from earmark.viewer.results import Results, fields_of, to_plain
from earmark.viewer.table import RunTable

MAX_RUNS: Final = 4
ONLY: Final = ("first", "second", "both", "neither")


class Verdict(NamedTuple):
    """An item in one run."""

    line: int
    right: bool
    tags: Mapping[str, str]
    copy: bool = False  # another task has the same reply, and no task is asked for


Key = tuple[str, str, str, int]  # task, id, condition, repeat


def compare_page(results: Results, names: Sequence[str], filters: Filters) -> dict[str, Any]:
    """Compare runs: each with the first by its headline, and who got which items right."""
    if not 2 <= len(names) <= MAX_RUNS:
        raise UsageError(f"found {len(names)} runs, expected two to {MAX_RUNS} to compare")
    marks = [load_marks(results.table(name), filters) for name in names]
    parts = split(marks[0], marks[1])
    return {
        "runs": [to_plain(results.summary(name)) for name in names],
        "counts": dict(Counter(parts.values())),
        "by_task": _by_task(parts),
        "by_tag": _by_tag(marks[0], parts),
        "only_asked": [len(marks[0].keys() - marks[1].keys()), len(marks[1].keys() - marks[0].keys())],
    }


def differences(results: Results, names: Sequence[str]) -> dict[str, Any]:
    """Compare two runs by the headline of each task; says why where they cannot be."""
    if len(names) != 2:
        raise UsageError(f"found {len(names)} runs, expected two")
    try:
        comparison: Comparison = compare_runs(results.scores(names[0]), results.scores(names[1]))
    except EarmarkError as error:
        return {"rows": [], "notes": [str(error)]}
    return fields_of(comparison) | {"rows": [to_plain(row) | {"title": row.title} for row in comparison.rows]}


def load_marks(table: RunTable, filters: Filters) -> dict[Key, Verdict]:
    """Load which items of a run are right, of those that can be right or wrong."""
    select = f"task, id, condition, repeat, line, right_, tags, {copy_column(filters)}"
    rest = "and (right_ is not null or failure is not null) order by line"
    return {(task, item, condition, repeat): Verdict(line, bool(right), tags or {}, copy)
            for task, item, condition, repeat, line, right, tags, copy
            in table.query(select, replace(filters, copies=True), rest)}  # fmt: skip


def copy_column(filters: Filters) -> str:
    """Return the SQL that is true for an item of which another task has a copy, unless that task is asked for."""
    return "false" if filters.task else "copy_of is not null"


def split(first: Mapping[Key, Verdict], second: Mapping[Key, Verdict]) -> dict[Key, str]:
    """Say for each item of both runs who got it right; one that is a copy in both is counted once.

    >>> right, wrong = Verdict(1, True, {}), Verdict(1, False, {})
    >>> key = ("t", "i", "plain", 0)
    >>> split({key: right}, {key: wrong}), split({key: right}, {})
    ({('t', 'i', 'plain', 0): 'first'}, {})
    """
    names = {(True, False): "first", (False, True): "second", (True, True): "both", (False, False): "neither"}
    return {key: names[verdict.right, second[key].right] for key, verdict in first.items()
            if key in second and not (verdict.copy and second[key].copy)}  # fmt: skip


def _by_task(parts: Mapping[Key, str]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for (task, _, condition, _), part in parts.items():
        counts.setdefault((task, condition), Counter())[part] += 1
    return [{"task": task, "condition": condition, **count} for (task, condition), count in counts.items()]


def _by_tag(first: Mapping[Key, Verdict], parts: Mapping[Key, str]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for key, part in parts.items():
        for tag in first[key].tags.items():
            counts.setdefault(tag, Counter())[part] += 1
    shown = sorted(counts.items())[:400]
    return [{"tag": tag, "value": value, **count} for (tag, value), count in shown]


def compare_items(results: Results, names: Sequence[str], only: str, filters: Filters, order: Order) -> dict[str, Any]:
    """Return the items of one count, each with its row in every run."""
    marks = [load_marks(results.table(name), filters) for name in names]
    parts = split(marks[0], marks[1])
    keys = [key for key, part in parts.items() if only in ("", part)]
    page = keys[order.offset : order.offset + order.limit]
    rows = []
    for name, verdicts in zip(names, marks, strict=True):
        lines = [verdicts[key].line for key in page if key in verdicts]
        found = results.table(name).rows(lines)
        rows.append({(row["task"], row["id"], row["condition"], row["repeat"]): row for row in found})
    return {"total": len(keys), "rows": [[by_key.get(key) for by_key in rows] for key in page]}
