"""The sentence, on one page: read this first.

benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from earmark import config, folder, plugins
from earmark.config import Composed
from earmark.journal import Record, ScoreLine, Settled, settled
from earmark.models._throttle import Throttle
from earmark.report import files
from earmark.report.rows import Metrics
from earmark.run import Engine, Kitchen, Tally
from earmark.scoring import ordered, records, score_all, scored_records
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


def load_benchmark(name: str, tasks: tuple[str, ...], settings: dict[str, object]) -> Benchmark:
    """A benchmark from its file and its settings."""
    module = plugins.find("benchmarks", name)
    benchmark: Benchmark = module.load(config.read(module.Settings, settings, ""), tasks)
    return benchmark


def load_condition(text: str, seed: int, benchmark: Benchmark) -> Condition | None:
    """A condition from its file: its name, and what stands after a colon."""
    if text == "plain":
        return None
    name, _, argument = text.partition(":")
    condition: Condition = plugins.find("conditions", name).load(argument, seed, benchmark)
    return condition


async def evaluate(benchmark: Benchmark, words: Composed, watch: Watch) -> Outcome:
    """Ask a model everything that a benchmark holds, score it, and write it all down."""
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    if benchmark.fetch:
        await asyncio.to_thread(benchmark.fetch, watch.say)
    conditions = tuple(load_condition(text, seed, benchmark) for text in words.run.condition)
    async with config.open_model(words.model) as model:
        where, found, done = await asyncio.to_thread(open_run, benchmark, model, conditions, words)
        if done:
            watch.say(f"going on with {where}: {found.settled} of {found.questions} are settled")
        with folder.held(where):
            kitchen = Kitchen(benchmark, questions(benchmark, conditions, words.run), model, done)
            throttle = Throttle(model, config.common(words.model).concurrency)
            engine = Engine(kitchen, throttle, where / folder.JOURNAL, words.run, watch.tally)
            await engine.run(Tally(found.questions, before=found.settled))
            metrics = await score_run(where, benchmark, found, seed)
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
    place = folder.place(words.run.results, model.name, benchmark.name)
    begun = folder.begun(place, signed) if words.run.resume else None
    done = settled(begun / folder.JOURNAL) if begun else Settled()
    found = survey(benchmark, conditions, words.run, done)
    if begun:
        folder.check_data(begun, signed)
    return begun or folder.create(place, signed, config.written(words)), found, done


async def score_run(where: Path, benchmark: Benchmark, found: Survey, seed: int) -> Metrics:
    """Score a journal and write every report of it: the benchmark's own tables where it has some, else ours."""
    signed = folder.signed(where)
    encode = msgspec.json.Encoder().encode
    samples = None if benchmark.tables else files.Samples(where)
    with (where / folder.SCORES).open("wb") as lines, samples or nullcontext():

        def tell(record: Record, line: ScoreLine) -> None:
            lines.write(encode(line) + b"\n")
            if samples:
                samples.add(record, line)

        scored = await score_all(where / folder.JOURNAL, benchmark.scorers, benchmark.averages, seed, tell)
    rows = ordered(scored.rows, (*benchmark.tasks, *benchmark.averages), signed.condition)
    metrics = Metrics(scored.settled >= found.questions, rows, found.skipped, list(benchmark.notices), found.prompts)
    if benchmark.tables:
        pairs = partial(scored_records, where / folder.JOURNAL, where / folder.SCORES)
        files.write_tables(where, benchmark.tables(signed.model["name"], pairs))
    files.write_summary(
        where / ("numbers.csv" if benchmark.tables else "summary.csv"), signed.model["name"], benchmark.name, rows
    )
    files.write_metrics(where, metrics)
    return metrics
