"""Ask every track of an audiogram at once, each as fast as its own answers come.

Within a track a trial waits for the answer before it; a server is kept busy by all tracks of all dimensions together.
Every answer is in the journal before the next trial of its track is asked, so a killed audiogram goes on where it
stopped: each track is played back from the journal and takes up its next trial.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from earmark.audiogram.report import write_all
from earmark.audiogram.results import Audiogram, load_audiogram, load_completed
from earmark.audiogram.trials import Plan, Settings, Trial, as_benchmark, make_plan, track_trials
from earmark.config.parse import parse_config, parse_settings
from earmark.config.settings import ComposedConfig, Config, RunSettings, to_yaml
from earmark.config.signature import model_signature
from earmark.engine.ask import make_preparer
from earmark.engine.load import load_condition
from earmark.engine.open import open_run_model
from earmark.engine.prepare import PreparedItem, PromptPreparer, keep_words
from earmark.engine.progress import Callbacks, Progress
from earmark.engine.questions import condition_name
from earmark.engine.runner import Runner
from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, Record, total_usage
from earmark.preflight import check, probes
from earmark.report import figures
from earmark.runs import rundir
from earmark.runs.signature import make_signature
from earmark.stats.staircase import Ending
from earmark.types import Benchmark, Model, NamedCondition

RUN_SETTINGS: Final = (  # that an audiogram uses, or refuses with a word on what to give instead
    *("condition", "seed", "results", "output_dir", "resume", "max_attempts", "retry_timeout"),
    *("max_consecutive_failures", "preflight", "budget"),
    *("noise", "limit", "repeats", "batch"),
)


Track: TypeAlias = Generator[Trial, Record, Ending]


class AudiogramRunResult(NamedTuple):
    """An audiogram that has come to its end, and where it lies."""

    folder: Path
    audiogram: Audiogram


async def run_audiogram(composed: ComposedConfig, callbacks: Callbacks) -> AudiogramRunResult:
    """Measure the thresholds of a model, and write everything down. Goes on with an unfinished audiogram of the same
    settings.
    """
    plan = make_plan(parse_settings(Settings, composed.benchmark, ""), composed.run.seed or 0)
    _check_settings(composed.run)
    config = parse_config(composed)
    figures.check_matplotlib()  # before anything is asked: answers cost money
    async with open_run_model(config.model) as model:
        asked = as_benchmark(plan, one_clip=model.capabilities.clips is not None and model.capabilities.clips < 2)
        condition = load_condition(config.run.condition[0], plan.seed, asked)
        run_dir, records = await asyncio.to_thread(_open_run, asked, model, condition, config, callbacks.log)
        if records:
            callbacks.log(f"going on with {run_dir}: {len(records)} trials are answered")
        with rundir.lock(run_dir):
            audiogram = await asyncio.to_thread(load_audiogram, run_dir)
            if not audiogram.finished:
                pattern = await asyncio.to_thread(
                    probes.benchmark_pattern, asked, (condition,), config.run, config.model
                )
                await check.check_run(run_dir, pattern, model, config.run, callbacks.log)
                before = await asyncio.to_thread(total_usage, run_dir / JOURNAL_FILE)
                progress = Progress(plan.max_trials, cost=before.usage.cost)
                runner = Runner(model, asked, run_dir / JOURNAL_FILE, config.run, progress, callbacks.progress)
                preparer = make_preparer(asked, model, run_dir, config.run)
                await ask_trials(plan, records, condition, runner, preparer, progress)
                audiogram = await asyncio.to_thread(load_audiogram, run_dir)
            await asyncio.to_thread(write_all, run_dir, audiogram)
    return AudiogramRunResult(run_dir, audiogram)


def _check_settings(run: RunSettings) -> None:
    """Refuse settings of a run that mean nothing here."""
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
    asked: Benchmark,
    model: Model,
    condition: NamedCondition | None,
    config: Config,
    log: Callable[[str], None],
) -> tuple[Path, dict[str, Record]]:
    """The folder of the audiogram, an unfinished one where there is one, with what is answered in it."""
    signed, names = model_signature(config.model, model.name), [condition_name(condition)]
    signature = make_signature(asked, signed, names, 1, None, capabilities=model.capabilities)
    place = rundir.model_dir(config.run.results, config.run.output_dir, model.name, rundir.AUDIOGRAM_NAME)
    begun = rundir.find_unfinished(place, signature, log) if config.run.resume else None
    where = begun or rundir.create_rundir(place, signature, to_yaml(config.composed))
    return where, load_completed(where)


async def ask_trials(
    plan: Plan,
    records: Mapping[str, Record],
    condition: NamedCondition | None,
    runner: Runner,
    preparer: PromptPreparer,
    progress: Progress,
) -> None:
    """Ask every track to its end; `records` are the answers that earlier sittings have."""
    answers = asyncio.Queue[Record]()
    tracks = Tracks(plan, records, progress)

    async def trials() -> AsyncGenerator[PreparedItem | Record]:
        ready = deque(tracks.start())
        while ready or tracks.waiting:
            while ready:
                yield await asyncio.to_thread(preparer.prepare_item, ready.popleft().item, condition, 0)
            ready += tracks.take(await answers.get())

    await runner.ask(keep_words(trials(), preparer), answers.put_nowait)


class Tracks:
    """The tracks of an audiogram, each of which waits for the answer to one trial."""

    def __init__(self, plan: Plan, records: Mapping[str, Record], progress: Progress) -> None:
        self._plan, self._records, self._progress = plan, records, progress
        self._n_trials = Counter[Track]()
        self.waiting: dict[str, Track] = {}  # by the id of the trial

    def start(self) -> Iterator[Trial]:
        """Start every track; give the trials to ask."""
        for number in range(1, self._plan.tracks + 1):
            for dimension in self._plan.dimensions:
                track = track_trials(self._plan, dimension, number)
                yield from self._play(track, next(track))

    def take(self, record: Record) -> Iterator[Trial]:
        """Give a track its answer; give the trial that it asks next, if any."""
        yield from self._play(self.waiting.pop(record.item.id), record)

    def _play(self, track: Track, step: Trial | Record) -> Iterator[Trial]:
        """Play a track on as far as its answers are known."""
        try:
            trial = step if isinstance(step, Trial) else self._send(track, step)
            while record := self._records.get(trial.item.id):
                self._progress.done_before += 1
                trial = self._send(track, record)
        except StopIteration:  # it may need fewer trials than it has, or more where some had no answer
            each = self._plan.max_trials // (len(self._plan.dimensions) * self._plan.tracks)
            self._progress.total += self._n_trials[track] - each
        else:
            self.waiting[trial.item.id] = track
            yield trial

    def _send(self, track: Track, record: Record) -> Trial:
        self._n_trials[track] += 1
        return track.send(record)
