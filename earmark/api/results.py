"""Finished and unfinished runs as objects: scores, items, tables, comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from earmark.api.table import TextTable, to_dataframe
from earmark.errors import UsageError
from earmark.journal import Record, ScoreLine
from earmark.report import comparison, comparison_table, table
from earmark.report.files import read_metrics
from earmark.report.gain import HEAD as GAIN_HEAD
from earmark.report.gain import gain_footnotes, gain_table
from earmark.report.rows import Metrics, Row
from earmark.runs.export_run import read_scored
from earmark.runs.run_list import newest_run
from earmark.runs.run_scores import load_run_scores
from earmark.runs.signature import RunSignature, load_signature

__all__ = ["Run", "RunComparison", "Scores", "TextTable", "compare", "load_run"]


class Scores(list[dict[str, Any]]):
    """Scores or items as a list of dictionaries."""

    def to_pandas(self) -> Any:
        """The same as a `pandas.DataFrame`. Raises BadSetup where pandas is not installed."""
        return to_dataframe(self)


class Run:
    """A run on disk. Everything is read from its folder when it is asked for; no model is asked."""

    def __init__(self, folder: str | Path) -> None:
        """Open a run. Raises UsageError or BadData where the folder holds none."""
        self.folder = Path(folder)
        self.signature: RunSignature = load_signature(self.folder)

    @property
    def model(self) -> str:
        """Name of the model."""
        return str(self.signature.model["name"])

    @property
    def benchmark(self) -> str:
        """Name of the benchmark."""
        return str(self.signature.benchmark["name"])

    @property
    def metrics(self) -> Metrics:
        """Content of metrics.json: rows, listening gains, usage, warnings."""
        return read_metrics(self.folder)

    @property
    def is_finished(self) -> bool:
        """True if every item was asked."""
        return self.metrics.finished

    def scores(self, *, slices: bool = False) -> Scores:
        """Every metric of every row, a dictionary each: value, low, high, n, states. `slices`: also rows of tags."""
        rows = [row for row in self.metrics.rows if slices or not row.is_slice]
        return Scores(_score(row, name) for row in rows for name in row.metrics)

    def items(self, *, task: str = "", condition: str = "", state: str = "") -> Scores:
        """Every scored answer, a dictionary each, in the order of the journal; all of them, or of a task, a condition
        or a state (answered, unparsed, refused, request-failed, sound-failed, judge-failed).
        """
        wanted = {"task": task, "condition": condition, "state": state}
        return Scores(
            item
            for item in map(_item, self._scored())
            if all(item[name] == value for name, value in wanted.items() if value)
        )

    def _scored(self) -> Iterator[tuple[Record, ScoreLine]]:
        return read_scored(self.folder)

    @property
    def table(self) -> TextTable:
        """Headlines with intervals, as `earmark show` prints them."""
        metrics = self.metrics
        rows = [row for row in metrics.rows if not row.is_slice]
        title = f"{self.benchmark} by {self.model}"
        names = [row.headline[0] for row in rows]
        lines = [(name, *line) for name, line in zip(names, table.rows_table(rows), strict=True)]
        return TextTable(title, ("metric", *table.HEAD), tuple(lines), (*table.footnotes(rows), *metrics.warnings))

    @property
    def gains(self) -> TextTable:
        """Listening gains: the score with the audio minus the score under the best control."""
        gains = [gain for gain in self.metrics.gains if not gain.slice]
        return TextTable("listening gain", GAIN_HEAD, tuple(gain_table(gains)), tuple(gain_footnotes(gains)))

    def to_pandas(self) -> Any:
        """The scores as a `pandas.DataFrame`. Raises BadSetup where pandas is not installed."""
        return self.scores().to_pandas()

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def load_run(path: str | Path) -> Run:
    """Load a run: its folder, a folder above it, of whose runs the newest is taken, or @, the newest under results.

    Raises BadData for none.
    """
    return Run(newest_run(Path(path)))


class RunComparison(Struct, frozen=True):
    """A comparison of two runs; `rows` and `notes` are those of `earmark compare --json`."""

    result: comparison.Comparison

    @property
    def rows(self) -> Scores:
        """A dictionary for each task and condition of both runs, and each average."""
        return Scores(msgspec.to_builtins(row) for row in self.result.rows)

    @property
    def table(self) -> TextTable:
        """Differences with intervals and p-values, as `earmark compare` prints them."""
        lines = comparison_table.comparison_table(self.result.rows)
        title = f"{self.result.candidate} minus {self.result.baseline}"
        return TextTable(title, comparison_table.HEAD, tuple(lines), tuple(comparison_table.footnotes(self.result)))

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def compare(
    baseline: Run | str | Path,
    candidate: Run | str | Path,
    *,
    metric: str = "",
    everything: bool = False,
    seed: int = 0,
) -> RunComparison:
    """Compare two runs item by item, candidate minus baseline, as `earmark compare` does.

    `metric`: by this one instead of each scorer's headline; `everything`: by all. Raises UsageError where the runs have
    no question in common.
    """
    runs = [each if isinstance(each, Run) else load_run(each) for each in (baseline, candidate)]
    first, second = (load_run_scores(each.folder) for each in runs)
    result = comparison.compare_runs(first, second, metric=metric, everything=everything, seed=seed)
    if not any(row.difference.n for row in result.rows):
        raise UsageError(f"{runs[0].folder} and {runs[1].folder} have no question or metric in common")
    return RunComparison(result)


def _score(row: Row, name: str) -> dict[str, Any]:
    estimate = row.metrics[name]
    return {
        "task": row.task,
        "condition": row.condition,
        "scorer": row.scorer,
        "metric": name,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": row.n,
        "chance": row.guess_rate,
        **({"slice": row.slice} if row.slice else {}),
        **{state.replace("-", "_"): count for state, count in row.states.items()},
    }


def _item(scored: tuple[Record, ScoreLine]) -> dict[str, Any]:
    record, line = scored
    item, response = record.item, record.response
    return {
        "task": line.task,
        "id": line.id,
        "condition": line.condition,
        "repeat": line.repeat,
        "scorer": line.scorer,
        "state": line.state,
        "question": item.question,
        "choices": dict(zip(item.labels, item.choices, strict=False)),
        "target": list(item.targets),
        "answer": line.answer,
        "rule": line.rule,
        "counts": line.counts,
        "reply": response.text if response else None,
        "failure": record.failure.message if record.failure else None,
        "seconds": response.seconds if response else None,
        "group": item.group,
        "tags": item.tags,
    }
