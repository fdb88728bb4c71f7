"""Join the shards of a run into one run, scored anew, equal to one that a single process made."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from earmark.config.settings import ComposedConfig, to_yaml
from earmark.data.cache import hash64
from earmark.data.differences import differences
from earmark.data.prompt_words import WORDS_FILE, join_words
from earmark.engine import barrier
from earmark.engine.load import load_conditions
from earmark.engine.questions import condition_name, join_names, questions
from earmark.engine.shards import parse_shard, shard_number
from earmark.engine.speech import SPEECH_FOLDER
from earmark.errors import RunMismatch, RunStopped
from earmark.journal import JOURNAL_FILE, CompletedIndex, Record, RecordKey, question_key, read_keys
from earmark.report.files import read_judge_usage, write_metrics
from earmark.report.rows import DatasetCounts, Metrics
from earmark.runs import rundir
from earmark.runs.dataset_check import check_dataset
from earmark.runs.rescore import reopen
from earmark.runs.scoring import write_scores
from earmark.runs.signature import RunSignature, data_digests, load_signature
from earmark.types import Benchmark, Usage, replace

STAGING_PREFIX: Final = ".merging-"  # of the folder of a run that is not whole yet


async def merge_shards(runs: Sequence[Path]) -> tuple[Path, Metrics]:
    """Merge runs that are all the shards of one; return the new run and its numbers.

    Raises RunMismatch for shards of different settings, and for one that is missing or there twice; RunStopped for one
    that has not been asked to its end.
    """
    shards = sort_shards(runs)
    first = next(iter(shards.values()))
    signature = replace(load_signature(first), shard="")
    benchmark, config = reopen(first)
    config = replace(config, run=replace(config.run, shard=""))
    if changed := differences(signature.data, data_digests(benchmark.files(), benchmark.data_root)):
        raise RunMismatch(f"{first}: its data has changed since: {'; '.join(changed)}; put the data back to merge it")
    with ExitStack() as stack:
        for run in shards.values():
            stack.enter_context(rundir.lock(run))
        for left in first.parent.glob(f"{STAGING_PREFIX}*"):  # of a merge that was killed
            shutil.rmtree(left)
        staged = Path(stack.enter_context(TemporaryDirectory(prefix=STAGING_PREFIX, dir=first.parent)))
        dataset = check_shards(benchmark, config, shards)
        merged = rundir.create_rundir(staged, signature, to_yaml(config))
        for name in (JOURNAL_FILE, WORDS_FILE, barrier.FILE):
            _join_files([run / name for run in shards.values()], merged / name, distinct=name == WORDS_FILE)
        for folder in filter(Path.is_dir, (run / SPEECH_FOLDER for run in shards.values())):
            shutil.copytree(folder, merged / SPEECH_FOLDER, dirs_exist_ok=True)
        join_words([run / WORDS_FILE for run in shards.values()], merged / WORDS_FILE)
        for run in shards.values():
            if (run / SPEECH_FOLDER).is_dir():
                shutil.copytree(run / SPEECH_FOLDER, merged / SPEECH_FOLDER, dirs_exist_ok=True)
        judged = sum((read_judge_usage(run) for run in shards.values()), Usage())
        metrics = await write_scores(merged, benchmark, config.run.seed_of(benchmark), dataset)
        metrics = replace(metrics, judge_usage=judged + metrics.judge_usage)
        write_metrics(merged, metrics)
        return rundir.publish(merged, first.parent), metrics


def sort_shards(runs: Sequence[Path]) -> dict[int, Path]:
    """The runs by the number of their shard. Raises RunMismatch unless they are different shards of equal settings."""
    first = load_signature(runs[0])
    shards: dict[int, Path] = {}
    for run in runs:
        signature = load_signature(run)
        if not signature.shard:
            raise RunMismatch(f"{run} is no shard; expected runs that were asked with shard=1/N, shard=2/N and so on")
        if changed := differences(_comparable(first), _comparable(signature)):
            raise RunMismatch(f"{runs[0]} and {run} are of different settings: {'; '.join(changed[:5])}")
        shard = parse_shard(signature.shard)
        if shard.total != parse_shard(first.shard).total:
            raise RunMismatch(f"{runs[0]} is shard {first.shard} and {run} is shard {signature.shard}; merge one set")
        if shard.number in shards:
            raise RunMismatch(f"shard {signature.shard} is there twice, {shards[shard.number]} and {run}; name one")
        shards[shard.number] = run
    return dict(sorted(shards.items()))


def _comparable(signature: RunSignature) -> dict[str, Any]:
    """A signature without its shard, and without the version, which may change between two sittings of a run too."""
    unsigned = replace(signature, shard="", earmark="", working_folder="", capabilities=None, revisions={})
    plain: dict[str, Any] = msgspec.to_builtins(unsigned)
    return plain


def check_shards(benchmark: Benchmark, config: ComposedConfig, shards: Mapping[int, Path]) -> DatasetCounts:
    """Check that the shards hold one record of each question, of the prompts that the benchmark has now; count."""
    conditions = load_conditions(config.run.condition, config.run.seed_of(benchmark), benchmark)
    checked = check_dataset(benchmark, conditions, config.run, CompletedIndex(_prompt_keys(shards)))
    shard_of_question = _shards_of_questions(shards)
    total = parse_shard(load_signature(next(iter(shards.values()))).shard).total
    lacking: dict[int, list[str]] = {}
    for item, condition, repeat in questions(benchmark, conditions, config.run):
        name = condition_name(condition)
        if shard_of_question.pop(question_key(item.task, item.id, name, repeat), None) is None:
            record = Record(item, condition=name, repeat=repeat)
            lacking.setdefault(shard_number(item, total), []).append(record.title)
    for number, titles in sorted(lacking.items()):
        _raise_lacking(f"{number}/{total}", shards.get(number), titles)
    if shard_of_question:
        run = shards[next(iter(shard_of_question.values()))]
        raise RunMismatch(
            f"{run}: holds {len(shard_of_question):,} questions that the benchmark does not have any more"
        )
    return DatasetCounts(checked.questions, checked.skipped, checked.prompts)


def _raise_lacking(shard: str, run: Path | None, titles: list[str]) -> None:
    count = f"{len(titles):,} questions have no record: {join_names(titles)}"
    if run is None:
        raise RunMismatch(f"shard {shard} is not there, {count}; name its run, or make it with shard={shard}")
    raise RunStopped(f"{run} is shard {shard}, and {count}; the command that began it goes on with it")


def _prompt_keys(shards: Mapping[int, Path]) -> Iterator[RecordKey]:
    """The records of all shards by their prompts alone: no recording is read to be compared."""
    return (replace(key, audio_digest="") for run in shards.values() for key in read_keys(run / JOURNAL_FILE))


def _shards_of_questions(shards: Mapping[int, Path]) -> dict[int, int]:
    """The number of the shard that holds each question. Raises RunMismatch for a question that two of them hold."""
    known: dict[int, int] = {}
    for number, run in shards.items():
        for key in read_keys(run / JOURNAL_FILE):
            if known.setdefault(key.question_id(), number) != number:
                other = shards[known[key.question_id()]]
                raise RunMismatch(f"item {key.item.id} is in two shards, {other} and {run}; its group has changed")
    return known


def _join_files(sources: Sequence[Path], target: Path, *, distinct: bool) -> None:
    """Join the whole lines of files, those that there are; a last line that was cut short is left out."""
    seen = set[str]()
    present = [path for path in sources if path.exists()]
    if present:
        with target.open("wb") as joined:
            for path in present:
                with path.open("rb") as file:
                    for line in file:
                        name = hash64(line) if distinct else ""
                        if line.endswith(b"\n") and name not in seen:
                            joined.write(line)
                            seen.update([name] if distinct else [])
