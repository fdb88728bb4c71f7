"""The sentence, on one page: read this first.

benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from earmark.config import Config, common_settings, model_signature, to_yaml
from earmark.engine import batch, prices
from earmark.engine.load import load_conditions
from earmark.engine.open import open_model
from earmark.engine.prepare import PromptPreparer
from earmark.engine.progress import Progress
from earmark.engine.questions import Question, condition_name, questions
from earmark.engine.runner import Runner
from earmark.engine.throttle import Throttle, make_throttle, warnings_of
from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, CompletedIndex, load_completed, total_usage
from earmark.preflight import check, probes
from earmark.report.rows import DatasetCounts, Metrics
from earmark.runs import rundir
from earmark.runs.dataset_check import DatasetCheck, check_dataset, check_records
from earmark.runs.scoring import latest_records, open_scorers, write_scores
from earmark.runs.signature import make_signature
from earmark.types import Benchmark, Condition, Limits, Model


class Callbacks(Struct, frozen=True):
    """Who is told how a run goes."""

    log: Callable[[str], None]
    progress: Callable[[Progress], None]


class RunContext(NamedTuple):
    """One sitting of a run: where it lies, what the benchmark holds, what is settled, and how it was asked for."""

    rundir: Path
    dataset: DatasetCheck
    completed: CompletedIndex
    config: Config
    callbacks: Callbacks


class RunResult(Struct, frozen=True):
    """A run that has come to its end."""

    folder: Path
    model: str
    benchmark: Benchmark
    metrics: Metrics
    n_failed: int  # items that failed although they could be asked


async def evaluate(benchmark: Benchmark, config: Config, callbacks: Callbacks) -> RunResult:
    """Ask a model everything that a benchmark holds, score it, and write it all down."""
    check_config(config)
    seed = benchmark.seed if config.run.seed is None else config.run.seed
    if benchmark.fetch:
        await asyncio.to_thread(benchmark.fetch, callbacks.log)
    conditions = load_conditions(config.run.condition, seed, benchmark)
    async with open_model(config.model) as model, open_scorers(benchmark) as scorers:
        run_dir, dataset, completed = await asyncio.to_thread(
            open_run, benchmark, model, conditions, config, callbacks.log
        )
        if completed:
            callbacks.log(f"going on with {run_dir}: {dataset.completed} of {dataset.questions} are settled")
        throttle = make_throttle(model, config.model)
        for warning in warnings_of(model, config.model):
            callbacks.log(warning)
        with rundir.lock(run_dir):
            if dataset.completed + batch.count_pending(run_dir) < dataset.questions:
                pattern = await asyncio.to_thread(probes.benchmark_pattern, benchmark, conditions, config)
                await check.check_run(run_dir, pattern, throttle, config.run, callbacks.log)
            stream = questions(benchmark, conditions, config.run)
            await ask_all(benchmark, stream, throttle, RunContext(run_dir, dataset, completed, config, callbacks))
            holds = DatasetCounts(dataset.questions, dataset.skipped, dataset.prompts)
            metrics = await write_scores(run_dir, benchmark, seed, holds, scorers)
            stream = questions(benchmark, conditions, config.run)
            await asyncio.to_thread(check_records, run_dir / JOURNAL_FILE, dataset.questions, stream)
    n_failed = (
        sum(
            record.failure is not None and record.item.state == "ask"
            for record in latest_records(run_dir / JOURNAL_FILE)
        )
        if any(row.failed for row in metrics.rows)
        else 0
    )
    return RunResult(run_dir, model.name, benchmark, metrics, n_failed)


def check_config(config: Config) -> None:
    """Raise UsageError for settings that contradict each other."""
    remember = common_settings(config.model).cache
    if remember and config.run.repeats > 1:
        raise UsageError(
            f"repeats={config.run.repeats} asks the same again, which model.cache=true does not; leave out one of the "
            "two"
        )
    if remember and config.run.batch:
        raise UsageError("batch=true sends every question, which model.cache=true does not; leave out one of the two")


async def ask_all(benchmark: Benchmark, stream: Iterator[Question], model: Throttle, context: RunContext) -> None:
    """Ask what is not settled: each question by itself, or all in batches."""
    run_dir, dataset, completed, config, callbacks = context
    usage_before = (await asyncio.to_thread(total_usage, run_dir / JOURNAL_FILE)).usage
    if config.run.budget is not None and not prices.has_prices(config.model):
        callbacks.log(
            f"budget={config.run.budget:g} stops nothing unless the server tells what answers cost: the model has no "
            "prices"
        )
    progress = Progress(dataset.questions, done_before=dataset.completed)
    progress.add(usage_before)
    limits = Limits(config.run.max_audio_seconds, config.run.max_audio_bytes)
    if config.run.batch:
        preparer = PromptPreparer(benchmark, stream, model, batch.CompletedOrPending(completed, run_dir), limits)
        await batch.BatchRunner(run_dir, preparer, model, config).ask(progress, callbacks.log, callbacks.progress)
        return
    batch.check_no_pending_batch(run_dir)
    preparer = PromptPreparer(benchmark, stream, model, completed, limits)
    await Runner(preparer, model, run_dir / JOURNAL_FILE, config.run, callbacks.progress).run(progress)


def open_run(
    benchmark: Benchmark,
    model: Model,
    conditions: tuple[Condition | None, ...],
    config: Config,
    log: Callable[[str], None] = lambda _: None,
) -> tuple[Path, DatasetCheck, CompletedIndex]:
    """The folder of the run, an unfinished one where there is one, with what is settled in it."""
    names = [condition_name(condition) for condition in conditions]
    signature = make_signature(
        benchmark, model_signature(config.model, model.name), names, config.run.repeats, config.run.limit
    )
    parent = rundir.model_dir(config.run.results, config.run.output_dir, model.name, benchmark.name)
    unfinished = rundir.find_unfinished(parent, signature, log) if config.run.resume else None
    completed = load_completed(unfinished / JOURNAL_FILE) if unfinished else CompletedIndex()
    dataset = check_dataset(benchmark, conditions, config.run, completed)
    if unfinished:
        rundir.check_data(unfinished, signature)
    return unfinished or rundir.create_rundir(parent, signature, to_yaml(config)), dataset, completed
