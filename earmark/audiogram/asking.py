"""Ask every track of an audiogram at once, each as fast as its own answers come.

Within a track a trial waits for the answer before it; a server is kept busy by all tracks of all dimensions together. Every
answer is in the journal before the next trial of its track is asked, so a killed audiogram goes on where it stopped: each
track is played back from the journal and takes up its next trial.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from earmark import config, folder
from earmark.audiogram.findings import Audiogram, read, settled
from earmark.audiogram.report import write_all
from earmark.audiogram.trials import Plan, Settings, Trial, benchmark, planned, trials
from earmark.config import Composed
from earmark.errors import UsageError
from earmark.journal import Record, taken
from earmark.models._throttle import throttled
from earmark.preflight import look, sent
from earmark.report import figures
from earmark.run import Engine, Kitchen, Tally, first
from earmark.stats.staircase import Ending
from earmark.survey import name_of
from earmark.types import Benchmark, Condition, Model

RUN_SETTINGS: Final = (  # that an audiogram uses, or refuses with a word on what to give instead
    *(
        "condition",
        "seed",
        "results",
        "place",
        "resume",
        "attempts",
        "patience",
        "give_up_after",
        "preflight",
        "budget",
    ),
    *("noise", "limit", "repeats", "batch"),
)


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
        where, records = await asyncio.to_thread(_opened, asked, model, condition, words, say)
        if records:
            say(f"going on with {where}: {len(records)} trials are answered")
        with folder.held(where):
            found = await asyncio.to_thread(read, where)
            if not found.finished:
                throttle = throttled(model, words.model)
                pattern = await asyncio.to_thread(sent.pattern, asked, (condition,), words)
                await look.check(where, pattern, throttle, words.run, say)
                kitchen = Kitchen(asked, iter(()), model, ())
                engine = Engine(kitchen, throttle, where / folder.JOURNAL, words.run, tell)
                await Sitting(plan, records, condition, engine).ask_all()
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
    asked: Benchmark, model: Model, condition: Condition | None, words: Composed, say: Callable[[str], None]
) -> tuple[Path, dict[str, Record]]:
    """The folder of the audiogram, an unfinished one where there is one, with what is answered in it."""
    signed = folder.sign(asked, config.signed_model(words.model, model.name), [name_of(condition)], 1, None)
    place = folder.place(words.run.results, words.run.place, model.name, folder.AUDIOGRAM)
    begun = folder.begun(place, signed, say) if words.run.resume else None
    where = begun or folder.create(place, signed, config.written(words))
    return where, settled(where)


class Sitting:
    """One sitting of one audiogram."""

    def __init__(self, plan: Plan, records: Mapping[str, Record], condition: Condition | None, engine: Engine) -> None:
        self.plan, self.records, self.condition, self.engine = plan, records, condition, engine
        self.slots = asyncio.Semaphore(engine.model.ceiling)

    async def ask_all(self) -> None:
        """Ask what is left. Whatever stops it, the answers that came are in the journal."""
        before = await asyncio.to_thread(taken, self.engine.journal.path)
        self.engine.begin(Tally(self.plan.most, cost=before.usage.cost))
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(1, self.plan.tracks + 1):
                    for dimension in self.plan.dimensions:
                        group.create_task(self._track(trials(self.plan, dimension, number)))
        except BaseExceptionGroup as several:
            raise first(several) from None
        finally:
            await self.engine.journal.close()
        self.engine.stop_over_budget()

    async def _track(self, going: Generator[Trial, Record, Ending]) -> None:
        trial, asked, tally = next(going), 0, self.engine.tally
        try:
            while True:
                record = self.records.get(trial.item.id)
                if record is not None:
                    tally.before += 1
                else:
                    async with self.slots:  # no more trials are made than are asked
                        if self.engine.over_budget():
                            return
                        record = await self._asked(trial)
                    self.engine.take(record)
                asked += 1
                trial = going.send(record)
        except StopIteration:  # a track may need fewer trials than it has, or more where some had no answer
            tally.total += asked - self.plan.most // (len(self.plan.dimensions) * self.plan.tracks)

    async def _asked(self, trial: Trial) -> Record:
        job = await asyncio.to_thread(self.engine.kitchen.cook, trial.item, self.condition, 0)
        return job if isinstance(job, Record) else await self.engine.answer(job)
