"""Runs that exist: scored anew without asking, or asked again where that may help."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from earmark import config, folder, plugins
from earmark.audio.limits import Limits
from earmark.benchmarks import _imported
from earmark.config import Composed
from earmark.errors import BadData, UsageError
from earmark.journal import key, keys
from earmark.models._remember import forgetful
from earmark.models._throttle import throttled
from earmark.report.cells import Cells
from earmark.report.files import read_metrics
from earmark.report.rows import Found, Metrics, Row
from earmark.run import Engine, Kitchen, Tally
from earmark.scorers._beside import Beside, measure
from earmark.scoring import read_scores, records, score, write_scores
from earmark.stats.estimate import Estimate
from earmark.survey import questions
from earmark.types import Benchmark, Scorer, State


def reopened(run: Path, changes: Mapping[str, Any] | None = None) -> tuple[Benchmark, Composed]:
    """The benchmark and the settings of a run, some of the benchmark's settings changed."""
    signed = folder.signed(run)
    if signed.benchmark["name"] == folder.AUDIOGRAM:
        raise BadData(
            f"{run} is an audiogram: each trial depends on the answers before it, so it cannot be scored anew, asked again or compared question by question; look at it with: earmark show {run}"
        )
    try:
        words = config.read_written((run / "config.yaml").read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        said = " ".join(str(error).split())
        raise BadData(f"{run / 'config.yaml'}: cannot be read ({said}); restore it from a copy") from error
    asked = _as_asked(run, signed.benchmark, changes or {})
    words = msgspec.structs.replace(words, benchmark=words.benchmark | asked | dict(changes or {}))
    if signed.benchmark.get("imported"):
        settings = config.read(_imported.Settings, words.benchmark, "")
        return _imported.load(settings, tuple(signed.benchmark["tasks"])), words
    return config.load_line(signed.benchmark["name"], signed.benchmark["tasks"], words)


def _as_asked(run: Path, benchmark: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a run was asked with, where its benchmark tells which of them score it; only those may change."""
    module = None if benchmark.get("imported") else plugins.find("benchmarks", benchmark["name"])
    if module is None or not hasattr(module, "RESCORED"):
        return {}
    fields, scored = module.Settings.__struct_fields__, module.RESCORED
    if wrong := [name for name in changes if name in fields and name not in scored]:
        raise UsageError(
            f"{wrong[0]}= decides what is asked, and {run} is asked already; scored anew it may be with: {', '.join(scored) or 'no other settings'}"
        )
    return {name: value for name, value in benchmark["settings"].items() if name in fields}


async def rescore(run: Path, changes: Mapping[str, Any], scorer: Scorer | None = None) -> Metrics:
    """Score a run's journal anew: with changed settings of its benchmark, or by another scorer."""
    benchmark, words = reopened(run, changes)
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    scorers = (lambda _: (scorer,)) if scorer else None
    with folder.held(run):
        return await write_scores(run, benchmark, seed, _found(run), scorers)


def _found(run: Path) -> Found:
    """What the benchmark held when it was asked; of a run that was never scored, what its journal holds."""
    if (run / folder.METRICS).exists():
        return read_metrics(run).found
    return Found(len({line.of() for line in keys(run / folder.JOURNAL)}) + 1)  # more than there is: unfinished


class Chosen:
    """Which questions are settled, seen from a retry: all but those that it asks again."""

    def __init__(self, again: AbstractSet[int]) -> None:
        self._again = again

    def __contains__(self, question: object) -> bool:
        return question not in self._again


def chosen(run: Path, states: AbstractSet[State]) -> set[int]:
    """The questions of a run that ended in one of some states."""
    lines = read_scores(run / folder.SCORES)
    return {key(line.task, line.id, line.condition, line.repeat) for line in lines if line.state in states}


async def retry(
    run: Path,
    states: AbstractSet[State],
    times: int,
    say: Callable[[str], None],
    watch: Callable[[Tally], None],
    changes: Mapping[str, Any] | None = None,
) -> Metrics:
    """Ask again what ended in one of some states, so many times at most; an answer replaces what was there, a failure does not.

    `changes` are settings of the benchmark that only change its scores, such as its judge.
    """
    if folder.signed(run).model.get("backend") == "import":
        raise UsageError(
            f"{run} was imported: there is nobody here to ask again; ask again where it came from, and import that"
        )
    benchmark, words = reopened(run, changes)
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    conditions = config.load_conditions(words.run.condition, seed, benchmark)
    async with config.open_model(words.model) as model:
        throttle = throttled(forgetful(model), words.model)  # what is remembered has been asked already
        with folder.held(run):
            metrics = await write_scores(run, benchmark, seed, _found(run))
            for attempt in range(1, times + 1):
                again = chosen(run, states)
                if not again:
                    say(f"nothing to ask again: no item is {' or '.join(sorted(states))}")
                    break
                say(f"asking again, {attempt} of {times} times: {len(again)} questions")
                limits = Limits(words.run.longest, words.run.largest)
                kitchen = Kitchen(benchmark, questions(benchmark, conditions, words.run), model, Chosen(again), limits)
                engine = Engine(kitchen, throttle, run / folder.JOURNAL, words.run, watch)
                await engine.run(Tally(len(again)), keep=lambda record: record.response is not None)
                metrics = await write_scores(run, benchmark, seed, _found(run))
    return metrics


class Reading(NamedTuple):
    """What one reader made of the replies to one task, and how that stands to another harness's verdicts, where there are any."""

    reader: str
    row: Row
    beside: Mapping[str, Estimate]  # theirs, agreement, kappa


async def by_reader(runs: Sequence[Path], names: Sequence[str]) -> list[Reading]:
    """The accuracy of choices as each reader has it, over the replies of all runs together; nothing is written."""
    module = plugins.find("scorers", "choice")
    measured = {run: _measured(run) for run in runs}
    told = []
    for name in names:
        scorer, cells, beside = module.load(module.Settings(reader=name)), Cells(), defaultdict[Any, Beside](Beside)
        for run, measure_of in measured.items():
            for record in records(run / folder.JOURNAL):
                item = record.item
                if item.labels:
                    earned = await score(record, scorer)
                    cells.add(record, scorer, earned)
                    if record.response:
                        beside[item.task, record.condition].add(item, record.response, measure_of(item.task), earned)
        told += [Reading(name, row, beside[row.task, row.condition].estimates()) for row in cells.rows()]
    return told


def _measured(run: Path) -> Callable[[str], str]:
    """By which measure another harness took the replies to a task for right or wrong; nothing where none did."""
    if not folder.signed(run).benchmark.get("imported"):
        return lambda _: ""
    benchmark, _ = reopened(run)
    return functools.cache(lambda task: measure(benchmark.scorers(task)))
