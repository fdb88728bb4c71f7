"""Ask every item once, retry, write down.

Items stream: they are made, their sound is prepared on threads off the loop, at most so many wait their turn, at most so
many are under way, and each answer is in the journal before anybody hears of it. Nothing is collected, so a million
items run in the memory of a hundred.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from earmark.audio.limits import LIMITS, Limits, holding
from earmark.audio.prepare import prepare
from earmark.barrier import Barrier, Tracebacks
from earmark.config import RunSettings
from earmark.errors import AskError, BadSetup, Filtered, SoundFailed, Stopped, Transient
from earmark.journal import Journal, Record, Sent, check_response, key
from earmark.models._retries import retries
from earmark.models._throttle import Throttle, innermost
from earmark.signature import asked, heard
from earmark.survey import Question, name_of
from earmark.text.echo import flag_echo
from earmark.types import (
    Benchmark,
    Condition,
    Failure,
    Image,
    Item,
    Model,
    Prompt,
    Response,
    Seconds,
    Sound,
    Usage,
    Wave,
    replace,
)

COOKS: Final = max(2, os.cpu_count() or 1)  # threads that prepare sound, at most
BATCH: Final = 8  # items that a thread prepares before it hands them over, at most,
BATCH_TIME: Final[Seconds] = 0.002  # and how long that may take
AHEAD: Final = (
    8  # questions that are ready and wait: few, so that their bytes are still in the processor's cache when sent
)
AWAY: Final = 8  # batches
HAND_OVER: Final[Seconds] = 0.001  # what handing one question over between threads may cost: both hold the lock in turn
PULSE: Final[Seconds] = 1.0  # after which it is told how far a run is, whether or not an answer has come
ATTEMPTS: Final = 5  # requests for one answer, unless somebody says otherwise


class Tally(Struct):
    """How far a run is. The one noun that changes: it is what is told while a run goes on."""

    total: int = 0
    done: int = 0  # in this sitting
    before: int = 0  # by earlier ones
    failed: int = 0
    refused: int = 0
    in_flight: int = 0
    limit: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_sound: int = 0  # of tokens_in
    cost: float = 0.0
    seconds: Seconds = 0.0
    waiting: Seconds = 0.0  # that the server still asks everybody to wait

    def add(self, usage: Usage) -> None:
        """Enter what answers took."""
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.tokens_sound += usage.tokens_sound
        self.cost += usage.cost

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def remaining(self) -> Seconds | None:
        """Seconds to the end at this rate."""
        return (self.total - self.before - self.done) / self.rate if self.rate else None


class Job(Struct, frozen=True):
    """One prompt, ready to be asked."""

    record: Record  # what will be written, without an outcome yet
    prompt: Prompt


class Batch(NamedTuple):
    """What a cook hands over."""

    number: int
    jobs: list[Job | Record]
    took: Seconds  # for one question, waits for files and for other threads included
    worked: Seconds  # on one question, without them


class Kitchen:
    """Takes questions from a stream and prepares them, in batches that take about `BATCH_TIME`. Threads share it."""

    def __init__(
        self,
        benchmark: Benchmark,
        stream: Iterator[Question],
        model: Model,
        settled: Container[int],
        limits: Limits = LIMITS,
    ) -> None:
        self.benchmark = benchmark
        self.tracebacks = Tracebacks()  # of the run that it prepares for, which sets it
        self._limits = limits
        self._hears = model.hears
        self._stream = (q for q in stream if key(q[0].task, q[0].id, name_of(q[1]), q[2]) not in settled)
        self._taking = threading.Lock()
        self._taken = 0
        self._size = 1

    def batch(self) -> Batch:
        """The next few, ready, in order of their number; none at the end. A prompt that cannot be made is a finished record."""
        with self._taking:
            number, size = self._taken, self._size
            self._taken += 1
            questions = list(islice(self._stream, size))
        began, worked = time.perf_counter(), time.thread_time()
        jobs = [self.cook(*question) for question in questions]
        took, worked = time.perf_counter() - began, time.thread_time() - worked
        if took < BATCH_TIME / 2 and size == self._size:
            self._size = min(BATCH, size * 2)
        elif took > BATCH_TIME * 2:
            self._size = max(1, size // 2)
        each = 1 / max(1, len(jobs))
        return Batch(number, jobs, took * each, worked * each)

    def cook(self, item: Item, condition: Condition | None, repeat: int) -> Job | Record:
        record = Record(item, condition=name_of(condition), repeat=repeat)
        if item.state == "error":
            return replace(record, failure=Failure("request-failed", item.reason))
        with Barrier() as barrier:
            prompt = self.benchmark.prompt(item)
            record = replace(record, asked=asked(prompt))
            try:
                with holding(self._limits):
                    ready = prepare(condition.hear(prompt, item) if condition else prompt, self._hears)
            except AskError as error:
                return replace(record, failure=failed(error, attempts=0))
            sent = sent_sounds(ready)
            return Job(replace(record, sent=sent, heard=heard(prompt, sources(ready))), ready)
        return replace(record, failure=self.tracebacks.failure(barrier, record.title, attempts=0))


def sent_sounds(prompt: Prompt) -> tuple[Sent, ...]:
    """What the journal keeps of the sounds of a prompt."""
    return tuple(
        Sent(p.name, p.source, p.format, p.rate, p.channels, p.seconds, len(p.data), p.notes)
        if isinstance(p, Sound)
        else Sent(p.name, p.source, "samples", p.rate, p.samples.shape[0], p.seconds, p.samples.nbytes, p.notes)
        for turn in prompt.turns
        for p in turn.parts
        if isinstance(p, Sound | Wave)
    )


def sources(prompt: Prompt) -> set[str]:
    """What the sounds and pictures of a prepared prompt come from."""
    return {part.source for turn in prompt.turns for part in turn.parts if isinstance(part, Sound | Wave | Image)}


def failed(error: AskError, attempts: int) -> Failure:
    """An exception as the failure that it amounts to."""
    state: Literal["refused", "request-failed", "sound-failed"] = "request-failed"
    if isinstance(error, SoundFailed | Filtered):
        state = "sound-failed" if isinstance(error, SoundFailed) else "refused"
    return Failure(state, str(error), final=not isinstance(error, Transient), attempts=attempts)


async def ask(model: Model, prompt: Prompt, attempts: int, patience: Seconds) -> tuple[Response | Failure, int]:
    """One answer, or why there is none, and how many requests it took."""
    requests = 1
    began = time.perf_counter()
    try:
        return timed(check_response(await model.generate(prompt)), began), requests
    except Transient as error:
        again: Transient | None = (
            error  # the retries begin with it, so that the first wait comes before the second request
        )
    except AskError as error:
        return failed(error, requests), requests
    response = Response("")
    try:
        async for attempt in retries(attempts, patience):
            with attempt:
                if again:
                    before, again = again, None
                    raise before
                requests += 1
                began = time.perf_counter()
                response = timed(check_response(await model.generate(prompt)), began)
    except AskError as error:
        return failed(error, requests), requests
    return response, requests


def timed(response: Response, began: Seconds) -> Response:
    """A response with the time it took, where the model did not measure that itself."""
    return response if response.seconds else replace(response, seconds=time.perf_counter() - began)


class Engine:
    """One sitting of one run."""

    def __init__(
        self, kitchen: Kitchen, model: Throttle, path: Path, settings: RunSettings, watch: Callable[[Tally], None]
    ) -> None:
        self.kitchen, self.model, self.settings, self.watch = kitchen, model, settings, watch
        self.attempts = settings.attempts or kitchen.benchmark.attempts or ATTEMPTS
        self.again = kitchen.benchmark.again
        self.recall: Callable[[Record], Response | Failure] | None = getattr(innermost(model), "recall", None)
        # ^ of a replay, which answers by what question it is
        self.journal = Journal(path, self._told)
        self.tracebacks = kitchen.tracebacks = Tracebacks(path.parent)
        self.ready: asyncio.Queue[Job | Record | None] = asyncio.Queue(AHEAD)
        self.failures_in_a_row = 0
        self.cost = 0.0  # of the answers that have come, written or about to be
        self.cut_short = False  # by the budget
        self.keep: Callable[[Record], bool] = lambda _: True
        self.begin(Tally())

    def begin(self, tally: Tally) -> None:
        """Count time and cost from here on."""
        self.tally, self.started, self.cost = tally, time.monotonic(), tally.cost

    async def run(self, tally: Tally, keep: Callable[[Record], bool] = lambda _: True) -> None:
        """Ask all that is left. Whatever stops it, the answers that came are in the journal, as far as they are to be kept."""
        self.begin(tally)
        self.keep = keep
        pool = ThreadPoolExecutor(COOKS, "kitchen")
        pulse = asyncio.create_task(self._pulse())
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed(pool))
                for _ in range(self.model.ceiling):
                    group.create_task(self._work())
        except BaseExceptionGroup as several:
            raise first(several) from None
        finally:
            pulse.cancel()
            pool.shutdown(wait=False, cancel_futures=True)
            await self.journal.close()

    async def _feed(self, pool: ThreadPoolExecutor) -> None:
        """Hand over what the cooks make, in the order of the items.

        One cook works ahead of the queue, on a thread; when the queue runs dry, more. What costs less than handing it over
        between threads, as bytes that pass untouched do, is made here.
        """
        loop = asyncio.get_running_loop()
        cooking, early, turn = deque([loop.run_in_executor(pool, self.kitchen.batch)]), dict[int, Batch](), 0
        away = 0  # batches yet to be made on threads, since one that was made here took long
        while cooking:
            batch = await cooking.popleft()
            early[batch.number] = batch
            away = max(0, away - 1)
            cheap = batch.worked < HAND_OVER and not away
            while batch.jobs and cheap and not cooking:  # the last of them: go on here
                await self._serve(early.pop(turn).jobs)
                turn += 1
                batch = early[turn] = self.kitchen.batch()
                cheap = batch.took < HAND_OVER
                away = 0 if cheap else AWAY
            if batch.jobs and not cheap:
                wanted = COOKS if self.ready.empty() else 1
                cooking += [loop.run_in_executor(pool, self.kitchen.batch) for _ in range(len(cooking), wanted)]
            while turn in early:
                await self._serve(early.pop(turn).jobs)
                turn += 1
        await self._serve([None] * self.model.ceiling)

    async def _serve(self, jobs: Sequence[Job | Record | None]) -> None:
        for job in jobs:
            await self.ready.put(job)

    async def _work(self) -> None:
        while (job := await self.ready.get()) is not None:
            if self.over_budget():
                break
            self.take(job if isinstance(job, Record) else await self.answer(job))
        if not self.tally.in_flight:  # what was under way has come to its end
            self.stop_over_budget()

    def over_budget(self) -> bool:
        """Whether nothing more may be asked."""
        over = self.settings.budget is not None and self.cost >= self.settings.budget
        self.cut_short |= over
        return over

    def stop_over_budget(self) -> None:
        """Raise Stopped where the budget left something unasked."""
        if self.cut_short:
            raise Stopped(
                f"the answers cost {self.cost:.4g}, the budget is {self.settings.budget:g}; with a larger budget= the same command goes on"
            )

    def take(self, record: Record) -> None:
        """Enter what came of a question, and write it down where it is to be kept."""
        self.cost += record.response.usage.cost if record.response else 0.0
        if self.keep(record):
            self.journal.append(replace(record, at=time.time()))

    def _told(self, record: Record) -> None:
        count(self.tally, record)
        self._tell()

    def _tell(self) -> None:
        self.tally.seconds, self.tally.limit = time.monotonic() - self.started, self.model.limit
        self.tally.waiting = self.model.waiting
        self.watch(self.tally)

    async def _pulse(self) -> None:
        """Tell how far it is while no answer comes, too."""
        while True:
            await asyncio.sleep(PULSE)
            self._tell()

    async def answer(self, job: Job) -> Record:
        """What came of one question. Raises Stopped where too many failed in a row."""
        if self.recall:
            found = self.recall(job.record)
            kind = "response" if isinstance(found, Response) else "failure"
            return replace(job.record, **{kind: found})
        self.tally.in_flight += 1
        with Barrier() as barrier:
            outcome, requests = await self._asked(job.prompt)
        self.tally.in_flight -= 1
        if barrier.error:
            outcome, requests = self.tracebacks.failure(barrier, job.record.title), 1
        if isinstance(outcome, Response):
            self.failures_in_a_row = 0
            return replace(job.record, response=flag_echo(outcome, job.prompt), attempts=requests)
        self.failures_in_a_row += barrier.error is not None or not outcome.final
        if self.failures_in_a_row >= self.settings.give_up_after:
            raise Stopped(
                f"{self.failures_in_a_row} requests in a row failed, the last with: {outcome.message}; "
                "when the model answers again, the same command goes on"
            )
        return replace(job.record, failure=outcome, attempts=requests)

    async def _asked(self, prompt: Prompt) -> tuple[Response | Failure, int]:
        """What a prompt was answered, the second time where the protocol asks once more, and how many requests it took."""
        outcome, requests = await ask(self.model, prompt, self.attempts, self.settings.patience)
        if not (self.again and isinstance(outcome, Response) and self.again(outcome)):
            return outcome, requests
        took = outcome.usage
        outcome, more = await ask(self.model, prompt, self.attempts, self.settings.patience)
        if isinstance(outcome, Response):
            outcome = replace(outcome, usage=took + outcome.usage)
        return outcome, requests + more


def count(tally: Tally, record: Record) -> None:
    """Enter one record."""
    tally.done += 1
    if record.failure:
        tally.refused += record.failure.state == "refused"
        tally.failed += record.failure.state != "refused"
    elif record.response:
        tally.refused += record.response.stop == "filtered"
        tally.add(record.response.usage)


def first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What stopped a group of tasks: the first of its own errors, or what is no error of ours."""
    flat: list[BaseException] = []
    for error in group.exceptions:
        flat += [first(error)] if isinstance(error, BaseExceptionGroup) else [error]
    return next((error for error in flat if isinstance(error, BadSetup | Stopped)), flat[0])
