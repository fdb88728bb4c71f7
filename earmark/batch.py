"""Batch files: the same questions by a service's queue, for half the price, within a day.

RUN/batch/
  001.requests.jsonl    the requests; removed once the service has them
  001.records.jsonl     the questions, a line each, without an answer yet
  001.json              where the batch stands

Questions are written, sent and forgotten, file by file; then the batches are waited for, and what comes back goes into the
journal as any answer does. Killed anywhere, the same command goes on: what was sent is not sent again, and what the service
has answered meanwhile is fetched. A question that the service did not come to is asked again by the next sitting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Struct

from earmark import folder
from earmark.barrier import Barrier, Tracebacks
from earmark.config import Composed, common
from earmark.data.cache import digest, write
from earmark.data.plain import encode_line
from earmark.errors import AskError, BadSetup, Stopped, UsageError
from earmark.journal import Journal, Record, check_response, key, keys, read
from earmark.models._retries import retries
from earmark.run import Job, Kitchen, Tally, count, failed
from earmark.text.echo import flag_echo
from earmark.types import Failure, Model, Seconds, replace

if TYPE_CHECKING:
    from earmark.models._openai_queue import Batch, Line

Given = TypeVar("Given")  # what a service is asked with,
Told = TypeVar("Told")  # and what it tells
FOLDER: Final = "batch"
REQUESTS: Final = 50_000  # in a file, at most,
BYTES: Final = 190_000_000  # and bytes: services take 50,000 and 200 MB
FIRST_LOOK: Final[Seconds] = 0.5  # after which it is looked whether a batch is done; then longer each time,
LAST_LOOK: Final[Seconds] = 60.0  # up to this
SLOWER: Final = 1.5
ATTEMPTS: Final = 5  # of one look at the service


class State(Struct, frozen=True):
    """Where a batch stands."""

    number: int
    questions: int
    file: str = ""  # as the service calls it, once it has it
    batch: str = ""
    done: bool = False


class Waiting:
    """What need not be asked: what is settled, and what is under way in a batch."""

    def __init__(self, done: Container[int], run: Path) -> None:
        self._done = done
        self._sent = {
            line.of() for state in states(run) if not state.done for line in keys(records_of(run, state.number))
        }

    def __contains__(self, question: object) -> bool:
        return question in self._sent or question in self._done


def states(run: Path) -> list[State]:
    """The batches of a run, in order."""
    return [msgspec.json.decode(path.read_bytes(), type=State) for path in sorted((run / FOLDER).glob("*.json"))]


def under_way(run: Path) -> int:
    """How many questions of a run a service has in its queue."""
    return sum(state.questions for state in states(run) if not state.done)


def refuse_to_ask_twice(run: Path) -> None:
    """Raise UsageError where questions that are under way in a batch would be asked otherwise."""
    if waiting := under_way(run):
        raise UsageError(f"{run}: {waiting} questions are under way in a batch; add batch=true to wait for them")


def records_of(run: Path, number: int) -> Path:
    return run / FOLDER / f"{number:03}.records.jsonl"


def requests_of(run: Path, number: int) -> Path:
    return run / FOLDER / f"{number:03}.requests.jsonl"


class Desk:
    """One sitting of one run: what goes out and comes back."""

    def __init__(self, run: Path, kitchen: Kitchen, model: Model, words: Composed) -> None:
        from earmark.models._openai_queue import queue_of  # noqa: PLC0415 - a client that other runs do not owe

        self.run, self.kitchen, self.queue = run, kitchen, queue_of(model)
        self.settings, self.prices = words.run, common(words.model).prices
        self.sheet: Sheet | None = None
        self.tracebacks = kitchen.tracebacks = Tracebacks(run)
        if self.settings.budget is not None:
            raise UsageError("budget= cannot stop a batch, which is sent whole; leave out one of the two")
        if kitchen.benchmark.again:
            raise UsageError(
                f"{kitchen.benchmark.name} asks once more after some replies, which a batch cannot; leave out batch=true"
            )

    async def ask(self, tally: Tally, say: Callable[[str], None], watch: Callable[[Tally], None]) -> None:
        """Send what is left, wait for what is under way, write down what comes back."""
        self.tally, self.say, self.watch, self.began = tally, say, watch, time.monotonic()
        journal = Journal(self.run / folder.JOURNAL, self._told)
        try:
            await self._send(journal)
            await self._wait(journal)
        finally:
            if self.sheet:
                self.sheet.leave()
            await journal.close()

    async def _send(self, journal: Journal) -> None:
        """Write questions into files and send each as it is full; one that an earlier sitting left goes first."""
        for state in states(self.run):
            if not state.batch and not state.done:
                await self._hand_in(state)
        while jobs := (await asyncio.to_thread(self.kitchen.batch)).jobs:
            for job in jobs:
                failed_job = job if isinstance(job, Record) else await self._enter(job)
                if failed_job:
                    journal.append(replace(failed_job, at=time.time()))
        if self.sheet:
            await self._hand_in(self.sheet.close())

    async def _enter(self, job: Job) -> Record | None:
        """Write a question into the file; a record of its failure where a bug makes no request of it."""
        with Barrier() as barrier:
            line = self.queue.model.line(_name(job.record), job.prompt)
        if barrier.error:
            return replace(job.record, failure=self.tracebacks.failure(barrier, job.record.title))
        if self.sheet and not self.sheet.holds(line):
            await self._hand_in(self.sheet.close())
            self.sheet = None
        self.sheet = self.sheet or Sheet(self.run)
        self.sheet.add(job, line)
        return None

    async def _hand_in(self, state: State) -> None:
        """Give a file to the service, unless it has it already."""
        mark = digest(records_of(self.run, state.number))[:32]
        if not state.file:
            path = requests_of(self.run, state.number)
            state = self._keep(state, file=await self._patiently(self.queue.upload, path))
            found = None
        else:
            found = await self._patiently(self.queue.find, state.file)
        made = found or await self._create(state.file, mark)
        state = self._keep(state, batch=made.id)
        requests_of(self.run, state.number).unlink(missing_ok=True)
        self.say(f"batch {state.number}: {state.questions} questions sent ({made.id})")

    async def _wait(self, journal: Journal) -> None:
        """Look at the batches, less and less often, until all are done."""
        pause = FIRST_LOOK
        while pending := [state for state in states(self.run) if not state.done]:
            self.tally.in_flight = self.tally.limit = sum(state.questions for state in pending)
            self.watch(self.tally)
            for state in pending:
                await self._look(state, journal)
            if not under_way(self.run):
                return
            if time.monotonic() - self.began + pause > self.settings.batch_patience:
                raise Stopped(
                    f"{under_way(self.run)} questions are still in the service's queue after {self.settings.batch_patience:g} s; the same command waits on"
                )
            await asyncio.sleep(pause)
            pause = min(LAST_LOOK, pause * SLOWER)

    async def _look(self, state: State, journal: Journal) -> None:
        found = await self._patiently(self.queue.look, state.batch)
        if found.status == "failed":
            self._keep(state, done=True)
            raise Stopped(
                f"the service did not take batch {found.id}: {found.errors or 'no reason given'}; the same command sends its questions again"
            )
        if found.ended:
            await self._collect(state, found, journal)

    async def _collect(self, state: State, found: Batch, journal: Journal) -> None:
        """Write down the answers of a batch, and what it did not come to."""
        asked = {_name(record): record for record in read(records_of(self.run, state.number))}
        for file in found.files:
            for line in await self._patiently(self.queue.lines, file):
                record = asked.pop(line.custom_id, None)
                if record:
                    journal.append(self._answered(record, line))
        for record in asked.values():
            lost = Failure(
                "request-failed",
                f"the service did not come to it: batch {found.id} is {found.status}",
                final=False,
                attempts=1,
            )
            journal.append(replace(record, failure=lost, at=time.time()))
        await asyncio.sleep(0)  # until what was appended is written
        self._keep(state, done=True)
        self.say(f"batch {state.number}: {found.status}")

    def _answered(self, record: Record, line: Line) -> Record:
        """A question with what came of it."""
        with Barrier() as barrier:
            return self._read(record, line)
        return replace(record, failure=self.tracebacks.failure(barrier, record.title), at=time.time())

    def _read(self, record: Record, line: Line) -> Record:
        try:
            answer = check_response(self.queue.answer(line))
        except AskError as error:
            return replace(record, failure=failed(error, attempts=1), at=time.time())
        except BadSetup as error:
            wrong = Failure("request-failed", str(error), final=False, attempts=1)
            return replace(record, failure=wrong, at=time.time())
        if self.prices:
            cost = self.prices.cost(answer.usage, sum(sent.seconds for sent in record.sent)) * self.prices.batch
            answer = replace(answer, usage=replace(answer.usage, cost=cost))
        return replace(record, response=flag_echo(answer, self.kitchen.benchmark.prompt(record.item)), at=time.time())

    def _told(self, record: Record) -> None:
        count(self.tally, record)
        self.tally.seconds = time.monotonic() - self.began
        self.watch(self.tally)

    def _keep(self, state: State, **changes: Any) -> State:
        changed = msgspec.structs.replace(state, **changes)
        write(self.run / FOLDER / f"{state.number:03}.json", msgspec.json.encode(changed))
        return changed

    async def _patiently(self, call: Callable[[Given], Awaitable[Told]], given: Given) -> Told:
        """Ask the service, again where that may help."""
        try:
            async for attempt in retries(ATTEMPTS, self.settings.patience):
                with attempt:
                    return await call(given)
        except AskError as error:
            raise Stopped(f"the service's queue does not answer: {error}; the same command goes on") from error
        raise AssertionError("stamina gives an answer or raises")

    async def _create(self, file: str, mark: str) -> Batch:
        """Have a batch made of a file, asking once: what was asked twice might be made twice."""
        try:
            return await self.queue.create(file, mark)
        except AskError as error:
            raise Stopped(f"the service made no batch: {error}; the same command goes on") from error


class Sheet:
    """A file of requests being written, and the questions beside it. Killed half-way, it is as if it had never been."""

    def __init__(self, run: Path) -> None:
        self._run = run
        (run / FOLDER).mkdir(exist_ok=True)
        self._number = max((state.number for state in states(run)), default=0) + 1
        self._requests = requests_of(run, self._number).open("wb")
        self._records = records_of(run, self._number).open("wb")
        self._bytes = self._questions = 0

    def holds(self, line: bytes) -> bool:
        """Whether a request has room in the file."""
        return self._questions < REQUESTS and self._bytes + len(line) < BYTES

    def add(self, job: Job, line: bytes) -> None:
        self._requests.write(line + b"\n")
        self._records.write(encode_line(job.record))
        self._bytes += len(line) + 1
        self._questions += 1

    def leave(self) -> None:
        """Let go of the files."""
        self._requests.close()
        self._records.close()

    def close(self) -> State:
        """The batch to be."""
        self.leave()
        state = State(self._number, self._questions)
        write(self._run / FOLDER / f"{self._number:03}.json", msgspec.json.encode(state))
        return state


def _name(record: Record) -> str:
    """What a question is called within a batch."""
    return f"{key(record.item.task, record.item.id, record.condition, record.repeat):016x}"
