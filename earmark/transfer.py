"""Runs in and out: other people's results as runs of ours, and ours in other forms.

Results are read to their end before anything is made of them: of a file that breaks in the middle no run is left, and of many
files either all become runs or none.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import duckdb
import msgspec

from earmark import folder, plugins
from earmark.benchmarks import _imported
from earmark.config import Composed, RunSettings, load_benchmark, written
from earmark.data.cache import digest, whole
from earmark.data.plain import encode_line
from earmark.errors import BadData, Rejected, UsageError
from earmark.foreign._runs import OPEN, Facts, Imported, Spec
from earmark.journal import Record, ScoreLine, check_response, count_standing, key, places, read_at
from earmark.journal import read as read_journal
from earmark.report.files import SAMPLES, sample, write_csv
from earmark.report.rows import Found, Metrics
from earmark.scoring import read_scores, write_scores
from earmark.types import replace

OURS = ("csv", "parquet", "jsonl")


# ---------------------------------------------------------------- in


class Read(NamedTuple):
    """Results that were read to their end, and what was found in them."""

    imported: Imported
    journal: Path
    facts: dict[str, Facts]
    conditions: list[str]
    repeats: int

    @property
    def tasks(self) -> list[str]:
        return [*self.imported.tasks, *(task for task in self.facts if task not in self.imported.tasks)]


def import_runs(
    path: Path, form: str, results: str, model: str, say: Callable[[str], None]
) -> list[tuple[Path, Metrics]]:
    """Make runs of foreign results: in the form that recognises itself, unless one is named.

    Results without a reply make no run; that is said, and where there is nothing else it is an error.
    """
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    name, reader = _reader(path, form)
    with ExitStack() as undo:
        place = _place(results, undo)
        staged = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix=".import-", dir=place)))
        read = [_read(one, staged / f"{number}.jsonl") for number, one in enumerate(reader.read(path))]
        found = [one for one in read if one.facts]
        if not found:
            raise BadData(
                f"{path}: found no reply, expected the answers of a model as {name} has them; give results that were kept with their replies"
            )
        for one in read:
            if not one.facts:
                say(
                    f"{one.imported.model or path}: no reply is kept in {one.imported.files[0].name} and its like, so no run is made of it"
                )
        _check_names(path, [one.imported.model for one in found], model)
        made = [_make(one, name, results, model, staged / str(number)) for number, one in enumerate(found)]
        return [(folder.settle(run, where), metrics) for run, where, metrics in made]


def _place(results: str, undo: ExitStack) -> Path:
    """The folder of results; one that was made for this and stays empty goes again."""
    place = Path(results).expanduser()
    missing = [folder for folder in (place, *place.parents) if not folder.exists()]
    place.mkdir(parents=True, exist_ok=True)
    for folder_made in reversed(missing):
        undo.callback(_remove_empty, folder_made)
    return place


def _remove_empty(place: Path) -> None:
    if not any(place.iterdir()):
        place.rmdir()


def _reader(path: Path, form: str) -> tuple[str, ModuleType]:
    forms = [plugins.plain("foreign", name) for name in plugins.names("foreign")]
    if form and form not in plugins.names("foreign"):
        raise UsageError(f"--from {form}: no such form; there are: {', '.join(forms)}")
    readers = {name: plugins.find("foreign", name) for name in ([form] if form else plugins.names("foreign"))}
    known = [name for name, module in readers.items() if form or module.recognises(path)]
    if not known:
        raise UsageError(f"{path}: in none of the forms that can be read: {', '.join(forms)}")
    if len(known) > 1:
        raise UsageError(
            f"{path}: holds results of {' and of '.join(plugins.plain('foreign', name) for name in known)}; name one with --from, or give its folder"
        )
    return known[0], readers[known[0]]


def _check_names(path: Path, names: Sequence[str], model: str) -> None:
    if model and len(set(names)) > 1:
        raise UsageError(
            f"--model {model}: {path} holds results of {', '.join(sorted(set(names)))}; import them one by one"
        )
    if not model and not all(names):
        raise UsageError(f"{path}: nothing tells which model answered; give --model NAME")


def _read(imported: Imported, journal: Path) -> Read:
    """Write down the records as they come, and learn what they can be scored by.

    Where only some items of a task have choices, those without are a task of their own.
    """
    read = _written(imported, imported.records, journal)
    mixed = {task: facts for task, facts in read.facts.items() if 0 < facts.lettered < facts.records}
    if imported.scorers is None or not mixed:
        return read
    imported.notices.extend(
        f"{task}{OPEN}: the {facts.records - facts.lettered} of {facts.records} items of {task} whose choices could not be read"
        for task, facts in mixed.items()
    )
    return _written(
        imported, (_apart(record, mixed) for record in read_journal(journal)), journal.with_suffix(".apart")
    )


def _written(imported: Imported, records: Iterable[Record], journal: Path) -> Read:
    facts: dict[str, Facts] = {}
    conditions: dict[str, None] = {}
    repeats = 1
    seen: set[int] = set()
    with journal.open("wb") as lines:
        for given in records:
            record, line = _as_written(imported, given)
            item = record.item
            this = key(item.task, item.id, record.condition, record.repeat)
            if this in seen:
                raise BadData(
                    f"{imported.benchmark}:{item.task}: found two answers of {imported.model or 'the model'} to '{item.id}', expected one; "
                    "import a folder of one run at a time"
                )
            seen.add(this)
            facts.setdefault(item.task, Facts(item.task)).add(record)
            conditions[record.condition] = None
            repeats = max(repeats, record.repeat + 1)
            lines.write(line)
    return Read(imported, journal, facts, list(conditions), repeats)


def _as_written(imported: Imported, given: Record) -> tuple[Record, bytes]:
    """A record as the journal gives it back, and its line. Raises BadData that names it where no journal holds it."""
    try:
        record = replace(given, response=check_response(given.response)) if given.response else given
        line = encode_line(record)
        return _RECORD.decode(line), line
    except (Rejected, TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        names = ", ".join(map(str, imported.files[:1]))
        raise BadData(f"{names}: {given.item.task}, item {given.item.id}: cannot be written down ({error})") from error


_RECORD: Final = msgspec.json.Decoder(Record)


def _apart(record: Record, mixed: Container[str]) -> Record:
    item = record.item
    return (
        record if item.labels or item.task not in mixed else replace(record, item=replace(item, task=item.task + OPEN))
    )


def _make(read: Read, form: str, results: str, model: str, staged: Path) -> tuple[Path, Path, Metrics]:
    """A run of results that were read, in a folder of its own, where it is to be put, and its numbers."""
    imported = read.imported
    name = model or imported.model
    described: dict[str, Any] = {
        "name": imported.benchmark,
        "version": 0,
        "tasks": read.tasks,
        "settings": dict(imported.settings),
    }
    settings: dict[str, Any] = dict(imported.settings)
    if imported.scorers is not None:
        described["imported"] = True  # no packaged benchmark stands behind it
        scorers = {task: imported.scorers(facts) for task, facts in read.facts.items()}
        settings = {
            "of": imported.benchmark,
            "scorers": scorers,
            "slices": list(imported.slices),
            "average": imported.average,
            "notices": [*imported.notices, *_unscored(scorers, read.facts)],
        }
    files = {f"{file.parent.name}/{file.name}": digest(file) for file in imported.files}
    source = {"backend": "import", "name": name, "form": form, "files": files}
    signed = folder.Signed(described, source, read.conditions, read.repeats, None, {})
    words = Composed(
        RunSettings(condition=tuple(read.conditions), repeats=read.repeats, results=results),
        {"backend": "import"},
        settings,
    )
    tasks = tuple(read.tasks)
    benchmark = (
        load_benchmark(imported.benchmark, tasks, settings)
        if imported.scorers is None
        else _imported.load(msgspec.convert(settings, _imported.Settings), tasks)
    )
    run = folder.create(staged, signed, written(words))
    shutil.move(read.journal, run / folder.JOURNAL)
    found = Found(sum(facts.records for facts in read.facts.values()))
    _check_kept(imported, run / folder.JOURNAL, found.questions)
    where = folder.place(results, words.run.place, name, imported.benchmark)
    return run, where, asyncio.run(write_scores(run, benchmark, 0, found))


def _check_kept(imported: Imported, journal: Path, read: int) -> None:
    """Raise BadData where a journal does not hold as many records as were read."""
    if (kept := count_standing(journal)) != read:
        raise BadData(f"{imported.files[0]}: read {read} answers and kept {kept}; nothing was imported")


def _unscored(scorers: Mapping[str, Sequence[Spec]], facts: Mapping[str, Facts]) -> Iterator[str]:
    for task, found in scorers.items():
        if not found:
            yield f"{task}: {facts[task].records} answers without a reference or a verdict, which nothing scores"


# ---------------------------------------------------------------- out


def export_run(run: Path, form: str, out: Path | None) -> list[Path]:
    """A run in another form; what was written."""
    benchmark, kind = folder.signed(run).benchmark["name"], form.replace("-", "_")
    if benchmark == folder.AUDIOGRAM:
        raise BadData(
            f"{run} is an audiogram, which has no other form; its numbers are in audiogram.csv and audiogram.json there, its trials in {folder.JOURNAL}"
        )
    if out:
        _check_out(out)
    writers = [name for name in plugins.names("foreign") if hasattr(plugins.find("foreign", name), "write")]
    if kind in writers:
        if kind != benchmark:
            raise UsageError(f"--to {form}: is for runs of {kind}, and {run} is one of {benchmark}")
        told: list[Path] = plugins.find("foreign", kind).write(_scored(run), out or run / "export" / form)
        return told
    if form not in OURS:
        raise UsageError(
            f"--to {form}: no such form; there are: {', '.join([*OURS, *(plugins.plain('foreign', name) for name in writers)])}"
        )
    place = out or run / f"export.{form}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if form == "csv":
        write_csv(place, SAMPLES, (sample(record, line) for record, line in _scored(run)))
        return [place]
    if form == "jsonl":
        _as_lines(place, ({"record": record, "score": line} for record, line in _scored(run)))
    else:
        _as_parquet(place, (dict(zip(SAMPLES, sample(record, line), strict=True)) for record, line in _scored(run)))
    return [place]


def _check_out(out: Path) -> None:
    """Raise UsageError where a file of a run would be written over, but for an earlier export."""
    exports = [f"export.{form}" for form in OURS]
    if out.is_file() and (out.parent / folder.SIGNED).exists() and out.name not in exports:
        raise UsageError(f"--out {out} would write over a file of a run; give another place")


def _as_lines(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with whole(place) as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")


def _as_parquet(place: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with tempfile.TemporaryDirectory(prefix=".export-", dir=place.parent) as aside:
        lines, made = Path(aside) / "lines.jsonl", Path(aside) / "made.parquet"
        _as_lines(lines, rows)
        table = (
            f"read_json({_quoted(lines)}, format='newline_delimited', maximum_object_size=1000000000, sample_size=-1)"
        )
        duckdb.connect().execute(f"copy (select * from {table}) to {_quoted(made)} (format parquet, compression zstd)")  # noqa: S608
        made.replace(place)


def _scored(run: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """Every score with its record, in the order of the scores: a record has one of each of its scorers.

    Of the records only their places are held, so that a run of any length can be written out.
    """
    begins = places(run / folder.JOURNAL)
    with (run / folder.JOURNAL).open("rb") as journal:
        for score in read_scores(run / folder.SCORES):
            at = begins.get(key(score.task, score.id, score.condition, score.repeat))
            if at is None:
                raise BadData(
                    f"{run / folder.SCORES}: {score.task}, item {score.id} is not in the journal; make it again with: earmark rescore {run}"
                )
            yield read_at(journal, at), score


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
