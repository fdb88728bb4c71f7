"""Ask every item once, retry, write down.

Items stream: they are made, their sound is prepared on threads off the loop, at most so many wait their turn, at most
so many are under way, and each answer is in the journal before anybody hears of it. Nothing is collected, so a million
items run in the memory of a hundred.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from earmark.config import RunSettings
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.prepare import PREPARE_THREADS, PreparedBatch, PreparedItem, PromptPreparer, to_failure
from earmark.engine.progress import Progress, count_record
from earmark.engine.retries import retries
from earmark.engine.throttle import Throttle, unwrap
from earmark.errors import AskError, BadSetup, RunStopped, Transient
from earmark.journal import Journal, Record, check_response
from earmark.text.echo import flag_echo
from earmark.types import (
    Failure,
    Model,
    Prompt,
    Response,
    Seconds,
    replace,
)

QUEUE_SIZE: Final = (
    8  # questions that are ready and wait: few, so that their bytes are still in the processor's cache when sent
)
INLINE_COOLDOWN_BATCHES: Final = 8  # batches
INLINE_MAX_SECONDS: Final[Seconds] = (
    0.001  # what handing one question over between threads may cost: both hold the lock in turn
)
PROGRESS_INTERVAL: Final[Seconds] = 1.0  # after which it is told how far a run is, whether or not an answer has come
DEFAULT_MAX_ATTEMPTS: Final = 5  # requests for one answer, unless somebody says otherwise


async def ask(model: Model, prompt: Prompt, attempts: int, patience: Seconds) -> tuple[Response | Failure, int]:
    """One answer, or why there is none, and how many requests it took."""
    requests = 1
    started = time.perf_counter()
    try:
        return with_seconds(check_response(await model.generate(prompt)), started), requests
    except Transient as error:
        again: Transient | None = (
            error  # the retries begin with it, so that the first wait comes before the second request
        )
    except AskError as error:
        return to_failure(error, requests), requests
    response = Response("")
    try:
        async for attempt in retries(attempts, patience):
            with attempt:
                if again:
                    before, again = again, None
                    raise before
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
    """One sitting of one run."""

    def __init__(
        self,
        preparer: PromptPreparer,
        model: Throttle,
        path: Path,
        settings: RunSettings,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.preparer, self.model, self.settings, self.on_progress = preparer, model, settings, on_progress
        self.max_attempts = settings.max_attempts or preparer.benchmark.max_attempts or DEFAULT_MAX_ATTEMPTS
        self.should_ask_again = preparer.benchmark.retry_if
        self.lookup: Callable[[Record], Response | Failure] | None = getattr(unwrap(model), "lookup", None)
        # ^ of a replay, which answers by what question it is
        self.journal = Journal(path, self._on_written)
        self.tracebacks = preparer.tracebacks = Tracebacks(path.parent)
        self.queue: asyncio.Queue[PreparedItem | Record | None] = asyncio.Queue(QUEUE_SIZE)
        self.failures_in_a_row = 0
        self.cost = 0.0  # of the answers that have come, written or about to be
        self.budget_exceeded = False  # by the budget
        self.should_keep: Callable[[Record], bool] = lambda _: True
        self.start_clock(Progress())

    def start_clock(self, progress: Progress) -> None:
        """Count time and cost from here on."""
        self.progress, self.started, self.cost = progress, time.monotonic(), progress.cost

    async def run(self, progress: Progress, keep: Callable[[Record], bool] = lambda _: True) -> None:
        """Ask all that is left. Whatever stops it, the answers that came are in the journal, as far as they are to be
        kept.
        """
        self.start_clock(progress)
        self.should_keep = keep
        pool = ThreadPoolExecutor(PREPARE_THREADS, "kitchen")
        pulse = asyncio.create_task(self._report_periodically())
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._fill_queue(pool))
                for _ in range(self.model.max_concurrency):
                    group.create_task(self._work())
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
        finally:
            pulse.cancel()
            pool.shutdown(wait=False, cancel_futures=True)
            await self.journal.close()

    async def _fill_queue(self, pool: ThreadPoolExecutor) -> None:
        """Hand over what the cooks make, in the order of the items.

        One cook works ahead of the queue, on a thread; when the queue runs dry, more. What costs less than handing it
        over between threads, as bytes that pass untouched do, is made here.
        """
        loop = asyncio.get_running_loop()
        futures, done_early, turn = (
            deque([loop.run_in_executor(pool, self.preparer.next_batch)]),
            dict[int, PreparedBatch](),
            0,
        )
        cooldown = 0  # batches yet to be made on threads, since one that was made here took long
        while futures:
            batch = await futures.popleft()
            done_early[batch.number] = batch
            cooldown = max(0, cooldown - 1)
            inline = batch.cpu_seconds < INLINE_MAX_SECONDS and not cooldown
            while batch.items and inline and not futures:  # the last of them: go on here
                await self._enqueue(done_early.pop(turn).items)
                turn += 1
                batch = done_early[turn] = self.preparer.next_batch()
                inline = batch.wall_seconds < INLINE_MAX_SECONDS
                cooldown = 0 if inline else INLINE_COOLDOWN_BATCHES
            if batch.items and not inline:
                wanted = PREPARE_THREADS if self.queue.empty() else 1
                futures += [loop.run_in_executor(pool, self.preparer.next_batch) for _ in range(len(futures), wanted)]
            while turn in done_early:
                await self._enqueue(done_early.pop(turn).items)
                turn += 1
        await self._enqueue([None] * self.model.max_concurrency)

    async def _enqueue(self, jobs: Sequence[PreparedItem | Record | None]) -> None:
        for job in jobs:
            await self.queue.put(job)

    async def _work(self) -> None:
        while (job := await self.queue.get()) is not None:
            if self.over_budget():
                break
            self.record(job if isinstance(job, Record) else await self.answer(job))
        if not self.progress.in_flight:  # what was under way has come to its end
            self.stop_over_budget()

    def over_budget(self) -> bool:
        """True if nothing more may be asked."""
        over = self.settings.budget is not None and self.cost >= self.settings.budget
        self.budget_exceeded |= over
        return over

    def stop_over_budget(self) -> None:
        """Raise RunStopped where the budget left something unasked."""
        if self.budget_exceeded:
            raise RunStopped(
                f"the answers cost {self.cost:.4g}, the budget is {self.settings.budget:g}; with a larger budget= the "
                "same command goes on"
            )

    def record(self, record: Record) -> None:
        """Enter what came of a question, and write it down where it is to be kept."""
        self.cost += record.response.usage.cost if record.response else 0.0
        if self.should_keep(record):
            self.journal.append(replace(record, timestamp=time.time()))

    def _on_written(self, record: Record) -> None:
        count_record(self.progress, record)
        self._report()

    def _report(self) -> None:
        self.progress.seconds, self.progress.limit = time.monotonic() - self.started, self.model.limit
        self.progress.waiting = self.model.waiting
        self.on_progress(self.progress)

    async def _report_periodically(self) -> None:
        """Tell how far it is while no answer comes, too."""
        while True:
            await asyncio.sleep(PROGRESS_INTERVAL)
            self._report()

    async def answer(self, job: PreparedItem) -> Record:
        """Ask one question. Raises RunStopped if too many failed in a row."""
        if self.lookup:
            looked_up = self.lookup(job.record)
            kind = "response" if isinstance(looked_up, Response) else "failure"
            return replace(job.record, **{kind: looked_up})
        self.progress.in_flight += 1
        with Barrier() as barrier:
            outcome, requests = await self._ask_model(job.prompt)
        self.progress.in_flight -= 1
        if barrier.error:
            outcome, requests = self.tracebacks.failure(barrier, job.record.title), 1
        if isinstance(outcome, Response):
            self.failures_in_a_row = 0
            return replace(job.record, response=flag_echo(outcome, job.prompt), attempts=requests)
        self.failures_in_a_row += barrier.error is not None or not outcome.final
        if self.failures_in_a_row >= self.settings.max_consecutive_failures:
            raise RunStopped(
                f"{self.failures_in_a_row} requests in a row failed, the last with: {outcome.message}; "
                "when the model answers again, the same command goes on"
            )
        return replace(job.record, failure=outcome, attempts=requests)

    async def _ask_model(self, prompt: Prompt) -> tuple[Response | Failure, int]:
        """Ask the model, twice if the protocol retries such a reply; return the outcome and the number of requests."""
        outcome, requests = await ask(self.model, prompt, self.max_attempts, self.settings.retry_timeout)
        if not (self.should_ask_again and isinstance(outcome, Response) and self.should_ask_again(outcome)):
            return outcome, requests
        took = outcome.usage
        outcome, more = await ask(self.model, prompt, self.max_attempts, self.settings.retry_timeout)
        if isinstance(outcome, Response):
            outcome = replace(outcome, usage=took + outcome.usage)
        return outcome, requests + more


def first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """First error of a task group: the first of our own, else any."""
    flat: list[BaseException] = []
    for error in group.exceptions:
        flat += [first_error(error)] if isinstance(error, BaseExceptionGroup) else [error]
    return next((error for error in flat if isinstance(error, BadSetup | RunStopped)), flat[0])
