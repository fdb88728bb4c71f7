"""Runs in and out: other people's results as runs of ours, and ours in other forms."""

from __future__ import annotations

import asyncio
from pathlib import Path

import duckdb
import msgspec

from earmark import folder, plugins
from earmark.config import Composed, RunSettings, load_benchmark, written
from earmark.errors import UsageError
from earmark.foreign._runs import Imported
from earmark.journal import Journal
from earmark.report.files import SAMPLES, sample, write_csv
from earmark.report.rows import Found, Metrics
from earmark.scoring import scored_records, write_scores

OURS = ("csv", "parquet", "jsonl")


def import_runs(path: Path, form: str, results: str, model: str) -> list[tuple[Path, Metrics]]:
    """Make runs of foreign results: in the form that recognises itself, unless one is named."""
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    readers = {name: plugins.find("foreign", name) for name in ([form] if form else plugins.names("foreign"))}
    known = [module for module in readers.values() if form or module.recognises(path)]
    if not known:
        raise UsageError(f"{path}: in none of the forms that can be read: {', '.join(readers)}")
    return [_make_run(imported, results, model) for imported in known[0].read(path)]


def _make_run(imported: Imported, results: str, model: str) -> tuple[Path, Metrics]:
    name = model or imported.model
    described = {
        "name": imported.benchmark,
        "version": 0,
        "tasks": list(imported.tasks),
        "settings": dict(imported.settings),
    }
    signed = folder.Signed(
        described, {"backend": "import", "name": name}, list(imported.conditions), imported.repeats, None, {}
    )
    words = Composed(RunSettings(), {"backend": "import"}, dict(imported.settings))
    run = folder.create(folder.place(results, words.run.place, name, imported.benchmark), signed, written(words))
    asyncio.run(_fill(run, imported))
    benchmark = load_benchmark(imported.benchmark, imported.tasks, imported.settings)
    found = Found(len(imported.records))
    return run, asyncio.run(write_scores(run, benchmark, 0, found))


async def _fill(run: Path, imported: Imported) -> None:
    journal = Journal(run / folder.JOURNAL, lambda _: None)
    for record in imported.records:
        journal.append(record)
    await journal.close()


def export_run(run: Path, form: str, out: Path | None) -> list[Path]:
    """A run in another form; what was written."""
    journal, scores = run / folder.JOURNAL, run / folder.SCORES
    writers = [name for name in plugins.names("foreign") if hasattr(plugins.find("foreign", name), "write")]
    if form in writers or form.replace("-", "_") in writers:
        module = plugins.find("foreign", form.replace("-", "_"))
        written: list[Path] = module.write(scored_records(journal, scores), out or run / "export" / form)
        return written
    if form not in OURS:
        raise UsageError(
            f"--to {form}: no such form; there are: {', '.join([*OURS, *(name.replace('_', '-') for name in writers)])}"
        )
    place = out or run / f"export.{form}"
    place.parent.mkdir(parents=True, exist_ok=True)
    pairs = scored_records(journal, scores)
    if form == "csv":
        write_csv(place, SAMPLES, (sample(record, line) for record, line in pairs))
        return [place]
    lines = place if form == "jsonl" else place.with_suffix(".part.jsonl")
    with lines.open("wb") as file:
        for record, line in pairs:
            told = (
                {"record": record, "score": line}
                if form == "jsonl"
                else dict(zip(SAMPLES, sample(record, line), strict=True))
            )
            file.write(msgspec.json.encode(told) + b"\n")
    if form == "parquet":
        table = (
            f"read_json({_quoted(lines)}, format='newline_delimited', maximum_object_size=1000000000, sample_size=-1)"
        )
        duckdb.connect().execute(f"copy (select * from {table}) to {_quoted(place)} (format parquet, compression zstd)")  # noqa: S608
        lines.unlink()
    return [place]


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
