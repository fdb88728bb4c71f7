"""One pass over a benchmark before anything is asked.

It counts, finds ids that stand for two items, and holds what a journal has settled against what would be asked now: a
changed prompt or recording is found before a cent is spent, and never answered from memory.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from earmark.barrier import Barrier
from earmark.config import RunSettings
from earmark.data.plain import ENCODER, escape_bytes, repair
from earmark.errors import BadData, RunMismatch, Stopped
from earmark.journal import Record, Settled, count_standing, key, keys
from earmark.signature import asked, heard
from earmark.text.targets import resolve_target
from earmark.types import Benchmark, Condition, Item, Prompt, replace

Question: TypeAlias = tuple[Item, Condition | None, int]  # an item, how it is heard, and which repeat


SHOWN: Final = 5  # items that a message names


class Survey(Struct, frozen=True):
    """What a benchmark holds, and what of it an earlier sitting settled."""

    questions: int  # items under every condition, with repeats
    skipped: dict[str, dict[str, int]]  # by task and reason, items that are not asked about
    prompts: str  # a digest of every prompt's words
    settled: int = 0


def name_of(condition: Condition | None) -> str:
    """What a condition is called; no condition is plain hearing."""
    return condition.name if condition else "plain"


def limited(benchmark: Benchmark, limit: int | None, *, types: bool = False) -> Iterator[Item]:
    """The items of a benchmark, the first so many of each task that are not skipped."""
    taken: dict[str, int] = {}
    for item in checked_items(benchmark, types=types):
        if item.state != "skipped":
            taken[item.task] = taken.get(item.task, 0) + 1
        if limit is None or taken.get(item.task, 0) <= limit:
            yield item


def checked_items(benchmark: Benchmark, *, types: bool = False) -> Iterator[Item]:
    """The items of a benchmark as the journal will hold them, each target as a label where there are choices.

    Texts are made of what UTF-8 encodes; what stands in place of a file is left, for it must be found. Raises BadData
    for an item that no journal holds; whether its fields have their types is looked at once, where `types` is set.
    """
    encode = msgspec.json.Encoder().encode
    for position, given in enumerate(benchmark.items(), start=1):
        try:
            line = encode(given)
            if types:
                _ITEM.decode(line)
            item = given
        except UnicodeEncodeError:
            item = _encodable(given)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            item = _converted(benchmark, given, position)
        yield _with_labels(item) if item.labels and not {*item.targets} <= {*item.labels} else item


_ITEM: Final = msgspec.json.Decoder(Item)


def _encodable(item: Item) -> Item:
    """An item whose texts UTF-8 encodes. Ids and groups stay apart: they come from the names of files."""
    texts = {name: repair(getattr(item, name)) for name in ("task", "question", "choices", "labels", "targets", "tags")}
    return replace(item, id=escape_bytes(item.id), group=escape_bytes(item.group), **texts)


def _converted(benchmark: Benchmark, item: Item, position: int) -> Item:
    """An item with scalars of numpy as Python's own. Raises BadData for one that has other types than `Item` says."""
    try:
        return _ITEM.decode(ENCODER.encode(item))
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise BadData(
            f"{benchmark.name}: item number {position}, {item.id!r}: {error}; see Item in types.py"
        ) from error


def _with_labels(item: Item) -> Item:
    """An item whose targets are labels, as far as each names a choice."""
    found = (resolve_target(target, item.choices, item.labels) or (target,) for target in item.targets)
    return replace(item, targets=tuple(dict.fromkeys(label for labels in found for label in labels)))


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
    """Count and check. Raises BadData for ids that come twice and for targets that name no choice, RunMismatch for a
    question that is not what it was.
    """
    items: dict[str, int] = dict.fromkeys(benchmark.tasks, 0)
    skipped: dict[str, dict[str, int]] = {}
    ids = array("Q")
    words = hashlib.sha256()
    done = 0
    astray, barrier = Astray(benchmark.name), Barrier()
    for item in limited(benchmark, settings.limit, types=True):
        ids.append(key(item.task, item.id, "", 0))
        if item.state == "skipped":
            reasons = skipped.setdefault(item.task, {})
            reasons[item.reason] = reasons.get(item.reason, 0) + 1
            continue
        items[item.task] = items.get(item.task, 0) + 1
        astray.check(item)
        prompt, now = None, ""
        if item.state == "ask":
            with barrier:  # a bug fails the item when it is asked
                prompt = benchmark.prompt(item)
                now = asked(prompt)
        words.update((now or item.reason).encode())
        for before in _settled(item, conditions, settings, settled) if len(settled) else ():
            done += 1
            if prompt and now:
                _compare(benchmark, item, prompt, now, before)
    _check_ids(benchmark, ids)
    astray.refuse()
    if not sum(items.values()):
        raise BadData(
            f"{benchmark.name}: found no item to ask about in {', '.join(benchmark.tasks)}; check data=, limit= and the tasks"
        )
    total = sum(items.values()) * len(conditions) * settings.repeats
    return Survey(total, skipped, words.hexdigest(), done)


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


def check_records(journal: Path, total: int, asked_for: Iterable[Question]) -> None:
    """Check that a journal holds one standing record of each question. Raises Stopped for those it lacks, RunMismatch
    for records of questions that were not asked for.
    """
    if count_standing(journal) == total:
        return
    there = {line.of() for line in keys(journal)}
    lacking, wanted = [], set[int]()
    for item, condition, repeat in asked_for:
        question = key(item.task, item.id, name_of(condition), repeat)
        wanted.add(question)
        if question not in there:
            lacking.append(Record(item, condition=name_of(condition), repeat=repeat).title)
    if lacking:
        raise Stopped(
            f"{journal}: {len(lacking):,} of {total:,} questions have no record: {listed(lacking)}; "
            "the same command asks them again"
        )
    others = [line.item.id for line in keys(journal) if line.of() not in wanted]
    raise RunMismatch(
        f"{journal}: {len(there):,} records for {total:,} questions; nobody asked for item {listed(others)}; "
        "put the data back as they were, or add resume=false to start anew beside it"
    )


def listed(names: list[str]) -> str:
    """The first few names, and how many more there are.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a; b', 'a; b; c; d; e; and 2 more')
    """
    more = [f"and {len(names) - SHOWN:,} more"] if len(names) > SHOWN else []
    return "; ".join([*names[:SHOWN], *more])


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
    for position, item in enumerate(checked_items(benchmark), start=1):
        this = key(item.task, item.id, "", 0)
        if this in seen:
            raise BadData(
                f"{benchmark.name}:{item.task}: the id '{item.id}' stands for two items, number {seen[this]} and number {position}; give each its own"
            )
        if this in twice:
            seen[this] = position
