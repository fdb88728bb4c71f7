"""One pass over a benchmark before anything is asked.

It counts, finds ids that stand for two items, and holds what a journal has settled against what would be asked now: a
changed prompt or recording is found before a cent is spent, and never answered from memory.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import numpy as np
from msgspec import Struct

from earmark.config.settings import RunSettings
from earmark.engine.barrier import Barrier
from earmark.engine.digests import audio_digest, file_stamp, prompt_digest, recording_paths
from earmark.engine.questions import SHOWN, Question, check_items, condition_name, join_names, limit_items
from earmark.engine.shards import parse_shard
from earmark.errors import BadData, RunMismatch, RunStopped
from earmark.journal import Completed, CompletedIndex, Record, question_key, read_keys
from earmark.runs.look import Look
from earmark.types import Benchmark, Item, NamedCondition, Prompt


class DatasetCheck(Struct, frozen=True):
    """Item counts of a benchmark, and how many are completed."""

    questions: int  # items under every condition, with repeats
    skipped: dict[str, dict[str, int]]  # by task and reason, items that are not asked about
    prompts: str  # a digest of every prompt's words
    completed: int
    look: Look  # what was seen of the items
    problems: tuple[str, ...] = ()  # what is missing or odd, a line each


def check_dataset(
    benchmark: Benchmark,
    conditions: tuple[NamedCondition | None, ...],
    settings: RunSettings,
    completed: CompletedIndex,
    unchanged_files: AbstractSet[str] = frozenset(),
) -> DatasetCheck:
    """Count and check. Raises BadData for ids that come twice and for targets that name no choice, RunMismatch for a
    question that is not what it was; recordings in `unchanged_files` are not compared.
    """
    items: dict[str, int] = dict.fromkeys(benchmark.tasks, 0)
    skipped: dict[str, dict[str, int]] = {}
    ids = array("Q")
    words = hashlib.sha256()
    done = 0
    astray, barrier, look = Astray(benchmark.name), Barrier(), Look(benchmark, limit=settings.limit)
    shard = parse_shard(settings.shard)
    for item in limit_items(benchmark, settings.limit, types=True):
        look.add(item)
        ids.append(question_key(item.task, item.id, "", 0))
        if shard.total > 1 and not shard.holds(item):
            continue
        if item.state == "skipped":
            _count_skipped(skipped, item)
            continue
        items[item.task] = items.get(item.task, 0) + 1
        astray.check(item)
        prompt, now = _make_prompt(benchmark, item, barrier)
        words.update((now or item.reason).encode())
        for before in _find_digests(item, conditions, settings, completed) if len(completed) else ():
            done += 1
            if prompt and now:
                _check_unchanged(benchmark, item, prompt, now, before, unchanged_files)
    _check_ids(benchmark, ids)
    astray.refuse()
    if not sum(items.values()):
        raise BadData(_describe_empty(benchmark, settings.shard, len(ids)))
    total = sum(items.values()) * len(conditions) * settings.repeats
    problems = look.check(benchmark.name, strict=settings.strict)
    return DatasetCheck(total, skipped, words.hexdigest(), done, look, problems)


def _make_prompt(benchmark: Benchmark, item: Item, barrier: Barrier) -> tuple[Prompt | None, str]:
    """The prompt of an item and its digest; neither where it cannot be asked, or a bug will fail it when it is."""
    if item.state == "ask":
        with barrier:
            prompt = benchmark.prompt(item)
            return prompt, prompt_digest(prompt)
    return None, ""


def _count_skipped(skipped: dict[str, dict[str, int]], item: Item) -> None:
    reasons = skipped.setdefault(item.task, {})
    reasons[item.reason] = reasons.get(item.reason, 0) + 1


def _describe_empty(benchmark: Benchmark, shard: str, n_items: int) -> str:
    if shard and n_items:
        return (
            f"{benchmark.name}: shard {shard} holds none of the {n_items:,} items; earmark merge joins the others "
            "without it"
        )
    return (
        f"{benchmark.name}: found no item to ask about in {', '.join(benchmark.tasks)}; check data=, limit= and the "
        "tasks"
    )


class Astray:
    """Items with choices whose targets name none of them, so that every reply would be wrong."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._items = 0
        self._total = 0
        self._first: list[str] = []
        self._sound: tuple[tuple[str, ...], int] = ((), 0)  # labels and the number of choices that were right before

    def check(self, item: Item) -> None:
        """Enter one item. Raises BadData where its labels cannot be those of its choices."""
        self._total += 1
        labels = item.labels
        if item.state != "ask" or not (labels or item.choices):
            return
        if (labels, len(item.choices)) != self._sound:
            self._check_labels(item)
            self._sound = (labels, len(item.choices))
        for target in item.targets if labels else ():
            if target not in labels:
                self._items += 1
                if self._items <= SHOWN:
                    self._first.append(f"'{item.id}' ('{target}')")
                break

    def _check_labels(self, item: Item) -> None:
        if len({*item.labels}) < len(item.labels) or (item.choices and len(item.labels) not in (0, len(item.choices))):
            raise BadData(
                f"{self._source}: item '{item.id}' has {len(item.choices)} choices and the labels "
                f"{', '.join(item.labels)}; expected as many of both, each label once"
            )

    def refuse(self) -> None:
        """Raise BadData where there are such items, naming the first."""
        if self._items:
            more = f" and {self._items - SHOWN:,} more" if self._items > SHOWN else ""
            raise BadData(
                f"{self._source}: {self._items:,} of {self._total:,} items have a target that is none of their labels "
                f"or choices: {', '.join(self._first)}{more}; give a label, or the text of a choice"
            )


def check_records(journal: Path, n_records: int, total: int, asked_for: Iterable[Question]) -> None:
    """Check that a journal of so many standing records holds one of each question. Raises RunStopped for those it
    lacks, RunMismatch for records of questions that were not asked for.
    """
    if n_records == total:
        return
    recorded = {line.question_id() for line in read_keys(journal)}
    lacking, wanted = [], set[int]()
    for item, condition, repeat in asked_for:
        question = question_key(item.task, item.id, condition_name(condition), repeat)
        wanted.add(question)
        if question not in recorded:
            lacking.append(Record(item, condition=condition_name(condition), repeat=repeat).title)
    if lacking:
        raise RunStopped(
            f"{journal}: {len(lacking):,} of {total:,} questions have no record: {join_names(lacking)}; "
            "the same command asks them again"
        )
    others = [line.item.id for line in read_keys(journal) if line.question_id() not in wanted]
    raise RunMismatch(
        f"{journal}: {len(recorded):,} records for {total:,} questions; nobody asked for item {join_names(others)}; "
        "put the data back as they were, or add resume=false to start anew beside it"
    )


def _find_digests(
    item: Item, conditions: tuple[NamedCondition | None, ...], settings: RunSettings, completed: CompletedIndex
) -> Iterator[Completed]:
    """Digests of every completed question of an item."""
    for condition in conditions:
        for repeat in range(settings.repeats):
            before = completed.find(question_key(item.task, item.id, condition_name(condition), repeat))
            if before is not None:
                yield before


def _check_unchanged(
    benchmark: Benchmark, item: Item, prompt: Prompt, now: str, before: Completed, unchanged_files: AbstractSet[str]
) -> None:
    """Raise RunMismatch where a settled question is not what would be asked now: other words, or other recordings.

    Recordings are read only where neither their files' size and time of change nor a signed digest vouch for them.
    """
    if before.prompt and before.prompt != int(now, 16):
        changed = "the prompt"
    elif not before.audio or _is_vouched_for(prompt, before, unchanged_files):
        return
    elif before.audio != int(audio_digest(prompt) or "0", 16):
        clips = ", ".join(clip.name for clip in item.clips)
        changed = f"a clip ({clips})" if clips else "a clip or a picture"
    else:
        return
    raise RunMismatch(
        f"{benchmark.name}:{item.task}, item {item.id}: {changed} has changed since it was answered in this unfinished "
        "run; "
        "put it back as it was to finish the run, or add resume=false to start anew beside it"
    )


def _is_vouched_for(prompt: Prompt, before: Completed, unchanged_files: AbstractSet[str]) -> bool:
    if before.files and before.files == int(file_stamp(prompt) or "0", 16):
        return True
    paths = recording_paths(prompt) if unchanged_files else set()
    return bool(paths) and paths <= unchanged_files


def _check_ids(benchmark: Benchmark, ids: array[int]) -> None:
    many = np.frombuffer(ids, np.uint64) if len(ids) else np.zeros(0, np.uint64)
    distinct, counts = np.unique(many, return_counts=True)
    if distinct.size == many.size:
        return
    twice = {int(k) for k in distinct[counts > 1]}
    seen: dict[int, int] = {}
    for position, item in enumerate(check_items(benchmark), start=1):
        this = question_key(item.task, item.id, "", 0)
        if this in seen:
            raise BadData(
                f"{benchmark.name}:{item.task}: the id '{item.id}' stands for two items, number {seen[this]} and "
                f"number {position}; give each its own"
            )
        if this in twice:
            seen[this] = position
