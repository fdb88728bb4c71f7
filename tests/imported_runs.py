"""Runs made of the results of other harnesses."""

from __future__ import annotations

from pathlib import Path

from contract import every_example

from earmark.report.rows import Metrics
from earmark.runs.import_runs import import_runs


def imported(path: Path, form: str = "", model: str = "", said: list[str] | None = None) -> list[tuple[Path, Metrics]]:
    return import_runs(path, form, "results", model, (said if said is not None else []).append)


BROKEN = {name: example.cut for name, example in every_example("importers") if example.cut}  # the file that is broken
