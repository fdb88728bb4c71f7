"""Ask a model the questions of a run: one by one, or by a service's queue for batches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, closing
from pathlib import Path
from typing import Protocol

from earmark.audio.read import ClipLoader
from earmark.config.settings import RunSettings
from earmark.data.prompt_words import WORDS_FILE
from earmark.engine.barrier import Tracebacks
from earmark.engine.prepare import PreparedItem, PromptPreparer, keep_words, prepare_questions
from earmark.engine.progress import Callbacks, Progress
from earmark.engine.questions import Question, RunJob
from earmark.engine.runner import Runner
from earmark.engine.throttle import Throttle
from earmark.journal import JOURNAL_FILE, Record
from earmark.types import Benchmark, Limits, Model


def make_preparer(benchmark: Benchmark, model: Model, run: Path, settings: RunSettings) -> PromptPreparer:
    """Return what prepares the items of a benchmark for a model."""
    limits = Limits(settings.max_audio_seconds, settings.max_audio_bytes)
    words_path = run / WORDS_FILE if settings.keep_words else None
    return PromptPreparer(benchmark.prompt, model.capabilities, Tracebacks(run), ClipLoader(limits), words_path)


class StopsAsking(Protocol):
    """A rule that stops a run before everything is asked."""

    def add(self, record: Record) -> None:
        """Enter a record that is on disk."""
        ...

    async def is_reached(self) -> bool: ...


async def _ask_until(
    stream: AsyncGenerator[PreparedItem | Record], stop: StopsAsking
) -> AsyncGenerator[PreparedItem | Record]:
    async with aclosing(stream):
        async for item in stream:
            if await stop.is_reached():
                return
            yield item


def _in_turn(*calls: Callable[[Record], None]) -> Callable[[Record], None]:
    def call(record: Record) -> None:
        for function in calls:
            function(record)

    return call


async def ask_questions(  # noqa: PLR0913 - each is a part of it
    questions: Iterator[Question],
    job: RunJob,
    model: Throttle,
    progress: Progress,
    callbacks: Callbacks,
    keep: Callable[[Record], bool] = lambda _: True,
    *,
    stop: StopsAsking | None = None,
) -> None:
    """Ask questions and write their records into the folder of a run; `keep` says which of them.

    The run's settings say what it may cost, and whether it goes by batches; `stop` ends it before all is asked.
    """
    run, benchmark, settings, config = job
    if settings.budget is not None:
        from earmark.engine.prices import has_prices  # noqa: PLC0415 - few runs have a budget

        if not has_prices(config.composed):
            warning = "stops nothing unless the server tells what answers cost: the model has no prices"
            callbacks.log(f"budget={settings.budget:g} {warning}")
    preparer = make_preparer(benchmark, model, run, settings)
    stream = keep_words(prepare_questions(questions, preparer), preparer)
    on_record: Callable[[Record], None] = stop.add if stop else lambda _: None
    if stop:
        stream = _ask_until(stream, stop)
    runner = Runner(model, benchmark, run / JOURNAL_FILE, settings, progress, callbacks.progress)
    if settings.batch:
        from earmark.engine.batch import BatchRunner  # noqa: PLC0415 - few runs go by batches

        batches = BatchRunner(job, model, progress, callbacks.log)
        await runner.ask(batches.records(stream, runner.flush))
    elif benchmark.open_files:
        with closing(benchmark.open_files()) as files:
            files.load(run)
            await runner.ask(stream, _in_turn(files.add, on_record), keep)
    else:
        await runner.ask(stream, on_record, keep)
