"""Batch files: the same questions by a service's queue, for half the price, within a day.

RUN/batch/
  001.requests.jsonl    the requests; removed once the service has them
  001.records.jsonl     the questions, a line each, without an answer yet
  001.json              where the batch stands

Questions are written, sent and forgotten, file by file; then the batches are waited for, and what comes back goes into
the journal as any answer does. Killed anywhere, the same command goes on: what was sent is not sent again, and what the
service has answered meanwhile is fetched. A question that the service did not come to is asked again by the next
sitting.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from earmark.data.cache import atomic_write, sha256_file
from earmark.data.plain import encode_line
from earmark.data.responses import check_response
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.batch_state import FOLDER, BatchState, count_pending, load_batch_states, records_path, requests_path
from earmark.engine.prepare import PreparedItem, to_failure
from earmark.engine.progress import Progress
from earmark.engine.questions import RunJob
from earmark.engine.retries import retries
from earmark.engine.throttle import unwrap
from earmark.errors import AskError, BadSetup, RunStopped, UsageError
from earmark.journal import Record, read_journal
from earmark.plugins.abilities import BatchJob, BatchOutputLine, BatchService, SendsBatches
from earmark.text.echo import flag_echo
from earmark.types import (
    Failure,
    Model,
    Seconds,
    replace,
)

Argument = TypeVar("Argument")  # what a service is asked with,
Result = TypeVar("Result")  # and what it tells
MAX_REQUESTS_PER_FILE: Final = 50_000  # in a file, at most,
MAX_BYTES_PER_FILE: Final = 190_000_000  # and bytes: services take 50,000 and 200 MB
MIN_POLL_INTERVAL: Final[Seconds] = 0.5  # after which it is looked whether a batch is done; then longer each time,
MAX_POLL_INTERVAL: Final[Seconds] = 60.0  # up to this
POLL_BACKOFF: Final = 1.5
MAX_CALL_ATTEMPTS: Final = 5  # of one look at the service


def find_service(model: Model) -> BatchService:
    """Return the queue of a model's service. Raises UsageError where it has none."""
    inner = unwrap(model)
    if not isinstance(inner, SendsBatches):
        raise UsageError(f"batch=true asks by a queue that {model.name} does not have; it is there for model=openai")
    return inner.batch_service()


class BatchRunner:
    """Asks a stream of questions by a service's queue, and gives their records as they come back."""

    def __init__(self, job: RunJob, model: Model, progress: Progress, log: Callable[[str], None]) -> None:
        run, benchmark, settings, config = job
        if settings.budget is not None:
            raise UsageError("budget= cannot stop a batch, which is sent whole; leave out one of the two")
        if benchmark.retry_if:
            raise UsageError(
                f"{benchmark.name} asks once more after some replies, which a batch cannot; leave out batch=true"
            )
        self._run, self._service, self._benchmark = run, find_service(model), benchmark
        self._settings, self._prices = settings, config.common.prices
        self._progress, self._log, self._started = progress, log, time.monotonic()
        self._file: RequestFile | None = None
        self._tracebacks = Tracebacks(run)

    async def records(
        self, stream: AsyncGenerator[PreparedItem | Record], flush: Callable[[], Awaitable[None]]
    ) -> AsyncGenerator[PreparedItem | Record]:
        """Send what is left, wait for what is under way, and give what comes back.

        `flush` waits until all that was given is on disk.
        """
        try:
            async with aclosing(stream):
                async for record in self._send(stream):
                    yield record
            async for record in self._wait(flush):
                yield record
        finally:
            if self._file:
                self._file.discard()

    async def _send(self, stream: AsyncGenerator[PreparedItem | Record]) -> AsyncIterator[Record]:
        """Write questions into files and send each as it is full; one that an earlier sitting left goes first."""
        for state in load_batch_states(self._run):
            if not state.batch and not state.done:
                await self._submit(state)
        async for job in stream:
            failed = job if isinstance(job, Record) else await self._add_request(job)
            if failed:
                yield failed
        if self._file:
            await self._submit(self._file.close())

    async def _add_request(self, job: PreparedItem) -> Record | None:
        """Write a question into the file; a record of its failure where a bug makes no request of it."""
        if job.prompt.replies != "one":
            raise UsageError(
                f"{job.record.title} is asked in several requests for one answer, which a batch cannot; leave out "
                "batch=true"
            )
        with Barrier() as barrier:
            line = self._service.request_line(_custom_id(job.record), job.prompt)
        if barrier.error:
            return replace(job.record, failure=self._tracebacks.failure(barrier, job.record.title))
        if self._file and not self._file.has_room_for(line):
            await self._submit(self._file.close())
            self._file = None
        self._file = self._file or RequestFile(self._run)
        self._file.add(job, line)
        return None

    async def _submit(self, state: BatchState) -> None:
        """Give a file to the service, unless it has it already."""
        mark = sha256_file(records_path(self._run, state.number))[:32]
        if not state.file:
            path = requests_path(self._run, state.number)
            state = self._save_state(state, file=await self._with_retries(self._service.upload, path))
            job = None
        else:
            job = await self._with_retries(self._service.find, state.file)
        made = job or await self._create(state.file, mark)
        state = self._save_state(state, batch=made.id)
        requests_path(self._run, state.number).unlink(missing_ok=True)
        self._log(f"batch {state.number}: {state.questions} questions sent ({made.id})")

    async def _wait(self, flush: Callable[[], Awaitable[None]]) -> AsyncIterator[Record]:
        """Look at the batches, less and less often, until all are done; give what they hold."""
        pause = MIN_POLL_INTERVAL
        while pending := [state for state in load_batch_states(self._run) if not state.done]:
            self._progress.in_flight = sum(state.questions for state in pending)
            for state in pending:
                job = await self._poll(state)
                if job.is_final:
                    async for record in self._collect(state, job):
                        yield record
                    await flush()
                    self._save_state(state, done=True)
                    self._log(f"batch {state.number}: {job.status}")
            self._progress.in_flight = count_pending(self._run)
            if not self._progress.in_flight:
                return
            if time.monotonic() - self._started + pause > self._settings.batch_timeout:
                raise RunStopped(
                    f"{self._progress.in_flight} questions are still in the service's queue after "
                    f"{self._settings.batch_timeout:g} s; the same command waits on"
                )
            await asyncio.sleep(pause)
            pause = min(MAX_POLL_INTERVAL, pause * POLL_BACKOFF)

    async def _poll(self, state: BatchState) -> BatchJob:
        """Return how a batch stands. Raises RunStopped where the service did not take it."""
        job = await self._with_retries(self._service.status, state.batch)
        if job.status == "failed":
            self._save_state(state, done=True)
            raise RunStopped(
                f"the service did not take batch {job.id}: {job.errors or 'no reason given'}; the same command sends "
                "its questions again"
            )
        return job

    async def _collect(self, state: BatchState, job: BatchJob) -> AsyncIterator[Record]:
        """Give the answers of a batch, and a failure for what it did not come to."""
        asked = {_custom_id(record): record for record in read_journal(records_path(self._run, state.number))}
        for file in job.files:
            for line in await self._with_retries(self._service.lines, file):
                record = asked.pop(line.custom_id, None)
                if record:
                    yield self._to_record(record, line)
        for record in asked.values():
            lost = Failure(
                "request-failed",
                f"the service did not come to it: batch {job.id} is {job.status}",
                final=False,
                attempts=1,
            )
            yield replace(record, failure=lost)

    def _to_record(self, record: Record, line: BatchOutputLine) -> Record:
        """A question with what came of it."""
        with Barrier() as barrier:
            return self._read(record, line)
        return replace(record, failure=self._tracebacks.failure(barrier, record.title))

    def _read(self, record: Record, line: BatchOutputLine) -> Record:
        try:
            answer = check_response(self._service.answer(line))
        except AskError as error:
            return replace(record, failure=to_failure(error, attempts=1))
        except BadSetup as error:
            wrong = Failure("request-failed", str(error), final=False, attempts=1)
            return replace(record, failure=wrong)
        if self._prices:
            cost = self._prices.cost(answer.usage, sum(sent.seconds for sent in record.audio_sent)) * self._prices.batch
            answer = replace(answer, usage=replace(answer.usage, cost=cost))
        return replace(record, response=flag_echo(answer, self._benchmark.prompt(record.item)))

    def _save_state(self, state: BatchState, **changes: Any) -> BatchState:
        changed = msgspec.structs.replace(state, **changes)
        atomic_write(self._run / FOLDER / f"{state.number:03}.json", msgspec.json.encode(changed))
        return changed

    async def _with_retries(self, call: Callable[[Argument], Awaitable[Result]], argument: Argument) -> Result:
        """Ask the service, again where that may help."""
        try:
            async for attempt in retries(MAX_CALL_ATTEMPTS, self._settings.retry_timeout):
                with attempt:
                    return await call(argument)
        except AskError as error:
            raise RunStopped(f"the service's queue does not answer: {error}; the same command goes on") from error
        raise AssertionError("stamina gives an answer or raises")

    async def _create(self, file: str, mark: str) -> BatchJob:
        """Have a batch made of a file, asking once: what was asked twice might be made twice."""
        try:
            return await self._service.create(file, mark)
        except AskError as error:
            raise RunStopped(f"the service made no batch: {error}; the same command goes on") from error


class RequestFile:
    """A file of requests being written, and the questions beside it. Killed half-way, it is as if it had never been."""

    def __init__(self, run: Path) -> None:
        self._run = run
        (run / FOLDER).mkdir(exist_ok=True)
        self._number = max((state.number for state in load_batch_states(run)), default=0) + 1
        self._requests = requests_path(run, self._number).open("wb")
        self._records = records_path(run, self._number).open("wb")
        self._bytes = self._questions = 0

    def has_room_for(self, line: bytes) -> bool:
        """True if a request has room in the file."""
        return self._questions < MAX_REQUESTS_PER_FILE and self._bytes + len(line) < MAX_BYTES_PER_FILE

    def add(self, job: PreparedItem, line: bytes) -> None:
        self._requests.write(line + b"\n")
        self._records.write(encode_line(job.record))
        self._bytes += len(line) + 1
        self._questions += 1

    def discard(self) -> None:
        """Let go of the files."""
        self._requests.close()
        self._records.close()

    def close(self) -> BatchState:
        """The batch to be."""
        self.discard()
        state = BatchState(self._number, self._questions)
        atomic_write(self._run / FOLDER / f"{self._number:03}.json", msgspec.json.encode(state))
        return state


def _custom_id(record: Record) -> str:
    """Custom id of a question within a batch."""
    text = f"{record.item.task}\x1f{record.item.id}\x1f{record.condition}\x1f{record.repeat}"
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
