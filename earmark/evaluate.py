"""The sentence, on one page: read this first.

benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from earmark import config, folder
from earmark.config import Composed
from earmark.journal import Settled, settled
from earmark.models._throttle import Throttle
from earmark.report.rows import Found, Metrics
from earmark.run import Engine, Kitchen, Tally
from earmark.scoring import records, write_scores
from earmark.survey import Survey, name_of, questions, survey
from earmark.types import Benchmark, Condition, Model


class Watch(Struct, frozen=True):
    """Who is told how a run goes."""

    say: Callable[[str], None]
    tally: Callable[[Tally], None]


class Outcome(Struct, frozen=True):
    """A run that has come to its end."""

    folder: Path
    model: str
    benchmark: Benchmark
    metrics: Metrics
    asked_in_vain: int  # items that failed although they could be asked


async def evaluate(benchmark: Benchmark, words: Composed, watch: Watch) -> Outcome:
    """Ask a model everything that a benchmark holds, score it, and write it all down."""
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    if benchmark.fetch:
        await asyncio.to_thread(benchmark.fetch, watch.say)
    conditions = tuple(config.load_condition(text, seed, benchmark) for text in words.run.condition)
    async with config.open_model(words.model) as model:
        where, found, done = await asyncio.to_thread(open_run, benchmark, model, conditions, words)
        if done:
            watch.say(f"going on with {where}: {found.settled} of {found.questions} are settled")
        with folder.held(where):
            kitchen = Kitchen(benchmark, questions(benchmark, conditions, words.run), model, done)
            throttle = Throttle(model, config.common(words.model).concurrency)
            engine = Engine(kitchen, throttle, where / folder.JOURNAL, words.run, watch.tally)
            await engine.run(Tally(found.questions, before=found.settled))
            metrics = await write_scores(where, benchmark, seed, Found(found.questions, found.skipped, found.prompts))
    vain = (
        sum(record.failure is not None and record.item.state == "ask" for record in records(where / folder.JOURNAL))
        if any(row.failed for row in metrics.rows)
        else 0
    )
    return Outcome(where, model.name, benchmark, metrics, vain)


def open_run(
    benchmark: Benchmark, model: Model, conditions: tuple[Condition | None, ...], words: Composed
) -> tuple[Path, Survey, Settled]:
    """The folder of the run, an unfinished one where there is one, with what is settled in it."""
    names = [name_of(condition) for condition in conditions]
    signed = folder.sign(
        benchmark, config.signed_model(words.model, model.name), names, words.run.repeats, words.run.limit
    )
    place = folder.place(words.run.results, words.run.place, model.name, benchmark.name)
    begun = folder.begun(place, signed) if words.run.resume else None
    done = settled(begun / folder.JOURNAL) if begun else Settled()
    found = survey(benchmark, conditions, words.run, done)
    if begun:
        folder.check_data(begun, signed)
    return begun or folder.create(place, signed, config.written(words)), found, done
