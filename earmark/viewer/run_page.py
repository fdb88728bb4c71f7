"""The page of a run as data: its numbers from metrics.json, and counts of its items from the table."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from earmark.report.noise_curve import parse_noise
from earmark.report.rows import ListeningGain, Metrics, Row
from earmark.report.table import footnotes
from earmark.runs.signature import load_signature
from earmark.viewer.filters import EVERYTHING, NOTE_KINDS, WITH_COPIES, Filters
from earmark.viewer.results import Results, fields_of, metrics_of, row_headline, to_plain
from earmark.viewer.table import RunTable

MAX_LISTED: Final = 200  # answers, messages and notes that are listed
MAX_CONFUSED: Final = 24  # answers of a confusion table; of more, the rarest are joined
OTHER: Final = "(other)"


def run_page(results: Results, name: str) -> dict[str, Any]:
    """Return everything about a run that is known without its items."""
    run = results.path(name)
    signature, metrics = load_signature(run), metrics_of(run)
    rows = metrics.rows if metrics else []
    whole = [row for row in rows if not row.is_slice]
    return {
        "summary": to_plain(results.summary(name)),
        "rows": [row_line(row, metrics) for row in whole],
        "slices": [slice_line(row) for row in rows if row.is_slice],
        "gains": [gain_line(gain) for gain in metrics.gains] if metrics else [],
        "notes": [*(metrics.warnings if metrics else []), *footnotes([row for row in whole if not row.slice])],
        "skipped": metrics.dataset.skipped if metrics else {},
        "questions": metrics.dataset.questions if metrics else None,
        "usage": to_plain(metrics.usage) if metrics else None,
        "judge_usage": to_plain(metrics.judge_usage) if metrics else None,
        "signature": to_plain(signature),
        "signatures": list(dict.fromkeys(f"{row.task}: {row.signature}" for row in whole)),
        "config": read_text(results, name, "config.yaml"),
        "preflight": read_json(results, name, "preflight.json"),
    }


def row_line(row: Row, metrics: Metrics | None) -> dict[str, Any]:
    """Describe a row of the report."""
    noise = parse_noise(row.condition)
    name, estimate = row.headline
    return fields_of(row_headline(row)) | {
        "title": row.title,
        "slice": row.slice,
        "average": bool(metrics and (row.task in metrics.averages or "|mean:" in str(row.signature))),
        "states": row.states,
        "failed": row.failed,
        "worst": estimate.worst,
        "best": estimate.best,
        "why": estimate.why,
        "p_guess": row.p_guess,
        "noise": list(noise) if noise else None,
        "others": {other: to_plain(number) for other, number in row.metrics.items() if other != name},
        "signature": str(row.signature),
    }


def slice_line(row: Row) -> dict[str, Any]:
    """Describe a row of one value of a tag."""
    tag, _, value = row.slice.partition("=")
    return fields_of(row_headline(row)) | {"tag": tag, "tag_value": value, "title": row.title}


def gain_line(gain: ListeningGain) -> dict[str, Any]:
    """Describe a listening gain."""
    return fields_of(gain) | {
        "title": gain.title,
        "plain": gain.difference.candidate,
        "control_value": gain.difference.baseline,
    }


def read_text(results: Results, name: str, file: str) -> str:
    """Read a small file of a run; nothing where it is not there or leads out of the folder."""
    path = results.path(name) / file
    if not path.resolve().is_relative_to(results.root) or not path.is_file():
        return ""
    return path.read_text(encoding="utf-8", errors="replace")[:200_000]


def read_json(results: Results, name: str, file: str) -> Any:
    """Read a small JSON file of a run, or None."""
    try:
        return msgspec.json.decode(read_text(results, name, file) or "null")
    except msgspec.DecodeError:
        return None


def run_counts(table: RunTable, filters: Filters) -> dict[str, Any]:
    """Count the items of a run that pass the filters: states, failures, answers, sound, seconds and tags."""
    return {
        "n": table.count(filters),
        "states": dict(table.query("state, count(*)", filters, "group by state order by 2 desc")),
        "failures": _failures(table, filters),
        "answers": answer_counts(table, filters),
        "confusion": confusion(table, filters),
        "sound_notes": _notes(table, filters),
        "numbers": _numbers(table, filters),
        "tags": tag_counts(table, filters),
        "choices": filter_choices(table),
    }


def filter_choices(table: RunTable) -> dict[str, Any]:
    """Return the values that the filters of a run can have, and how many items are copies of those of another task."""
    columns = {"task": "task", "condition": "condition", "rule": "rule", "state": "state", "repeat": "repeat"}
    found: dict[str, Any] = {
        name: [
            str(value)
            for (value,) in table.query(f"distinct {column}", WITH_COPIES, f"order by {column}")
            if value not in (None, "")
        ]
        for name, column in columns.items()
    }
    source = "(select *, unnest(map_entries(tags)) as entry from items)"
    tags = table.query("distinct entry.key, entry.value", EVERYTHING, "limit 2000", source=source)
    found["tag"] = sorted(f"{key}={value}" for key, value in tags)
    found["copies"] = table.count(WITH_COPIES) - table.count()
    return found


def _failures(table: RunTable, filters: Filters) -> list[dict[str, Any]]:
    rest = f"and failure is not null group by failure, state order by 3 desc, 1 limit {MAX_LISTED}"
    return [
        {"message": message, "state": state, "n": n}
        for message, state, n in table.query("failure, state, count(*)", filters, rest)
    ]


def answer_counts(table: RunTable, filters: Filters) -> list[dict[str, Any]]:
    """Count which answers are given how often, and how often each is the right one, for items with labels."""
    given = dict(table.query("answer, count(*)", filters, "and len(labels) > 0 and failure is null group by answer"))
    right = dict(
        table.query(
            "unnest(targets) as target, count(*)", filters, "and len(labels) > 0 and failure is null group by target"
        )
    )
    names = sorted({*given, *right} - {None}, key=lambda name: (-given.get(name, 0), name))[:MAX_LISTED]
    lines = [{"answer": name, "given": given.get(name, 0), "right": right.get(name, 0)} for name in names]
    return lines + ([{"answer": None, "given": given[None], "right": 0}] if given.get(None) else [])


def confusion(table: RunTable, filters: Filters) -> dict[str, Any]:
    """Count right answer by given answer, for items with labels."""
    rest = "and len(labels) > 0 and failure is null group by target, answer"
    cells = table.query("array_to_string(targets, ' | ') as target, answer, count(*)", filters, rest)
    totals: dict[str, int] = {}
    for target, answer, n in cells:
        for name in {target, answer} - {None}:
            totals[name] = totals.get(name, 0) + n
    most = sorted(totals, key=lambda name: -totals[name])[:MAX_CONFUSED]
    shown = sorted(most)
    joined: dict[tuple[str, str | None], int] = {}
    for target, answer, n in cells:
        key = (target if target in most else OTHER, answer if answer is None or answer in most else OTHER)
        joined[key] = joined.get(key, 0) + n
    return {
        "labels": shown + [OTHER] * (len(totals) > MAX_CONFUSED),
        "cells": [{"target": target, "answer": answer, "n": n} for (target, answer), n in joined.items()],
    }


def _notes(table: RunTable, filters: Filters) -> list[dict[str, Any]]:
    """Count what was done to sound; notes that differ in their numbers alone are counted as one."""
    source = f"(select *, unnest(list_distinct({NOTE_KINDS})) as note from items)"  # noqa: S608
    rest = f"group by note order by 2 desc, 1 limit {MAX_LISTED}"
    return [{"note": note, "n": n} for note, n in table.query("note, count(*)", filters, rest, source=source)]


def _numbers(table: RunTable, filters: Filters) -> dict[str, Any]:
    names = ("median", "p90", "longest", "total", "tokens_in", "tokens_out", "cost", "audio_seconds")
    select = """quantile_cont(seconds, 0.5), quantile_cont(seconds, 0.9), max(seconds), sum(seconds), sum(tokens_in),
                sum(tokens_out), sum(cost), sum(audio_seconds)"""
    row = table.query(select, filters)[0]
    return {name: None if value is None else float(value) for name, value in zip(names, row, strict=True)}


def tag_counts(table: RunTable, filters: Filters) -> list[dict[str, Any]]:
    """Count items and right ones by every value of every tag, declared by the benchmark or not."""
    rows = table.query(
        "entry.key, entry.value, count(*), count(right_), count(*) filter (right_), count(failure)",
        filters,
        f"group by all order by 1, 2 limit {MAX_LISTED * 10}",
        source="(select *, unnest(map_entries(tags)) as entry from items)",
    )
    return [
        {"tag": tag, "value": value, "n": n, "marked": marked, "right": right, "failed": failed}
        for tag, value, n, marked, right, failed in rows
    ]
