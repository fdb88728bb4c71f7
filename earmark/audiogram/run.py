"""Ask every track of an audiogram at once, each as fast as its own answers come.

Within a track a trial waits for the answer before it; a server is kept busy by all tracks of all dimensions together.
Every answer is in the journal before the next trial of its track is asked, so a killed audiogram goes on where it
stopped: each track is played back from the journal and takes up its next trial.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from earmark.audiogram.report import write_all
from earmark.audiogram.results import Audiogram, load_audiogram, load_completed
from earmark.audiogram.trials import Plan, Settings, Trial, as_benchmark, make_plan, track_trials
from earmark.config import Config, model_signature, parse_settings, to_yaml
from earmark.engine.load import load_condition
from earmark.engine.open import open_model
from earmark.engine.prepare import PromptPreparer
from earmark.engine.progress import Progress
from earmark.engine.questions import condition_name
from earmark.engine.runner import Runner, first_error
from earmark.engine.throttle import make_throttle
from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, Record, total_usage
from earmark.preflight import check, probes
from earmark.report import figures
from earmark.runs import rundir
from earmark.runs.signature import make_signature
from earmark.stats.staircase import Ending
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


class AudiogramRunResult(NamedTuple):
    """An audiogram that has come to its end, and where it lies."""

    folder: Path
    audiogram: Audiogram


async def run_audiogram(
    config: Config, log: Callable[[str], None], tell: Callable[[Progress], None]
) -> AudiogramRunResult:
    """Measure the thresholds of a model, and write everything down. Goes on with an unfinished audiogram of the same
    settings.
    """
    plan = make_plan(parse_settings(Settings, config.benchmark, ""), config.run.seed or 0)
    _check_config(config)
    figures.check_matplotlib()  # before anything is asked: answers cost money
    async with open_model(config.model) as model:
        asked = as_benchmark(plan, one_clip=model.capabilities.clips is not None and model.capabilities.clips < 2)
        condition = load_condition(config.run.condition[0], plan.seed, asked)
        run_dir, records = await asyncio.to_thread(_open_run, asked, model, condition, config, log)
        if records:
            log(f"going on with {run_dir}: {len(records)} trials are answered")
        with rundir.lock(run_dir):
            audiogram = await asyncio.to_thread(load_audiogram, run_dir)
            if not audiogram.finished:
                throttle = make_throttle(model, config.model)
                pattern = await asyncio.to_thread(probes.benchmark_pattern, asked, (condition,), config)
                await check.check_run(run_dir, pattern, throttle, config.run, log)
                preparer = PromptPreparer(asked, iter(()), model, ())
                runner = Runner(preparer, throttle, run_dir / JOURNAL_FILE, config.run, tell)
                await AudiogramRun(plan, records, condition, runner).ask_all()
                audiogram = await asyncio.to_thread(load_audiogram, run_dir)
            await asyncio.to_thread(write_all, run_dir, audiogram)
    return AudiogramRunResult(run_dir, audiogram)


def _check_config(config: Config) -> None:
    """Refuse settings of a run that mean nothing here."""
    run = config.run
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


def _open_run(
    asked: Benchmark, model: Model, condition: Condition | None, config: Config, log: Callable[[str], None]
) -> tuple[Path, dict[str, Record]]:
    """The folder of the audiogram, an unfinished one where there is one, with what is answered in it."""
    signature = make_signature(asked, model_signature(config.model, model.name), [condition_name(condition)], 1, None)
    place = rundir.model_dir(config.run.results, config.run.output_dir, model.name, rundir.AUDIOGRAM_NAME)
    begun = rundir.find_unfinished(place, signature, log) if config.run.resume else None
    where = begun or rundir.create_rundir(place, signature, to_yaml(config))
    return where, load_completed(where)


class AudiogramRun:
    """One sitting of one audiogram."""

    def __init__(self, plan: Plan, records: Mapping[str, Record], condition: Condition | None, runner: Runner) -> None:
        self.plan, self.records, self.condition, self.engine = plan, records, condition, runner
        self.slots = asyncio.Semaphore(runner.model.max_concurrency)

    async def ask_all(self) -> None:
        """Ask what is left. Whatever stops it, the answers that came are in the journal."""
        before = await asyncio.to_thread(total_usage, self.engine.journal.path)
        self.engine.start_clock(Progress(self.plan.max_trials, cost=before.usage.cost))
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(1, self.plan.tracks + 1):
                    for dimension in self.plan.dimensions:
                        group.create_task(self._track(track_trials(self.plan, dimension, number)))
        except BaseExceptionGroup as several:
            raise first_error(several) from None
        finally:
            await self.engine.journal.close()
        self.engine.stop_over_budget()

    async def _track(self, going: Generator[Trial, Record, Ending]) -> None:
        trial, asked, progress = next(going), 0, self.engine.progress
        try:
            while True:
                record = self.records.get(trial.item.id)
                if record is not None:
                    progress.done_before += 1
                else:
                    async with self.slots:  # no more trials are made than are asked
                        if self.engine.over_budget():
                            return
                        record = await self._ask_trial(trial)
                    self.engine.record(record)
                asked += 1
                trial = going.send(record)
        except StopIteration:  # a track may need fewer trials than it has, or more where some had no answer
            progress.total += asked - self.plan.max_trials // (len(self.plan.dimensions) * self.plan.tracks)

    async def _ask_trial(self, trial: Trial) -> Record:
        job = await asyncio.to_thread(self.engine.preparer.prepare_item, trial.item, self.condition, 0)
        return job if isinstance(job, Record) else await self.engine.answer(job)
