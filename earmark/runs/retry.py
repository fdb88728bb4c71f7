"""Ask items again that failed, were refused or could not be parsed."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

from earmark.config.parse import parse_model
from earmark.config.settings import ComposedConfig
from earmark.config.signature import model_signature
from earmark.data.differences import differences
from earmark.engine.ask import ask_questions
from earmark.engine.load import load_conditions
from earmark.engine.open import open_run_model
from earmark.engine.progress import Callbacks, Progress
from earmark.engine.questions import RunJob, join_names, questions, skip_questions
from earmark.engine.throttle import Throttle
from earmark.errors import RunMismatch, UsageError
from earmark.journal import JOURNAL_FILE, SCORES_FILE, Record, count_standing, question_key, read_keys, total_usage
from earmark.report.rows import Metrics
from earmark.runs import rundir
from earmark.runs.overrides import Overrides, merge
from earmark.runs.rescore import _dataset_counts, reopen
from earmark.runs.scoring import read_scores, write_scores
from earmark.runs.signature import load_signature
from earmark.types import State

ASKING: Final = (  # settings that a retry uses
    *("max_attempts", "retry_timeout", "max_audio_seconds", "max_audio_bytes"),
    *("max_consecutive_failures", "budget"),
)

SIGNED: Final = (
    "condition",
    "repeats",
    "limit",
    "sample",
    "choice_order",
    "shard",
    "seed",
)  # settings that it must have in common with its run


class AllExcept:
    """Which questions are settled, seen from a retry: all but those that it asks again."""

    def __init__(self, retried: AbstractSet[int]) -> None:
        self._again = retried

    def __contains__(self, question: object) -> bool:
        return question not in self._again


def select_questions(run: Path, states: AbstractSet[State]) -> set[int]:
    """The questions of a run that ended in one of some states."""
    lines = read_scores(run / SCORES_FILE)
    return {question_key(line.task, line.id, line.condition, line.repeat) for line in lines if line.state in states}


def apply_changes(run: Path, config: ComposedConfig, changes: Overrides) -> ComposedConfig:
    """The settings of a run, some changed as a retry may have them. Raises UsageError or RunMismatch for others."""
    for name, value in changes.run.items():
        before = getattr(config.run, name)
        if name not in (*ASKING, *SIGNED):
            raise UsageError(f"{name}={value}: sets nothing of earmark retry, which takes {', '.join(ASKING)}")
        if name in SIGNED and value != before:
            raise RunMismatch(
                f"{name} was {before} and is {value}: {run} is asked again as it was asked, or not at all"
            )
    if changes.model.get("cache"):
        raise UsageError("model.cache=true: a retry asks anew, and remembers nothing")
    model = changes.model if changes.whole_model else merge(config.model, changes.model)
    asking = {name: value for name, value in changes.run.items() if name in ASKING}
    changed = msgspec.structs.replace(config, model=model, run=msgspec.structs.replace(config.run, **asking))
    if changes.model:
        before = load_signature(run).model
        signed = model_signature(parse_model(model), model.get("name") or before["name"])
        if differ := differences({"model": before}, {"model": msgspec.json.decode(msgspec.json.encode(signed))}):
            raise RunMismatch(f"{'; '.join(differ[:5])}: {run} is asked again as it was asked, or not at all")
    return changed


async def retry(
    run: Path,
    states: AbstractSet[State],
    times: int,
    callbacks: Callbacks,
    changes: Overrides | None = None,
) -> Metrics:
    """Ask again what ended in one of some states, so many times at most; an answer replaces what was there, a failure
    does not.

    `changes` may be settings of the benchmark that only change its scores, such as its judge, of the model where they
    change no answer, such as its address, and of how it is asked.
    """
    if load_signature(run).model.get("backend") == "import":
        raise UsageError(
            f"{run} was imported: there is nobody here to ask again; ask again where it came from, and import that"
        )
    given = changes.paths if changes else ()
    benchmark, config = reopen(run, changes.own if changes else {}, asks=True, given=given)
    if changes:
        config = apply_changes(run, config, changes)
    seed = config.run.seed_of(benchmark)
    model_config = parse_model(config.model | {"cache": False})  # what is cached has been asked already
    settings = msgspec.structs.replace(config.run, batch=False)  # its answers come one by one, however they came first
    job = RunJob(run, benchmark, settings, model_config)
    async with open_run_model(model_config) as model:
        if model.name != (name := load_signature(run).model["name"]):
            raise RunMismatch(f"model.name was {name!r} and is {model.name!r}: {run} is asked again as it was asked")
        with rundir.lock(run):
            metrics = await write_scores(run, benchmark, seed, _dataset_counts(run))
            for attempt in range(1, times + 1):
                again = select_questions(run, states)
                if not again:
                    callbacks.log(f"nothing to ask again: no item is {' or '.join(sorted(states))}")
                    break
                callbacks.log(f"asking again, {attempt} of {times} times: {len(again)} questions")
                await ask_again(job, model, again, callbacks)
                metrics = await write_scores(run, benchmark, seed, _dataset_counts(run))
    return metrics


async def ask_again(job: RunJob, model: Throttle, chosen: AbstractSet[int], callbacks: Callbacks) -> None:
    """Ask some questions of a run once more and keep the answers.

    Raises RunMismatch where the benchmark no longer has some of them, or where the number of records has changed.
    """
    run, benchmark, settings, _ = job
    journal, asked = run / JOURNAL_FILE, set[int]()
    before = count_standing(journal)

    def keep(record: Record) -> bool:
        asked.add(question_key(record.item.task, record.item.id, record.condition, record.repeat))
        return record.response is not None

    conditions = load_conditions(settings.condition, settings.seed_of(benchmark), benchmark)
    stream = skip_questions(questions(benchmark, conditions, settings), AllExcept(chosen))
    progress = Progress(len(chosen))
    progress.cost = total_usage(journal).usage.cost  # the budget is that of the run
    await ask_questions(stream, job, model, progress, callbacks, keep)
    gone = [line.item.id for line in read_keys(journal) if line.question_id() in chosen - asked]
    if gone:
        names = join_names(list(dict.fromkeys(gone)))
        raise RunMismatch(f"{run}: {len(chosen - asked)} questions are not in the benchmark any more: item {names}")
    if (after := count_standing(journal)) != before:
        raise RunMismatch(f"{journal}: {before} records stood before the retry and {after} after it")
