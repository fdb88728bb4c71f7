"""One pass over a benchmark before anything is asked.

It counts, finds ids that stand for two items, and holds what a journal has settled against what would be asked now: a
changed prompt or recording is found before a cent is spent, and never answered from memory.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from earmark.config import RunSettings
from earmark.errors import BadData, RunMismatch
from earmark.journal import Settled, key
from earmark.signature import asked, heard
from earmark.types import Benchmark, Condition, Item, Prompt

Question: TypeAlias = tuple[Item, Condition | None, int]  # an item, how it is heard, and which repeat


class Survey(Struct, frozen=True):
    """What a benchmark holds, and what of it an earlier sitting settled."""

    questions: int  # items under every condition, with repeats
    skipped: dict[str, dict[str, int]]  # by task and reason, items that are not asked about
    prompts: str  # a digest of every prompt's words
    settled: int = 0


def name_of(condition: Condition | None) -> str:
    """What a condition is called; no condition is plain hearing."""
    return condition.name if condition else "plain"


def limited(benchmark: Benchmark, limit: int | None) -> Iterator[Item]:
    """The items of a benchmark, the first so many of each task that are not skipped."""
    taken: dict[str, int] = {}
    for item in benchmark.items():
        if item.state != "skipped":
            taken[item.task] = taken.get(item.task, 0) + 1
        if limit is None or taken.get(item.task, 0) <= limit:
            yield item


def in_order(benchmark: Benchmark, items: Iterable[Item]) -> Iterator[Item]:
    """The items as they are best asked: within a group in the benchmark's order, where it has one."""
    if benchmark.order is None:
        yield from items
        return
    for _, group in groupby(items, key=lambda item: item.group):
        yield from sorted(group, key=benchmark.order)


def questions(
    benchmark: Benchmark, conditions: tuple[Condition | None, ...], settings: RunSettings
) -> Iterator[Question]:
    """Everything that a run asks, in order: item by item, each under every condition, each as often as it is repeated."""
    for item in in_order(benchmark, limited(benchmark, settings.limit)):
        if item.state != "skipped":
            for condition in conditions:
                for repeat in range(settings.repeats):
                    yield item, condition, repeat


def survey(
    benchmark: Benchmark, conditions: tuple[Condition | None, ...], settings: RunSettings, settled: Settled
) -> Survey:
    """Count and check. Raises BadData for ids that come twice, RunMismatch for a question that is not what it was."""
    items: dict[str, int] = dict.fromkeys(benchmark.tasks, 0)
    skipped: dict[str, dict[str, int]] = {}
    ids = array("Q")
    words = hashlib.sha256()
    done = 0
    for item in limited(benchmark, settings.limit):
        ids.append(key(item.task, item.id, "", 0))
        if item.state == "skipped":
            reasons = skipped.setdefault(item.task, {})
            reasons[item.reason] = reasons.get(item.reason, 0) + 1
            continue
        items[item.task] = items.get(item.task, 0) + 1
        prompt = benchmark.prompt(item) if item.state == "ask" else None
        now = asked(prompt) if prompt else ""
        words.update((now or item.reason).encode())
        for before in _settled(item, conditions, settings, settled) if len(settled) else ():
            done += 1
            if prompt:
                _compare(benchmark, item, prompt, now, before)
    _check_ids(benchmark, ids)
    if not sum(items.values()):
        raise BadData(
            f"{benchmark.name}: found no item to ask about in {', '.join(benchmark.tasks)}; check data=, limit= and the tasks"
        )
    total = sum(items.values()) * len(conditions) * settings.repeats
    return Survey(total, skipped, words.hexdigest(), done)


def _settled(
    item: Item, conditions: tuple[Condition | None, ...], settings: RunSettings, settled: Settled
) -> Iterator[tuple[int, int]]:
    """What was asked and heard in every question about an item that is settled."""
    for condition in conditions:
        for repeat in range(settings.repeats):
            before = settled.find(key(item.task, item.id, name_of(condition), repeat))
            if before is not None:
                yield before


def _compare(benchmark: Benchmark, item: Item, prompt: Prompt, now: str, before: tuple[int, int]) -> None:
    """Raise RunMismatch where a settled question is not what would be asked now: other words, or other recordings."""
    words, sound = before
    if words and words != int(now, 16):
        changed = "the prompt"
    elif sound and sound != int(heard(prompt) or "0", 16):
        clips = ", ".join(clip.name for clip in item.clips)
        changed = f"a clip ({clips})" if clips else "a clip or a picture"
    else:
        return
    raise RunMismatch(
        f"{benchmark.name}:{item.task}, item {item.id}: {changed} has changed since it was answered in this unfinished run; "
        "put it back as it was to finish the run, or add resume=false to start anew beside it"
    )


def _check_ids(benchmark: Benchmark, ids: array[int]) -> None:
    many = np.frombuffer(ids, np.uint64) if len(ids) else np.zeros(0, np.uint64)
    distinct, counts = np.unique(many, return_counts=True)
    if distinct.size == many.size:
        return
    twice = {int(k) for k in distinct[counts > 1]}
    seen: dict[int, int] = {}
    for position, item in enumerate(benchmark.items(), start=1):
        this = key(item.task, item.id, "", 0)
        if this in seen:
            raise BadData(
                f"{benchmark.name}:{item.task}: the id '{item.id}' stands for two items, number {seen[this]} and number {position}; give each its own"
            )
        if this in twice:
            seen[this] = position
