"""The sentence, on one page: read this first.

benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from earmark import batch, config, folder, prices
from earmark.audio.limits import Limits
from earmark.config import Composed
from earmark.errors import UsageError
from earmark.journal import Settled, settled, taken
from earmark.models._throttle import Throttle, throttled, warnings_of
from earmark.preflight import look, sent
from earmark.report.rows import Found, Metrics
from earmark.run import Engine, Kitchen, Tally
from earmark.scoring import open_scorers, records, write_scores
from earmark.survey import Question, Survey, check_records, name_of, questions, survey
from earmark.types import Benchmark, Condition, Model


class Watch(Struct, frozen=True):
    """Who is told how a run goes."""

    say: Callable[[str], None]
    tally: Callable[[Tally], None]


class Sitting(NamedTuple):
    """One sitting of a run: where it lies, what the benchmark holds, what is settled, and how it was asked for."""

    where: Path
    found: Survey
    done: Settled
    words: Composed
    watch: Watch


class Outcome(Struct, frozen=True):
    """A run that has come to its end."""

    folder: Path
    model: str
    benchmark: Benchmark
    metrics: Metrics
    asked_in_vain: int  # items that failed although they could be asked


async def evaluate(benchmark: Benchmark, words: Composed, watch: Watch) -> Outcome:
    """Ask a model everything that a benchmark holds, score it, and write it all down."""
    check(words)
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    if benchmark.fetch:
        await asyncio.to_thread(benchmark.fetch, watch.say)
    conditions = config.load_conditions(words.run.condition, seed, benchmark)
    async with config.open_model(words.model) as model, open_scorers(benchmark) as scorers:
        where, found, done = await asyncio.to_thread(open_run, benchmark, model, conditions, words, watch.say)
        if done:
            watch.say(f"going on with {where}: {found.settled} of {found.questions} are settled")
        throttle = throttled(model, words.model)
        for warning in warnings_of(model, words.model):
            watch.say(warning)
        with folder.held(where):
            if found.settled + batch.under_way(where) < found.questions:
                pattern = await asyncio.to_thread(sent.pattern, benchmark, conditions, words)
                await look.check(where, pattern, throttle, words.run, watch.say)
            stream = questions(benchmark, conditions, words.run)
            await ask_all(benchmark, stream, throttle, Sitting(where, found, done, words, watch))
            holds = Found(found.questions, found.skipped, found.prompts)
            metrics = await write_scores(where, benchmark, seed, holds, scorers)
            stream = questions(benchmark, conditions, words.run)
            await asyncio.to_thread(check_records, where / folder.JOURNAL, found.questions, stream)
    vain = (
        sum(record.failure is not None and record.item.state == "ask" for record in records(where / folder.JOURNAL))
        if any(row.failed for row in metrics.rows)
        else 0
    )
    return Outcome(where, model.name, benchmark, metrics, vain)


def check(words: Composed) -> None:
    """Raise UsageError for settings that contradict each other."""
    remember = config.common(words.model).remember
    if remember and words.run.repeats > 1:
        raise UsageError(
            f"repeats={words.run.repeats} asks the same again, which model.remember=true does not; leave out one of the two"
        )
    if remember and words.run.batch:
        raise UsageError(
            "batch=true sends every question, which model.remember=true does not; leave out one of the two"
        )


async def ask_all(benchmark: Benchmark, stream: Iterator[Question], model: Throttle, sitting: Sitting) -> None:
    """Ask what is not settled: each question by itself, or all in batches."""
    where, found, done, words, watch = sitting
    before = (await asyncio.to_thread(taken, where / folder.JOURNAL)).usage
    if words.run.budget is not None and not prices.are_known(words.model):
        watch.say(
            f"budget={words.run.budget:g} stops nothing unless the server tells what answers cost: the model has no prices"
        )
    tally = Tally(found.questions, before=found.settled)
    tally.add(before)
    limits = Limits(words.run.longest, words.run.largest)
    if words.run.batch:
        kitchen = Kitchen(benchmark, stream, model, batch.Waiting(done, where), limits)
        await batch.Desk(where, kitchen, model, words).ask(tally, watch.say, watch.tally)
        return
    batch.refuse_to_ask_twice(where)
    kitchen = Kitchen(benchmark, stream, model, done, limits)
    await Engine(kitchen, model, where / folder.JOURNAL, words.run, watch.tally).run(tally)


def open_run(
    benchmark: Benchmark,
    model: Model,
    conditions: tuple[Condition | None, ...],
    words: Composed,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Path, Survey, Settled]:
    """The folder of the run, an unfinished one where there is one, with what is settled in it."""
    names = [name_of(condition) for condition in conditions]
    signed = folder.sign(
        benchmark, config.signed_model(words.model, model.name), names, words.run.repeats, words.run.limit
    )
    place = folder.place(words.run.results, words.run.place, model.name, benchmark.name)
    begun = folder.begun(place, signed, say) if words.run.resume else None
    done = settled(begun / folder.JOURNAL) if begun else Settled()
    found = survey(benchmark, conditions, words.run, done)
    if begun:
        folder.check_data(begun, signed)
    return begun or folder.create(place, signed, config.written(words)), found, done
