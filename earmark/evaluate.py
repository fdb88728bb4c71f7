"""The main path, on one page: read this first.

benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from earmark.config.parse import parse_config
from earmark.config.settings import ComposedConfig, Config, to_yaml
from earmark.config.signature import model_signature
from earmark.engine import batch_state
from earmark.engine.ask import ask_questions
from earmark.engine.load import BenchmarkRun, load_conditions
from earmark.engine.open import open_run_model
from earmark.engine.progress import Callbacks, Progress
from earmark.engine.questions import Question, RunJob, condition_name, limit_items, questions, skip_questions
from earmark.engine.throttle import Throttle, warnings_of
from earmark.errors import BadData, UsageError
from earmark.journal import JOURNAL_FILE, CompletedIndex, UsageTotals, load_completed
from earmark.report.rows import DatasetCounts, Metrics
from earmark.runs import rundir
from earmark.runs.dataset_check import DatasetCheck, check_dataset, check_records
from earmark.runs.open_scorers import OpenScorers, open_scorers
from earmark.runs.opening import opening_lines
from earmark.runs.scoring import score_run
from earmark.runs.signature import RunSignature, find_unchanged_files, load_signature, make_signature
from earmark.types import Benchmark, Model, NamedCondition

if TYPE_CHECKING:
    from earmark.engine.shared_models import SharedModels
    from earmark.runs.until import StopRule

MAX_NAMED_TASKS = 3  # in the name of a folder

__all__ = ["Callbacks", "RunResult", "check_config", "evaluate", "open_run"]


class RunPlan(NamedTuple):
    """A run that is about to be asked, or to go on: what of it, and what is done already."""

    job: RunJob
    conditions: tuple[NamedCondition | None, ...]
    dataset: DatasetCheck
    completed: CompletedIndex
    usage: UsageTotals  # of earlier sittings


class RunResult(Struct, frozen=True):
    """A run that has come to its end."""

    folder: Path
    model: str
    benchmark: Benchmark
    metrics: Metrics
    n_failed: int  # items that failed although they could be asked


async def evaluate(
    benchmark: Benchmark, composed: ComposedConfig, callbacks: Callbacks, models: SharedModels | None = None
) -> RunResult:
    """Ask a model everything that a benchmark holds, score it, and write it all down.

    As part of a suite, `models` keeps the model open, and a run that is finished is not asked again.
    """
    config = parse_config(composed)
    check_config(config)
    for name, reason in config.unused.items():
        callbacks.log(f"{name} is not used: {reason}")
    if benchmark.fetch:
        await asyncio.to_thread(benchmark.fetch, callbacks.log)
    seed = config.run.seed_of(benchmark)
    conditions = load_conditions(config.run.condition, seed, benchmark)
    await asyncio.to_thread(check_data, benchmark, config)
    if config.run.until:
        from earmark.runs.until import check_until  # noqa: PLC0415 - of few runs

        check_until(benchmark, config.run)
    opened = models.open(config.model) if models else open_run_model(config.model)
    async with open_scorers(benchmark) as scorers, opened as model:
        in_suite = models is not None
        run = await asyncio.to_thread(open_run, benchmark, conditions, config, model, callbacks, finished=in_suite)
        if not in_suite:  # a suite has told all of it
            log_opening(run, config, model.name, callbacks)
        with rundir.lock(run.job.folder):
            await check_model(run, model, callbacks)
            progress = make_progress(run)
            rule = await make_stop_rule(run, scorers, model) if config.run.until else None
            await ask_questions(remaining_questions(run), run.job, model, progress, callbacks, stop=rule)
            if rule:
                rule.write(run.job.folder)
            counts = DatasetCounts(run.dataset.questions, run.dataset.skipped, run.dataset.prompts)
            scored = await score_run(run.job.folder, benchmark, seed, counts, scorers)
            if not (rule and rule.is_stopped):
                await asyncio.to_thread(check_journal, run, scored.n_records)
    return RunResult(run.job.folder, model.name, benchmark, scored.metrics, scored.n_failed)


async def make_stop_rule(run: RunPlan, scorers: OpenScorers, model: Throttle) -> StopRule:
    """Return the rule that stops a run once its headline is known, the answers of earlier sittings entered."""
    from earmark.runs.until import StopRule  # noqa: PLC0415 - of few runs

    names = [condition_name(condition) for condition in run.conditions]
    rule = StopRule(run.job.benchmark, names, scorers, run.job.settings.until or 0.0)
    await asyncio.to_thread(rule.load, run.job.folder, model.max_concurrency)
    return rule


def check_config(config: Config) -> None:
    """Raise UsageError for settings of the run and of its model that contradict each other."""
    if config.model.common.cache and config.run.repeats > 1:
        raise UsageError(
            f"repeats={config.run.repeats} asks the same again, which model.cache=true does not; leave out one of the "
            "two"
        )
    if config.model.common.cache and config.run.batch:
        raise UsageError("batch=true sends every question, which model.cache=true does not; leave out one of the two")


def check_data(benchmark: Benchmark, config: Config) -> None:
    """Check the files of a benchmark and its first item, before a model is opened that may take minutes to come up."""
    try:
        benchmark.files()
    except OSError as error:
        raise BadData(f"{error.filename}: cannot be read ({error.strerror})") from error
    next(iter(limit_items(benchmark, config.run.limit)), None)


def open_run(
    benchmark: Benchmark,
    conditions: tuple[NamedCondition | None, ...],
    config: Config,
    model: Model,
    callbacks: Callbacks,
    *,
    finished: bool = False,
) -> RunPlan:
    """Open the folder of the run, an unfinished one where there is one, and find what is completed in it.

    A finished run goes before with `finished`, or to be scored anew.
    """
    names, run = [condition_name(condition) for condition in conditions], config.run
    signed = model_signature(config.model, model.name)
    signature = make_signature(
        benchmark, signed, names, run.repeats, run.limit, run.shard, capabilities=model.capabilities
    )
    parent = rundir.model_dir(run.results, run.output_dir, model.name, benchmark.name, **folder_fields(signature))
    unfinished = rundir.find_finished(parent, signature) if run.resume else None
    if unfinished:
        from earmark.runs.rescore import reuse_finished  # noqa: PLC0415 - few runs are finished before

        unfinished = reuse_finished(unfinished, benchmark.name, config.composed, callbacks.log, always=finished)
    if unfinished is None and run.resume:
        unfinished = rundir.find_unfinished(parent, signature, callbacks.log)
    completed, usage, unchanged = CompletedIndex(), UsageTotals(), set[str]()
    if unfinished:
        completed, usage = load_completed(unfinished / JOURNAL_FILE)
        unchanged = find_unchanged_files(load_signature(unfinished), signature, benchmark.files())
    dataset = check_dataset(benchmark, conditions, config.run, completed, unchanged)
    if unfinished:
        rundir.check_data(unfinished, signature)
    for problem in () if finished else dataset.problems:  # a suite has told them
        callbacks.log(f"{benchmark.name}: {problem}")
    folder = unfinished or rundir.create_rundir(parent, signature, to_yaml(config.composed))
    if completed:
        callbacks.log(f"going on with {folder}: {dataset.completed} of {dataset.questions} are settled")
    return RunPlan(RunJob(folder, benchmark, config.run, config.model), conditions, dataset, completed, usage)


def log_opening(run: RunPlan, config: Config, name: str, callbacks: Callbacks) -> None:
    """Log which model is asked, how much, at which cost, and where the run lies."""
    left, priced = run.dataset.questions - run.dataset.completed, (name, run.job.model.common.prices)
    for line in opening_lines(
        BenchmarkRun(run.job.benchmark, config.composed), run.dataset.look, left, priced, run.job.folder
    ):
        callbacks.log(line)


def folder_fields(signature: RunSignature) -> dict[str, str]:
    """Fields of `output_dir` beside the model and the benchmark."""
    tasks = [*dict.fromkeys(task.partition(".")[0] for task in signature.benchmark["tasks"])]  # not their diagnostics
    seed = signature.benchmark["settings"].get("seed", 0)
    return {
        "task": "+".join(tasks) if len(tasks) <= MAX_NAMED_TASKS else "all",
        "backend": signature.model["backend"],
        "seed": str(seed),
    }


async def check_model(run: RunPlan, model: Throttle, callbacks: Callbacks) -> None:
    """Tell what is known of the model's server and, where anything is left to ask, look whether sound reaches it."""
    for warning in warnings_of(model, run.job.model):
        callbacks.log(warning)
    if run.dataset.completed + batch_state.count_pending(run.job.folder) < run.dataset.questions:
        settings = run.job.settings
        if not model.capabilities.images:
            from earmark.preflight.pictures import check_pictures  # noqa: PLC0415 - of models that take none

            await asyncio.to_thread(check_pictures, run.job.benchmark, run.conditions, settings, model.capabilities)
        if not settings.preflight:
            return
        from earmark.preflight.check import check_run  # noqa: PLC0415 - a check that may be left out
        from earmark.preflight.probes import benchmark_pattern  # noqa: PLC0415

        pattern = await asyncio.to_thread(benchmark_pattern, run.job.benchmark, run.conditions, settings, run.job.model)
        await check_run(run.job.folder, pattern, model, settings, callbacks.log)


def remaining_questions(run: RunPlan) -> Iterator[Question]:
    """Return the questions that are neither completed nor in the queue of a service."""
    folder, benchmark, settings, _ = run.job
    if not settings.batch:
        batch_state.check_no_pending_batch(folder)
    left_out = batch_state.CompletedOrPending(run.completed, folder)
    return skip_questions(questions(benchmark, run.conditions, settings), left_out)


def make_progress(run: RunPlan) -> Progress:
    """Return how far a run is, and what it has cost."""
    progress = Progress(run.dataset.questions, done_before=run.dataset.completed)
    progress.add(run.usage.usage)
    return progress


def check_journal(run: RunPlan, n_records: int) -> None:
    """Check that the journal holds one record of each question."""
    asked = questions(run.job.benchmark, run.conditions, run.job.settings)
    check_records(run.job.folder / JOURNAL_FILE, n_records, run.dataset.questions, asked)
