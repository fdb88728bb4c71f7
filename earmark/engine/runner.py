"""The engine: ask a model the items of a stream, retry, and write down what comes of each.

A few items wait in a queue, at most so many are under way, and each record is in the journal before it is reported.
Nothing is collected, so a million items run in the memory of a hundred.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import Queue
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Final

from earmark.config.settings import RunSettings
from earmark.data.responses import check_response
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.prepare import PreparedItem, to_failure
from earmark.engine.progress import Progress, count_record
from earmark.engine.retries import DEFAULT_MAX_ATTEMPTS, retries
from earmark.engine.throttle import Throttle, unwrap
from earmark.errors import AskError, BadSetup, RunStopped, Transient
from earmark.journal import Journal, Record
from earmark.text.echo import flag_echo
from earmark.types import (
    Benchmark,
    Failure,
    LooksUpAnswers,
    Model,
    Prompt,
    Response,
    Seconds,
    replace,
)

# questions that are ready and wait: few, so that their bytes are still in the processor's cache when sent
QUEUE_SIZE: Final = 8
PROGRESS_INTERVAL: Final[Seconds] = 1.0  # after which it is told how far a run is, whether or not an answer has come


async def ask(model: Model, prompt: Prompt, attempts: int, patience: Seconds) -> tuple[Response | Failure, int]:
    """One answer, or why there is none, and how many requests it took."""
    requests = 1
    started = time.perf_counter()
    try:
        return with_seconds(check_response(await model.generate(prompt)), started), requests
    except Transient as error:
        # the retries begin with it, so that the first wait comes before the second request
        first_error: Transient | None = error
    except AskError as error:
        return to_failure(error, requests), requests
    response = Response("")
    try:
        async for attempt in retries(attempts, patience):
            with attempt:
                if first_error:
                    raised, first_error = first_error, None
                    raise raised
                requests += 1
                started = time.perf_counter()
                response = with_seconds(check_response(await model.generate(prompt)), started)
    except AskError as error:
        return to_failure(error, requests), requests
    return response, requests


def with_seconds(response: Response, started: Seconds) -> Response:
    """A response with the time it took, where the model did not measure that itself."""
    return response if response.seconds else replace(response, seconds=time.perf_counter() - started)


class Runner:
    """Asks a model whatever a stream holds, and writes down what comes of it."""

    def __init__(
        self,
        model: Throttle,
        benchmark: Benchmark,
        journal: Path,
        settings: RunSettings,
        progress: Progress,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._model, self._settings = model, settings
        self._max_attempts = settings.max_attempts or benchmark.max_attempts or DEFAULT_MAX_ATTEMPTS
        self._retry_if = benchmark.retry_if
        inner = unwrap(model)
        self._lookup = inner.lookup if isinstance(inner, LooksUpAnswers) else None
        self._path, self._tracebacks = journal, Tracebacks(journal.parent)
        self._progress, self._on_progress = progress, on_progress
        self._cost = progress.cost  # of the answers that have come, written or about to be
        self._failures_in_a_row = 0
        self._queue = Queue[PreparedItem | Record | None](QUEUE_SIZE)
        self._over_budget = asyncio.Event()  # and something was left unasked

    async def ask(
        self,
        stream: AsyncGenerator[PreparedItem | Record],
        on_record: Callable[[Record], None] = lambda _: None,
        keep: Callable[[Record], bool] = lambda _: True,
    ) -> None:
        """Ask all that a stream holds; a record in it is written as it is.

        `on_record` is called with each record once it is on disk; `keep` says which are written. Whatever stops it, the
        answers that came are in the journal.
        """
        started = time.monotonic()

        def report() -> None:
            self._report(time.monotonic() - started)

        def on_written(record: Record) -> None:
            count_record(self._progress, record)
            report()
            on_record(record)

        journal = Journal(self._path, on_written)
        try:
            async with aclosing(stream), asyncio.TaskGroup() as group:
                pulse = group.create_task(_report_periodically(journal, report))
                tasks = [group.create_task(_fill(self._queue, stream, self._model.max_concurrency))]
                tasks += [group.create_task(self._work(journal, keep)) for _ in range(self._model.max_concurrency)]
                await asyncio.wait(tasks)
                pulse.cancel()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
        finally:
            await journal.close()

    async def flush(self) -> None:
        """Wait until all that was taken from the stream so far is on disk."""
        await self._queue.join()
        await asyncio.sleep(0)  # the journal writes before the loop turns again

    async def _work(self, journal: Journal, keep: Callable[[Record], bool]) -> None:
        budget = self._settings.budget
        while (job := await self._queue.get()) is not None:
            if budget is not None and self._cost >= budget:
                self._over_budget.set()
                break
            record = job if isinstance(job, Record) else await self._answer(job)
            self._cost += record.response.usage.cost if record.response else 0.0
            if keep(record):
                journal.append(replace(record, timestamp=time.time()))
            self._queue.task_done()
            if self._over_budget.is_set():
                break
        if self._over_budget.is_set() and not self._progress.in_flight:  # what was under way has come to its end
            raise RunStopped(
                f"the answers cost {self._cost:.4g}, the budget is {budget:g}; with a larger budget= the same command "
                "goes on"
            )

    def _report(self, seconds: Seconds) -> None:
        self._progress.seconds, self._progress.waiting = seconds, self._model.waiting
        self._progress.limit = max(self._model.limit, self._progress.in_flight)
        self._on_progress(self._progress)

    async def _answer(self, job: PreparedItem) -> Record:
        """Ask one question. Raises RunStopped if too many failed in a row."""
        if self._lookup:
            looked_up = self._lookup(job.record)
            kind = "response" if isinstance(looked_up, Response) else "failure"
            return replace(job.record, **{kind: looked_up})
        self._progress.in_flight += 1
        limits = self._max_attempts, self._settings.retry_timeout
        with Barrier() as barrier:
            put = ask
            if job.prompt.replies != "one":
                from earmark.engine.conversation import ask_turns as put  # noqa: PLC0415 - few prompts are several
            outcome, requests = await put(self._model, job.prompt, *limits)
            if self._retry_if and isinstance(outcome, Response) and self._retry_if(outcome):
                took = outcome.usage
                outcome, more = await put(self._model, job.prompt, *limits)
                requests += more
                if isinstance(outcome, Response):
                    outcome = replace(outcome, usage=took + outcome.usage)
        self._progress.in_flight -= 1
        if barrier.error:
            outcome, requests = self._tracebacks.failure(barrier, job.record.title), 1
        if isinstance(outcome, Response):
            self._failures_in_a_row = 0
            response = flag_echo(outcome, job.prompt)
            if response.speech:
                from earmark.engine.speech import keep_speech  # noqa: PLC0415 - few models speak

                response = await keep_speech(response, self._path.parent, self._model)
            return replace(job.record, response=response, attempts=requests)
        self._failures_in_a_row += barrier.error is not None or not outcome.final
        if self._failures_in_a_row >= self._settings.max_consecutive_failures:
            raise RunStopped(
                f"{self._failures_in_a_row} requests in a row failed, the last with: {outcome.message}; "
                "when the model answers again, the same command goes on"
            )
        return replace(job.record, failure=outcome, attempts=requests)


async def _fill(
    queue: Queue[PreparedItem | Record | None], stream: AsyncIterator[PreparedItem | Record], workers: int
) -> None:
    """Fill a queue from a stream, then tell so many workers that it is over."""
    async for job in stream:
        await queue.put(job)
    for _ in range(workers):
        await queue.put(None)


async def _report_periodically(journal: Journal, report: Callable[[], None]) -> None:
    """Report while no answer comes, too; stop where nothing can be written any more."""
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL)
        journal.check()
        report()


def first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """First error of a task group: the first of our own, else any."""
    flat: list[BaseException] = []
    for error in group.exceptions:
        flat += [first_error(error)] if isinstance(error, BaseExceptionGroup) else [error]
    return next((error for error in flat if isinstance(error, BadSetup | RunStopped)), flat[0])
