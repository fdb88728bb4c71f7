"""Export a run as CSV, parquet, JSON lines, or in a benchmark's own format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from earmark import plugins
from earmark.data.cache import atomic_open
from earmark.errors import BadData, UsageError
from earmark.journal import (
    JOURNAL_FILE,
    SCORES_FILE,
    SIGNATURE_FILE,
    Record,
    ScoreLine,
    line_offsets,
    question_key,
    read_at,
)
from earmark.report.files import EXPORT_PREFIX, SAMPLES, sample_row, write_csv
from earmark.runs import rundir
from earmark.runs.scoring import read_scores
from earmark.runs.signature import load_signature

TABLE_FORMATS = ("csv", "parquet", "jsonl")


def export_run(run: Path, form: str, out: Path | None) -> list[Path]:
    """A run in another form; what was written."""
    benchmark, kind = load_signature(run).benchmark["name"], form.replace("-", "_")
    if benchmark == rundir.AUDIOGRAM_NAME:
        raise BadData(
            f"{run} is an audiogram, which has no other form; its numbers are in audiogram.csv and audiogram.json "
            f"there, its trials in {JOURNAL_FILE}"
        )
    if out:
        _check_out(out)
    writers = [
        name for name in plugins.plugin_names("importers") if hasattr(plugins.find_plugin("importers", name), "write")
    ]
    if kind in writers:
        if kind != benchmark:
            raise UsageError(f"--to {form}: is for runs of {kind}, and {run} is one of {benchmark}")
        paths: list[Path] = plugins.find_plugin("importers", kind).write(
            _read_scored(run), out or run / "export" / form
        )
        return paths
    if form not in TABLE_FORMATS:
        raise UsageError(
            f"--to {form}: no such form; there are: "
            f"{', '.join([*TABLE_FORMATS, *(plugins.display_name('importers', name) for name in writers)])}"
        )
    place = out or run / f"export.{form}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if form == "csv":
        write_csv(place, SAMPLES, (sample_row(record, line) for record, line in _read_scored(run)))
        return [place]
    if form == "jsonl":
        _write_jsonl(place, ({"record": record, "score": line} for record, line in _read_scored(run)))
    else:
        _write_parquet(
            place, (dict(zip(SAMPLES, sample_row(record, line), strict=True)) for record, line in _read_scored(run))
        )
    return [place]


def _check_out(out: Path) -> None:
    """Raise UsageError where a file of a run would be written over, but for an earlier export."""
    exports = [f"export.{form}" for form in TABLE_FORMATS]
    if out.is_file() and (out.parent / SIGNATURE_FILE).exists() and out.name not in exports:
        raise UsageError(f"--out {out} would write over a file of a run; give another place")


def _write_jsonl(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with atomic_open(place) as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")


def _write_parquet(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with tempfile.TemporaryDirectory(prefix=EXPORT_PREFIX, dir=place.parent) as aside:
        lines, made = Path(aside) / "lines.jsonl", Path(aside) / "made.parquet"
        _write_jsonl(lines, rows)
        table = f"read_json({_quote_path(lines)}, format='newline_delimited', maximum_object_size=1000000000, sample_size=-1)"
        query = f"copy (select * from {table}) to {_quote_path(made)} (format parquet, compression zstd)"  # noqa: S608
        duckdb.connect().execute(query)
        made.replace(place)


def _read_scored(run: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """Every score with its record, in the order of the scores: a record has one of each of its scorers.

    Of the records only their places are held, so that a run of any length can be written out.
    """
    begins = line_offsets(run / JOURNAL_FILE)
    with (run / JOURNAL_FILE).open("rb") as journal:
        for score in read_scores(run / SCORES_FILE):
            offset = begins.get(question_key(score.task, score.id, score.condition, score.repeat))
            if offset is None:
                raise BadData(
                    f"{run / SCORES_FILE}: {score.task}, item {score.id} is not in the journal; make it again with: "
                    f"earmark rescore {run}"
                )
            yield read_at(journal, offset), score


def _quote_path(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
