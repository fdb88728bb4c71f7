"""Runs in and out: other people's results as runs of ours, and ours in other forms.

Results are read to their end before anything is made of them: of a file that breaks in the middle no run is left, and
of many files either all become runs or none.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from earmark import plugins
from earmark.config.parse import parse_settings
from earmark.config.settings import ComposedConfig, RunSettings, to_yaml
from earmark.data.cache import sha256_file
from earmark.data.plain import encode_line
from earmark.data.prompt_words import WORDS_FILE, WordsFile, encode_words
from earmark.data.responses import check_response
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, Rejected, UsageError
from earmark.journal import (
    JOURNAL_FILE,
    Record,
    count_standing,
    question_key,
    read_journal,
)
from earmark.plugins.abilities import Importer
from earmark.report.files import read_metrics
from earmark.report.rows import DatasetCounts, Metrics
from earmark.runs import imported_benchmark, rundir
from earmark.runs.imported import OPEN, ImportedRun, RecordWithPrompt, ScorerSpec, TaskStats
from earmark.runs.scoring import write_scores
from earmark.runs.signature import RunSignature, is_finished, load_signature, replace_versions
from earmark.types import Benchmark, Context, replace

STAGING_PREFIX: Final = ".import-"  # prefix of the folders that hold runs until all are whole
LOCK_FILE: Final = ".import.lock"  # of a folder of results, while runs are imported into it

# ---------------------------------------------------------------- in


class ParsedResults(NamedTuple):
    """Results that were read to their end, and what was found in them."""

    imported: ImportedRun
    journal: Path
    facts: dict[str, TaskStats]
    conditions: list[str]
    repeats: int

    @property
    def tasks(self) -> list[str]:
        return [*self.imported.tasks, *(task for task in self.facts if task not in self.imported.tasks)]


def import_runs(
    path: Path,
    form: str,
    results: str,
    model: str,
    log: Callable[[str], None],
    importer: Callable[[Path], Iterable[ImportedRun]] | None = None,
) -> list[tuple[Path, Metrics]]:
    """Make runs of foreign results: in the form that recognises itself, unless one is named, or by an `importer`.

    Results without a reply make no run; that is logged, and where there is nothing else it is an error.
    """
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    name, read_all = (form, importer) if importer else _find_importer(path, form)
    with ExitStack() as undo:
        place = _results_dir(results, undo)
        staged = _staging_dir(place, undo)
        log(f"reading {path} as {name}")
        read = [_parse_results(imported, staged / f"{number}.jsonl") for number, imported in enumerate(read_all(path))]
        with_records = [imported for imported in read if imported.facts]
        if not with_records:
            raise BadData(
                f"{path}: found no reply, expected the answers of a model as {name} has them; give results that were "
                "kept with their replies"
            )
        for imported in read:
            if not imported.facts:
                log(
                    f"{imported.imported.model or path}: no reply is kept in {imported.imported.files[0].name} and its "
                    "like, so no run is made of it"
                )
        _check_names(path, [imported.imported.model for imported in with_records], model)
        made = []
        for number, imported in enumerate(with_records):
            log(f"scoring {number + 1} of {len(with_records)}: {imported.imported.model or path}")
            made.append(_build_run(imported, name, results, model, staged / f"{number}.run"))
        return [_publish(run, where, metrics, log) for run, where, metrics in made]


def _staging_dir(place: Path, undo: ExitStack) -> Path:
    """A folder for runs that are not whole yet, locked; what a killed import left is removed."""
    undo.enter_context(rundir.hold_lock(place / LOCK_FILE, f"{place} is being imported into by another process"))
    undo.callback((place / LOCK_FILE).unlink)
    for left in place.glob(f"{STAGING_PREFIX}*"):
        shutil.rmtree(left)
    return Path(undo.enter_context(tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=place)))


def _publish(built: Path, where: Path, metrics: Metrics, log: Callable[[str], None]) -> tuple[Path, Metrics]:
    """Put an imported run into its place, unless the same results were imported there before."""
    signature = load_signature(built)
    rundir.remove_leftovers(where)
    for run in rundir.find_runs(where) if where.is_dir() else ():
        if replace_versions(load_signature(run)) == replace_versions(signature) and is_finished(run):
            log(f"{run}: holds these results already, so they are not imported again")
            return run, read_metrics(run)
    return rundir.publish(built, where), metrics


def _results_dir(results: str, undo: ExitStack) -> Path:
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


def _find_importer(path: Path, form: str) -> tuple[str, Callable[[Path], Iterable[ImportedRun]]]:
    if form:
        plugin = plugins.find_plugin("importers", form)
        return plugin.module_name, load_importer(plugin).read
    known = [*plugins.plugin_names("importers"), *plugins.entry_points("importers")]
    found = [plugins.find_plugin("importers", name) for name in known]
    matching = [(plugin, importer) for plugin in found if (importer := load_importer(plugin)).matches(path)]
    if not matching:
        forms = ", ".join(plugin.name for plugin in found)
        raise UsageError(f"{path}: in none of the forms that can be read: {forms}")
    if len(matching) > 1:
        raise UsageError(
            f"{path}: holds results of {' and of '.join(plugin.name for plugin, _ in matching)}; name one with "
            "--from, or give its folder"
        )
    ((plugin, importer),) = matching
    return plugin.module_name, importer.read


def load_importer(plugin: plugins.Plugin, settings: Mapping[str, Any] = MappingProxyType({})) -> Importer:
    """Load an importer."""
    importer: Importer = plugin.load(parse_settings(plugin.settings, settings, ""), Context())
    return importer


def _check_names(path: Path, names: Sequence[str], model: str) -> None:
    if model and len(set(names)) > 1:
        raise UsageError(
            f"--model {model}: {path} holds results of {', '.join(sorted(set(names)))}; import them one by one"
        )
    if not model and not all(names):
        raise UsageError(f"{path}: nothing tells which model answered; give --model NAME")


def _parse_results(imported: ImportedRun, journal: Path) -> ParsedResults:
    """Write down the records as they come, and learn what they can be scored by.

    Where only some items of a task have choices, those without are a task of their own.
    """
    read = _write_records(imported, imported.records, journal)
    mixed = {
        task: task_stats
        for task, task_stats in read.facts.items()
        if 0 < task_stats.n_with_choices < task_stats.records
    }
    if imported.scorers is None or not mixed:
        return read
    imported.warnings.extend(
        f"{task}{OPEN}: the {task_stats.records - task_stats.n_with_choices} of {task_stats.records} items of {task} "
        "whose choices could not be read"
        for task, task_stats in mixed.items()
    )
    return _write_records(
        imported, (_split_open_ended(record, mixed) for record in read_journal(journal)), journal.with_suffix(".apart")
    )


def _write_records(imported: ImportedRun, records: Iterable[Record], journal: Path) -> ParsedResults:
    facts: dict[str, TaskStats] = {}
    conditions: dict[str, None] = {}
    repeats = 1
    seen: set[int] = set()
    with journal.open("wb") as lines, WordsFile(_words_path(journal)) as words:
        for each in records:
            given = _without_prompt(each, words)
            record, line = _as_written(imported, given)
            item = record.item
            this = question_key(item.task, item.id, record.condition, record.repeat)
            if this in seen:
                raise BadData(
                    f"{imported.benchmark}:{item.task}: found two answers of {imported.model or 'the model'} to "
                    f"'{item.id}', expected one; "
                    "import a folder of one run at a time"
                )
            seen.add(this)
            facts.setdefault(item.task, TaskStats(item.task)).add(record)
            conditions[record.condition] = None
            repeats = max(repeats, record.repeat + 1)
            lines.write(line)
    return ParsedResults(imported, journal, facts, list(conditions), repeats)


def _words_path(journal: Path) -> Path:
    """Where the words of a journal are until it becomes a run; a journal that was split has those of the whole."""
    return journal.with_suffix(".words")


def _without_prompt(record: Record, words: WordsFile) -> Record:
    """A record whose prompt, where the log holds it, is written apart and named by its digest."""
    if not isinstance(record, RecordWithPrompt):
        return record
    digest, line = encode_words(record.turns)
    words.append(digest, line)
    return replace(record.plain(), words=digest)


def _as_written(imported: ImportedRun, given: Record) -> tuple[Record, bytes]:
    """A record as the journal gives it back, and its line. Raises BadData that names it where no journal holds it."""
    try:
        record = replace(given, response=check_response(given.response)) if given.response else given
        line = encode_line(record)
        return _RECORD.decode(line), line
    except (Rejected, TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        names = ", ".join(map(str, imported.files[:1]))
        raise BadData(f"{names}: {given.item.task}, item {given.item.id}: cannot be written down ({error})") from error


_RECORD: Final = msgspec.json.Decoder(Record)


def _split_open_ended(record: Record, mixed: Container[str]) -> Record:
    item = record.item
    return (
        record if item.labels or item.task not in mixed else replace(record, item=replace(item, task=item.task + OPEN))
    )


def _build_run(read: ParsedResults, form: str, results: str, model: str, staged: Path) -> tuple[Path, Path, Metrics]:
    """A run of results that were read, in a folder of its own, where it is to be put, and its numbers."""
    imported = read.imported
    name = model or imported.model
    settings = _benchmark_settings(read)
    files = {f"{file.parent.name}/{file.name}": sha256_file(file) for file in imported.files}
    source = {"backend": "import", "name": name, "form": form, "files": files}
    signature = RunSignature(_describe_benchmark(read), source, read.conditions, read.repeats, None, {})
    config = ComposedConfig(
        RunSettings(condition=tuple(read.conditions), repeats=read.repeats, results=results),
        {"backend": "import"},
        settings,
    )
    staged.mkdir()
    rundir.write_description(staged, signature, to_yaml(config))
    _move_records(read, staged)
    dataset = DatasetCounts(sum(task_stats.records for task_stats in read.facts.values()))
    _check_kept(imported, staged / JOURNAL_FILE, dataset.questions)
    where = rundir.model_dir(results, config.run.output_dir, name, imported.benchmark)
    return staged, where, asyncio.run(write_scores(staged, _load_benchmark(read, settings), 0, dataset))


def _describe_benchmark(read: ParsedResults) -> dict[str, Any]:
    """The benchmark, as it signs the run."""
    imported = read.imported
    described = {
        "name": imported.benchmark,
        "version": 0,
        "tasks": read.tasks,
        "settings": dict(imported.settings),
    }
    return described if imported.scorers is None else described | {"imported": True}  # no packaged one stands behind it


def _benchmark_settings(read: ParsedResults) -> dict[str, Any]:
    """Settings of the benchmark: those of a packaged one, or its scorers and slices, found in the results."""
    imported = read.imported
    if imported.scorers is None:
        return dict(imported.settings)
    scorers = {task: imported.scorers(task_stats) for task, task_stats in read.facts.items()}
    return {
        "benchmark": imported.benchmark,
        "scorers": scorers,
        "slices": list(imported.slices),
        "average": imported.average,
        "warnings": [*imported.warnings, *_notices_without_scores(scorers, read.facts)],
    }


def _load_benchmark(read: ParsedResults, settings: dict[str, Any]) -> Benchmark:
    if read.imported.scorers is None:
        return load_benchmark(read.imported.benchmark, tuple(read.tasks), settings)
    return imported_benchmark.load(msgspec.convert(settings, imported_benchmark.Settings), tuple(read.tasks))


def _move_records(read: ParsedResults, run: Path) -> None:
    """Move the journal, and the words of its prompts if there are any, into the folder of a run."""
    shutil.move(read.journal, run / JOURNAL_FILE)
    words = _words_path(read.journal)
    if words.stat().st_size:
        shutil.move(words, run / WORDS_FILE)


def _check_kept(imported: ImportedRun, journal: Path, read: int) -> None:
    """Raise BadData where a journal does not hold as many records as were read."""
    if (kept := count_standing(journal)) != read:
        raise BadData(f"{imported.files[0]}: read {read} answers and kept {kept}; nothing was imported")


def _notices_without_scores(
    scorers: Mapping[str, Sequence[ScorerSpec]], facts: Mapping[str, TaskStats]
) -> Iterator[str]:
    for task, specs in scorers.items():
        if not specs:
            yield f"{task}: {facts[task].records} answers without a reference or a verdict, which nothing scores"


# ---------------------------------------------------------------- out
