"""Runs that exist: scored anew without asking, or asked again where that may help."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from earmark import config, folder, plugins
from earmark.audio.limits import Limits
from earmark.benchmarks import _imported
from earmark.config import Composed
from earmark.errors import BadData, EarmarkError, RunMismatch, UsageError
from earmark.journal import Record, count_standing, key, keys, taken
from earmark.models._remember import forgetful
from earmark.models._throttle import throttled
from earmark.overrides import Overrides, merge
from earmark.report.cells import Cells
from earmark.report.files import read_metrics
from earmark.report.rows import Found, Metrics, Row
from earmark.run import Engine, Kitchen, Tally
from earmark.scorers._beside import Beside, measure
from earmark.scoring import read_scores, records, score, write_scores
from earmark.signature import differences
from earmark.stats.estimate import Estimate
from earmark.survey import listed, questions
from earmark.types import Benchmark, Model, Scorer, State

ASKING: Final = ("attempts", "patience", "longest", "largest", "give_up_after", "budget")  # settings that a retry uses
SIGNED: Final = ("condition", "repeats", "limit", "seed")  # settings that it must have in common with its run


def reopened(run: Path, changes: Mapping[str, Any] | None = None, *, asks: bool = False) -> tuple[Benchmark, Composed]:
    """The benchmark and the settings of a run, some of the benchmark's settings changed; `asks`: to ask it again."""
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
    words = msgspec.structs.replace(words, benchmark=words.benchmark | asked)
    changed = msgspec.structs.replace(words, benchmark=words.benchmark | dict(changes or {}))
    opened = _opened(signed, changed)
    if changes:
        _refuse_idle(run, signed, words, changes, asks=asks)
    return opened


def _opened(signed: folder.Signed, words: Composed) -> tuple[Benchmark, Composed]:
    if signed.benchmark.get("imported"):
        settings = config.read(_imported.Settings, words.benchmark, "")
        return _imported.load(settings, tuple(signed.benchmark["tasks"])), words
    return config.load_line(signed.benchmark["name"], signed.benchmark["tasks"], words)


def _refuse_idle(run: Path, signed: folder.Signed, words: Composed, changes: Mapping[str, Any], *, asks: bool) -> None:
    """Raise UsageError for a setting that decides what is asked and not how it is scored: the run is asked already.

    One that has the run's own value is taken, as is one without which the benchmark cannot be opened; where it is asked
    again, also one that signs nothing, such as where its data lie.
    """
    try:
        before = _opened(signed, words)[0]
    except EarmarkError:
        return
    for name, value in changes.items():
        after = _opened(signed, msgspec.structs.replace(words, benchmark=words.benchmark | {name: value}))[0]
        own = name in words.benchmark and words.benchmark[name] == value
        unsigned = asks and after.settings == before.settings
        if not own and not unsigned and _scoring(after) == _scoring(before):
            raise UsageError(f"{name}={value} decides what is asked, and {run} is asked already")


def _scoring(benchmark: Benchmark) -> tuple[object, ...]:
    """What decides how a benchmark's answers are scored and reported."""
    scorers = tuple(benchmark.scorers(task) for task in benchmark.tasks)
    return scorers, benchmark.slices, benchmark.averages, benchmark.mean_over, benchmark.notices


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


def changed_settings(run: Path, words: Composed, changes: Overrides) -> Composed:
    """The settings of a run, some changed as a retry may have them. Raises UsageError or RunMismatch for others."""
    for name, value in changes.run.items():
        before = getattr(words.run, name)
        if name not in (*ASKING, *SIGNED):
            raise UsageError(f"{name}={value}: sets nothing of earmark retry, which takes {', '.join(ASKING)}")
        if name in SIGNED and value != before:
            raise RunMismatch(
                f"{name} was {before} and is {value}: {run} is asked again as it was asked, or not at all"
            )
    if changes.model.get("remember"):
        raise UsageError("model.remember=true: a retry asks anew, and remembers nothing")
    model = changes.model if changes.whole_model else merge(words.model, changes.model)
    asking = {name: value for name, value in changes.run.items() if name in ASKING}
    changed = msgspec.structs.replace(words, model=model, run=msgspec.structs.replace(words.run, **asking))
    if changes.model:
        before = folder.signed(run).model
        signed = config.signed_model(model, model.get("name") or before["name"])
        if differ := differences({"model": before}, {"model": msgspec.json.decode(msgspec.json.encode(signed))}):
            raise RunMismatch(f"{'; '.join(differ[:5])}: {run} is asked again as it was asked, or not at all")
    return changed


async def retry(
    run: Path,
    states: AbstractSet[State],
    times: int,
    say: Callable[[str], None],
    watch: Callable[[Tally], None],
    changes: Overrides | None = None,
) -> Metrics:
    """Ask again what ended in one of some states, so many times at most; an answer replaces what was there, a failure does not.

    `changes` may be settings of the benchmark that only change its scores, such as its judge, of the model where they
    change no answer, such as its address, and of how it is asked.
    """
    if folder.signed(run).model.get("backend") == "import":
        raise UsageError(
            f"{run} was imported: there is nobody here to ask again; ask again where it came from, and import that"
        )
    benchmark, words = reopened(run, changes.own if changes else {}, asks=True)
    if changes:
        words = changed_settings(run, words, changes)
    seed = benchmark.seed if words.run.seed is None else words.run.seed
    async with config.open_model(words.model) as model:
        if model.name != (name := folder.signed(run).model["name"]):
            raise RunMismatch(f"model.name was {name!r} and is {model.name!r}: {run} is asked again as it was asked")
        with folder.held(run):
            metrics = await write_scores(run, benchmark, seed, _found(run))
            for attempt in range(1, times + 1):
                again = chosen(run, states)
                if not again:
                    say(f"nothing to ask again: no item is {' or '.join(sorted(states))}")
                    break
                say(f"asking again, {attempt} of {times} times: {len(again)} questions")
                await ask_again(run, benchmark, model, words, again, watch)
                metrics = await write_scores(run, benchmark, seed, _found(run))
    return metrics


async def ask_again(
    run: Path,
    benchmark: Benchmark,
    model: Model,
    words: Composed,
    again: AbstractSet[int],
    watch: Callable[[Tally], None],
) -> None:
    """Ask some questions of a run once more and keep the answers.

    Raises RunMismatch where the benchmark no longer has some of them, or where the number of records has changed.
    """
    journal, asked = run / folder.JOURNAL, set[int]()
    before = count_standing(journal)

    def keep(record: Record) -> bool:
        asked.add(key(record.item.task, record.item.id, record.condition, record.repeat))
        return record.response is not None

    seed = benchmark.seed if words.run.seed is None else words.run.seed
    stream = questions(benchmark, config.load_conditions(words.run.condition, seed, benchmark), words.run)
    kitchen = Kitchen(benchmark, stream, model, Chosen(again), Limits(words.run.longest, words.run.largest))
    throttle = throttled(forgetful(model), words.model)  # what is remembered has been asked already
    tally = Tally(len(again))
    tally.cost = taken(journal).usage.cost  # the budget is that of the run
    await Engine(kitchen, throttle, journal, words.run, watch).run(tally, keep=keep)
    gone = [line.item.id for line in keys(journal) if line.of() in again - asked]
    if gone:
        names = listed(list(dict.fromkeys(gone)))
        raise RunMismatch(f"{run}: {len(again - asked)} questions are not in the benchmark any more: item {names}")
    if (after := count_standing(journal)) != before:
        raise RunMismatch(f"{journal}: {before} records stood before the retry and {after} after it")


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
