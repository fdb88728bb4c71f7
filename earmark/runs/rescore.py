"""Runs that exist: scored anew without asking, or asked again where that may help."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from earmark import plugins
from earmark.config.parse import parse_settings
from earmark.config.settings import ComposedConfig, convert_config, to_yaml
from earmark.data.cache import atomic_write
from earmark.data.plain_yaml import load_plain_yaml
from earmark.engine.load import load_run_benchmark, load_scorer
from earmark.errors import BadData, EarmarkError, RunMismatch, UsageError
from earmark.journal import CONFIG_FILE, JOURNAL_FILE, METRICS_FILE, read_keys
from earmark.plugins.abilities import LimitsRescoring
from earmark.plugins.roads import add_file
from earmark.report.aggregates import Aggregates
from earmark.report.files import load_metrics, remove_leftovers
from earmark.report.imported_agreement import AgreementCounter, headline_measure
from earmark.report.rows import DatasetCounts, Metrics, Row
from earmark.runs import imported_benchmark, rundir
from earmark.runs.kept_scores import KeptScores
from earmark.runs.open_scorers import OpenScorers
from earmark.runs.scoring import latest_records, score_record, write_scores
from earmark.runs.signature import RunSignature, backends_of, load_signature
from earmark.runs.trust import is_trusted, trust_new_run
from earmark.runs.untrusted import check_named, find_in_run
from earmark.stats.estimate import Estimate
from earmark.types import Benchmark, Scorer


def reopen(
    run: Path,
    changes: Mapping[str, Any] | None = None,
    *,
    asks: bool = False,
    judge: bool = False,
    given: Collection[str] = (),
    base: Path | None = None,
) -> tuple[Benchmark, ComposedConfig]:
    """The benchmark and the settings of a run, some of the benchmark's settings changed.

    `asks`: to ask the model again; `judge`: to ask judges. Of what the run names, code and addresses among it, only
    that is used which `given`, the settings of the command line, repeats, unless the run is trusted. `base` is the
    folder at which relative paths in the benchmark's settings begin, if not the working folder.
    """
    signature = load_signature(run)
    if signature.benchmark["name"] == rundir.AUDIOGRAM_NAME:
        raise BadData(
            f"{run} is an audiogram: each trial depends on the answers before it, so it cannot be scored anew, asked "
            f"again or compared question by question; look at it with: earmark show {run}"
        )
    config = read_config(run)
    things = find_in_run(signature, config, model=asks, judge=asks or judge)
    check_named(run, things, {*given, *(changes or {})})
    for text in (*config.plugins, *config.run.condition, *(backends_of(config.model) if asks else ())):
        add_file(text.partition(":")[0])
    if asks:
        _check_files(run, signature)
    asked = _diverted_settings(signature, config) | _original_settings(run, signature.benchmark, changes or {})
    config = msgspec.structs.replace(config, benchmark=_rebase(config.benchmark | asked, base))
    changed = msgspec.structs.replace(config, benchmark=config.benchmark | dict(changes or {}))
    opened = _open_benchmark(signature, changed)
    if changes:
        _refuse_idle(run, signature, config, changes, asks=asks)
    return opened


def _check_files(run: Path, signature: RunSignature) -> None:
    """Raise RunMismatch if the file of a plug-in has changed since a run was asked."""
    for name, digest in signature.plugins.items():
        file = plugins.plugin_file(name)
        if file and file.digest != digest:
            raise RunMismatch(f"{file.path} has changed since {run} was asked; put it back, or run it anew")


def read_config(run: Path) -> ComposedConfig:
    """The settings of a run as they were composed. Raises BadData where they cannot be read."""
    path = run / CONFIG_FILE
    try:
        return convert_config(load_plain_yaml(path.read_text(encoding="utf-8"), path))
    except (OSError, UnicodeDecodeError, msgspec.ValidationError, BadData) as error:
        message = " ".join(str(error).removeprefix(f"{path}: ").split())
        raise BadData(f"{path}: cannot be read ({message}); restore it from a copy") from error


def reuse_finished(
    run: Path, benchmark: str, config: ComposedConfig, log: Callable[[str], None], *, always: bool
) -> Path | None:
    """A finished run of the same answers, if a command scores it otherwise, whose settings are then written into it.

    One that was scored in the same way only with `always`.
    """
    module = plugins.find_plugin("benchmarks", benchmark).module
    scored = module.RESCORING_FIELDS if isinstance(module, LimitsRescoring) else ()
    before = read_config(run).benchmark
    if all(before.get(name) == config.benchmark.get(name) for name in scored):
        return run if always else None
    was_trusted = is_trusted(run)
    atomic_write(run / CONFIG_FILE, to_yaml(config).encode())
    if was_trusted:
        trust_new_run(run)
    log(f"{run} has the answers: it is scored anew, and nothing is asked")
    return run


def relative_paths(settings: Mapping[str, Any], base: Path) -> dict[str, str]:
    """Settings that are relative paths of something in a folder, and the same as absolute paths."""
    texts = (value for value in settings.values() if isinstance(value, str) and value)
    return {value: str(base / value) for value in texts if not Path(value).is_absolute() and (base / value).exists()}


def _rebase(settings: Mapping[str, Any], base: Path | None) -> dict[str, Any]:
    paths = relative_paths(settings, base) if base else {}
    return {name: paths.get(value, value) if isinstance(value, str) else value for name, value in settings.items()}


def _open_benchmark(signature: RunSignature, config: ComposedConfig) -> tuple[Benchmark, ComposedConfig]:
    if signature.benchmark.get("imported"):
        settings = parse_settings(imported_benchmark.Settings, config.benchmark, "")
        return imported_benchmark.load(settings, tuple(signature.benchmark["tasks"])), config
    return load_run_benchmark(signature.benchmark["name"], signature.benchmark["tasks"], config)


def _refuse_idle(
    run: Path, signature: RunSignature, config: ComposedConfig, changes: Mapping[str, Any], *, asks: bool
) -> None:
    """Raise UsageError for a setting that decides what is asked and not how it is scored: the run is asked already.

    One that has the run's own value is taken, as is one without which the benchmark cannot be opened; where it is asked
    again, also one that signs nothing, such as where its data lie.
    """
    try:
        before = _open_benchmark(signature, config)[0]
    except EarmarkError:
        return
    for name, value in changes.items():
        after = _open_benchmark(signature, msgspec.structs.replace(config, benchmark=config.benchmark | {name: value}))[
            0
        ]
        own = name in config.benchmark and config.benchmark[name] == value
        unsigned = asks and after.settings == before.settings
        if not own and not unsigned and _scoring(after) == _scoring(before):
            raise UsageError(f"{name}={value} decides what is asked, and {run} is asked already")


def _scoring(benchmark: Benchmark) -> tuple[object, ...]:
    """What decides how a benchmark's answers are scored and reported."""
    scorers = tuple(benchmark.scorers(task) for task in benchmark.tasks)
    return scorers, benchmark.slices, benchmark.averages, benchmark.mean_over, benchmark.warnings


def _diverted_settings(signature: RunSignature, config: ComposedConfig) -> dict[str, Any]:
    """The seed where it was a word of the run that its benchmark took: config.yaml has it no more."""
    signed = signature.benchmark["settings"]
    is_taken = config.run.seed is None and "seed" in signed and "seed" not in config.benchmark
    return {"seed": signed["seed"]} if is_taken and _takes(signature, "seed") else {}


def _takes(signature: RunSignature, name: str) -> bool:
    if signature.benchmark.get("imported"):
        return False
    settings = plugins.find_plugin("benchmarks", signature.benchmark["name"]).settings
    return name in settings.__struct_fields__


def _original_settings(run: Path, benchmark: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a run was asked with, if its benchmark tells which of them score it; only they may change."""
    plugin = None if benchmark.get("imported") else plugins.find_plugin("benchmarks", benchmark["name"])
    if plugin is None or not isinstance(plugin.module, LimitsRescoring):
        return {}
    fields, scored = plugin.settings.__struct_fields__, plugin.module.RESCORING_FIELDS
    if wrong := [name for name in changes if name in fields and name not in scored]:
        raise UsageError(
            f"{wrong[0]}= decides what is asked, and {run} is asked already; scored anew it may be with: "
            f"{', '.join(scored) or 'no other settings'}"
        )
    return {name: value for name, value in benchmark["settings"].items() if name in fields}


async def rescore(run: Path, changes: Mapping[str, Any], scorer: Scorer | None = None, *, ask: bool = False) -> Metrics:
    """Score a run's journal anew: with changed settings of its benchmark, or by another scorer.

    `ask`: judges may be asked; without it, a scorer that asks one keeps the scores that it gave earlier.
    """
    benchmark, config = reopen(run, changes, judge=ask)
    seed = config.run.seed_of(benchmark)
    scorers = (lambda _: (scorer,)) if scorer else benchmark.scorers
    with rundir.lock(run):
        remove_leftovers(run)
        async with AsyncExitStack() as stack:
            opened = OpenScorers(scorers, stack, None if ask else KeptScores(run))
            return await write_scores(run, benchmark, seed, _dataset_counts(run), opened)


def _dataset_counts(run: Path) -> DatasetCounts:
    """Item counts of the benchmark when it was run; of a run that was never scored, those of its journal."""
    if (run / METRICS_FILE).exists():
        return load_metrics(run).dataset
    return DatasetCounts(
        len({line.question_id() for line in read_keys(run / JOURNAL_FILE)}) + 1
    )  # more than there is: unfinished


class ParserResult(NamedTuple):
    """Results of one parser on one task, with its agreement with imported verdicts, if there are any."""

    parser: str
    row: Row
    against_imported: Mapping[str, Estimate]  # theirs, agreement, kappa


async def compare_parsers(runs: Sequence[Path], names: Sequence[str]) -> list[ParserResult]:
    """The accuracy of choices as each reader has it, over the replies of all runs together; nothing is written."""
    measures_of_run = {run: _find_measures(run) for run in runs}
    results = []
    for name in names:
        scorer, aggregates, beside = (
            load_scorer("choice", {"parser": name}),
            Aggregates(),
            defaultdict[Any, AgreementCounter](AgreementCounter),
        )
        for run, measure_of in measures_of_run.items():
            for record in latest_records(run / JOURNAL_FILE):
                item = record.item
                if item.labels:
                    score = await score_record(record, scorer)
                    aggregates.add(record, scorer, score)
                    if record.response:
                        beside[item.task, record.condition].add(record, measure_of(item.task), score)
        results += [
            ParserResult(name, row, beside[row.task, row.condition].estimates()) for row in aggregates.to_rows()
        ]
    return results


def _find_measures(run: Path) -> Callable[[str], str]:
    """By which measure another harness took the replies to a task for right or wrong; nothing where none did."""
    if not load_signature(run).benchmark.get("imported"):
        return lambda _: ""
    benchmark, _ = reopen(run)
    return functools.cache(lambda task: headline_measure(benchmark.scorers(task)))
