"""Records and numbers that an importer makes of the results of a harness."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from earmark import plugins
from earmark.journal import Record
from earmark.report.rows import Metrics, Row
from earmark.runs.import_runs import import_runs, load_importer
from earmark.runs.imported import ImportedRun
from earmark.types import Failure, ImportedVerdict, Response


def read(form: str, place: Path) -> list[ImportedRun]:
    return list(load_importer(plugins.find_plugin("importers", form)).read(place))


def records(form: str, place: Path) -> list[Record]:
    """The records of the only run."""
    (one,) = read(form, place)
    return list(one.records)


def answered(record: Record) -> Response:
    assert record.response
    return record.response


def verdicts(record: Record) -> dict[str, ImportedVerdict]:
    return {verdict.measure: verdict for verdict in record.verdicts}


def failed(found: Iterable[Record]) -> list[Failure]:
    return [record.failure for record in found if record.failure]


def numbers(form: str, place: Path, model: str = "") -> dict[str, Metrics]:
    """What was made of each run, by the name of its file."""
    made = import_runs(place, "", "results", model, lambda _: None)
    return {json.loads((run / "run.json").read_text())["model"]["files"].popitem()[0]: metrics for run, metrics in made}


def whole_rows(metrics: Metrics) -> dict[tuple[str, str], Row]:
    return {(row.task, row.scorer): row for row in metrics.rows if not row.slice}


def states(row: Row) -> dict[str, int]:
    return {name: count for name, count in row.states.items() if count}
