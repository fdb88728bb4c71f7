"""Export a run as CSV, parquet, JSON lines, or in a benchmark's own format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from earmark import plugins
from earmark.config.parse import parse_settings
from earmark.data.cache import atomic_open
from earmark.errors import BadData, RunMismatch, UsageError, alternatives
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
from earmark.plugins.abilities import HasOfficialFile, WritesResults, WritesRuns
from earmark.report.files import EXPORT_PREFIX, remove_leftovers
from earmark.report.samples import COLUMNS, SampleTable, sample_values
from earmark.runs import rundir
from earmark.runs.export_trackers import TRACKERS
from earmark.runs.import_runs import load_importer
from earmark.runs.rescore import read_config
from earmark.runs.scoring import latest_records, read_scores
from earmark.runs.signature import load_signature
from earmark.runs.untrusted import check_named, find_in_run

TABLE_FORMATS = ("csv", "parquet", "jsonl")
OFFICIAL = "official"
RESULTS = "acousticbench-results"  # the folders of AcousticBench's own harness


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
    with suppress(RunMismatch), rundir.lock(run):  # another process that writes removes what was left itself
        remove_leftovers(run)
    writers = {
        name: importer
        for name in plugins.plugin_names("importers")
        if isinstance(importer := load_importer(plugins.find_plugin("importers", name)), WritesRuns)
    }
    if form == OFFICIAL:
        return _export_official(run, out)
    if form == RESULTS:
        return _export_results(run, benchmark, out)
    if kind in writers:
        if kind != benchmark:
            raise UsageError(f"--to {form}: is for runs of {kind}, and {run} is one of {benchmark}")
        return writers[kind].write(read_scored(run), out or run / "export" / form)
    if form not in TABLE_FORMATS:
        others = (plugins.display_name("importers", name) for name in writers)
        forms = [*TABLE_FORMATS, *TRACKERS, OFFICIAL, RESULTS, *others]
        raise UsageError(f"--to {form}: no such form{alternatives(form, forms)}")
    place = out or run / f"export.{form}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if form == "csv":
        _write_csv(place, read_scored(run))
        return [place]
    if form == "jsonl":
        _write_jsonl(place, ({"record": record, "score": line} for record, line in read_scored(run)))
    else:
        _write_parquet(place, (sample_values(record, line) for record, line in read_scored(run)))
    return [place]


def _export_results(run: Path, benchmark: str, out: Path | None) -> list[Path]:
    """Write a run of AcousticBench as its own harness lays its results out."""
    if benchmark != "acousticbench":
        raise UsageError(f"--to {RESULTS}: is for runs of acousticbench, and {run} is one of {benchmark}")
    model = load_signature(run).model
    module = plugins.find_plugin("importers", benchmark).module
    if not isinstance(module, WritesResults):
        raise UsageError(f"--to {RESULTS}: the importer {benchmark} writes none")
    place = out or run / "export" / RESULTS
    paths: list[Path] = module.write_results(read_scored(run), place, model["name"], model["backend"], run.name)
    return paths


def _export_official(run: Path, out: Path | None) -> list[Path]:
    """Write the file that the script of a run's benchmark wants."""
    signature = load_signature(run)
    config = read_config(run)
    check_named(run, find_in_run(signature, config, model=False, judge=False))
    plugin = plugins.find_plugin("benchmarks", signature.benchmark["name"])
    if not isinstance(plugin.module, HasOfficialFile):
        raise UsageError(
            f"--to {OFFICIAL}: is for benchmarks that are tables, and {signature.benchmark['name']} is none"
        )
    settings = parse_settings(plugin.settings, config.benchmark, "")
    records = latest_records(run / JOURNAL_FILE)
    place = out or run / "official.json"
    paths: list[Path] = plugin.module.write_official(records, settings, signature.benchmark["tasks"], place)
    return paths


def _check_out(out: Path) -> None:
    """Raise UsageError where a file of a run would be written over, but for an earlier export."""
    exports = [f"export.{form}" for form in TABLE_FORMATS]
    if out.is_file() and (out.parent / SIGNATURE_FILE).exists() and out.name not in exports:
        raise UsageError(f"--out {out} would write over a file of a run; give another place")


def _write_csv(place: Path, pairs: Iterable[tuple[Record, ScoreLine]]) -> None:
    with tempfile.TemporaryDirectory(prefix=EXPORT_PREFIX, dir=place.parent) as aside:
        table = SampleTable(Path(aside) / "made.csv")
        for record, line in pairs:
            table.add(record, line)
        table.close()
        (Path(aside) / "made.csv").replace(place)


def _write_jsonl(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with atomic_open(place) as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")


def _write_parquet(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table with lists and numbers as such, and a column of texts for each tag."""
    types = dict(COLUMNS)

    def with_types() -> Iterator[Mapping[str, Any]]:
        for row in rows:
            types.update(dict.fromkeys(row.keys() - types.keys(), "VARCHAR"))
            yield row

    with tempfile.TemporaryDirectory(prefix=EXPORT_PREFIX, dir=place.parent) as aside:
        lines, made = Path(aside) / "lines.jsonl", Path(aside) / "made.parquet"
        _write_jsonl(lines, with_types())
        columns = "{" + ", ".join(f"{_quote(name)}: {_quote(kind)}" for name, kind in types.items()) + "}"
        options = "format='newline_delimited', maximum_object_size=1000000000"
        table = f"read_json({_quote(str(lines))}, columns={columns}, {options})"
        query = f"copy (select * from {table}) to {_quote(str(made))} (format parquet, compression zstd)"  # noqa: S608
        duckdb.connect().execute(query)
        made.replace(place)


def read_scored(run: Path) -> Iterator[tuple[Record, ScoreLine]]:
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


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
