"""Ask every track of an audiogram at once, each as fast as its own answers come.

Within a track a trial waits for the answer before it; a server is kept busy by all tracks of all dimensions together. Every
answer is in the journal before the next trial of its track is asked, so a killed audiogram goes on where it stopped: each
track is played back from the journal and takes up its next trial.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import NamedTuple

import stamina

from earmark import config, folder
from earmark.audiogram.findings import Audiogram, read, settled
from earmark.audiogram.report import write_all
from earmark.audiogram.trials import Plan, Settings, Trial, benchmark, planned, trials
from earmark.config import Composed
from earmark.errors import Stopped, UsageError
from earmark.journal import Journal, Record
from earmark.models._throttle import Throttle, throttled
from earmark.preflight import look, sent
from earmark.report import figures
from earmark.run import ATTEMPTS, Kitchen, Tally, ask, count, first, spent
from earmark.stats.staircase import Ending
from earmark.survey import name_of
from earmark.types import Benchmark, Condition, Model, Response, replace


class Measured(NamedTuple):
    """An audiogram that has come to its end, and where it lies."""

    folder: Path
    audiogram: Audiogram


async def measure(words: Composed, say: Callable[[str], None], tell: Callable[[Tally], None]) -> Measured:
    """Measure the thresholds of a model, and write everything down. Goes on with an unfinished audiogram of the same settings."""
    plan = planned(config.read(Settings, words.benchmark, ""), words.run.seed or 0)
    _check(words)
    figures.check()  # before anything is asked: answers cost money
    async with config.open_model(words.model) as model:
        asked = benchmark(plan, one_clip=model.hears.clips is not None and model.hears.clips < 2)
        condition = config.load_condition(words.run.condition[0], plan.seed, asked)
        where, records = await asyncio.to_thread(_opened, asked, model, condition, words)
        if records:
            say(f"going on with {where}: {len(records)} trials are answered")
        with folder.held(where):
            found = await asyncio.to_thread(read, where)
            if not found.finished:
                throttle = throttled(model, words.model)
                pattern = await asyncio.to_thread(sent.pattern, asked, (condition,), words)
                await look.check(where, pattern, throttle, words.run, say)
                await Sitting(asked, plan, condition, throttle, words).ask_all(where / folder.JOURNAL, records, tell)
                found = await asyncio.to_thread(read, where)
            await asyncio.to_thread(write_all, where, found)
    return Measured(where, found)


def _check(words: Composed) -> None:
    """Refuse settings of a run that mean nothing here."""
    run = words.run
    if len(run.condition) != 1:
        raise UsageError(
            f"condition=[{','.join(run.condition)}]: an audiogram is heard in one way; ask for one after the other"
        )
    for name, given, instead in (
        ("limit", run.limit is not None, "trials=, tracks= and dimensions= say how much is asked"),
        ("repeats", run.repeats != 1, "tracks= says how often it is measured"),
        ("batch", run.batch, "each trial depends on the answers before it, so none can wait for a queue"),
    ):
        if given:
            raise UsageError(f"{name}={getattr(run, name)} means nothing for an audiogram: {instead}")


def _opened(
    asked: Benchmark, model: Model, condition: Condition | None, words: Composed
) -> tuple[Path, dict[str, Record]]:
    """The folder of the audiogram, an unfinished one where there is one, with what is answered in it."""
    signed = folder.sign(asked, config.signed_model(words.model, model.name), [name_of(condition)], 1, None)
    place = folder.place(words.run.results, words.run.place, model.name, folder.AUDIOGRAM)
    begun = folder.begun(place, signed) if words.run.resume else None
    where = begun or folder.create(place, signed, config.written(words))
    return where, settled(where)


class Sitting:
    """One sitting of one audiogram."""

    def __init__(
        self, asked: Benchmark, plan: Plan, condition: Condition | None, model: Throttle, words: Composed
    ) -> None:
        self.plan, self.condition, self.model, self.run = plan, condition, model, words.run
        self.kitchen = Kitchen(asked, iter(()), model, ())
        self.attempts = words.run.attempts or ATTEMPTS
        self.slots = asyncio.Semaphore(model.ceiling)
        self.failures_in_a_row = 0
        self.tally = Tally(plan.most)

    async def ask_all(self, path: Path, records: Mapping[str, Record], tell: Callable[[Tally], None]) -> None:
        """Ask what is left. Whatever stops it, the answers that came are in the journal."""
        began = time.monotonic()
        self.tally.cost = await asyncio.to_thread(spent, path)

        def written(record: Record) -> None:
            count(self.tally, record)
            self.tally.seconds, self.tally.limit = time.monotonic() - began, self.model.limit
            tell(self.tally)

        stamina.instrumentation.set_on_retry_hooks(())  # what was retried is in the journal, not on the terminal
        journal = Journal(path, written)
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(1, self.plan.tracks + 1):
                    for dimension in self.plan.dimensions:
                        group.create_task(self._track(trials(self.plan, dimension, number), records, journal))
        except BaseExceptionGroup as several:
            raise first(several) from None
        finally:
            await journal.close()
        if self._spent():
            raise Stopped(
                f"the answers cost {self.tally.cost:.4g}, the budget is {self.run.budget:g}; with a larger budget= the same command goes on"
            )

    async def _track(
        self, going: Generator[Trial, Record, Ending], records: Mapping[str, Record], journal: Journal
    ) -> None:
        trial, asked = next(going), 0
        try:
            while True:
                record = records.get(trial.item.id)
                if record is not None:
                    self.tally.before += 1
                else:
                    async with self.slots:  # no more trials are made than are asked
                        if self._spent():
                            return
                        record = await self._asked(trial)
                    journal.append(record)
                asked += 1
                trial = going.send(record)
        except StopIteration:  # a track may need fewer trials than it has, or more where some had no answer
            self.tally.total += asked - self.plan.most // (len(self.plan.dimensions) * self.plan.tracks)

    def _spent(self) -> bool:
        return self.run.budget is not None and self.tally.cost >= self.run.budget

    async def _asked(self, trial: Trial) -> Record:
        """What became of a trial."""
        job = await asyncio.to_thread(self.kitchen.cook, trial.item, self.condition, 0)
        if isinstance(job, Record):
            return replace(job, at=time.time())
        self.tally.in_flight += 1
        outcome, requests = await ask(self.model, job.prompt, self.attempts, self.run.patience)
        self.tally.in_flight -= 1
        if isinstance(outcome, Response):
            self.failures_in_a_row = 0
            return replace(job.record, response=outcome, attempts=requests, at=time.time())
        self.failures_in_a_row += not outcome.final
        if self.failures_in_a_row >= self.run.give_up_after:
            raise Stopped(
                f"{self.failures_in_a_row} requests in a row failed, the last with: {outcome.message}; "
                "when the model answers again, the same command goes on"
            )
        return replace(job.record, failure=outcome, attempts=requests, at=time.time())
