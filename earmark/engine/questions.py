"""Questions of a run: items times conditions times repeats."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from earmark.config.settings import ModelConfig, RunSettings
from earmark.data.plain import ENCODER, escape_bytes, repair
from earmark.engine.shards import parse_shard, select_shard
from earmark.errors import BadData
from earmark.journal import question_key
from earmark.text.targets import resolve_target
from earmark.types import Benchmark, Item, NamedCondition, replace

SHOWN: Final = 5  # items that a message names
Question: TypeAlias = tuple[Item, NamedCondition | None, int]  # an item, how it is heard, and which repeat


class RunJob(NamedTuple):
    """A run that is asked: where it lies, what it asks, and how."""

    folder: Path
    benchmark: Benchmark
    settings: RunSettings
    model: ModelConfig


def condition_name(condition: NamedCondition | None) -> str:
    """Name of a condition; None is `plain`."""
    return condition.name if condition else "plain"


def limit_items(benchmark: Benchmark, limit: int | None, *, types: bool = False) -> Iterator[Item]:
    """The items of a benchmark, the first so many of each task that are not skipped."""
    taken: dict[str, int] = {}
    for item in check_items(benchmark, types=types):
        if item.state != "skipped":
            taken[item.task] = taken.get(item.task, 0) + 1
        if limit is None or taken.get(item.task, 0) <= limit:
            yield item


def check_items(benchmark: Benchmark, *, types: bool = False) -> Iterator[Item]:
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
            item = _repair_item(given)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            item = _convert_item(benchmark, given, position)
        yield _with_labels(item) if item.labels and not {*item.targets} <= {*item.labels} else item


_ITEM: Final = msgspec.json.Decoder(Item)


def _repair_item(item: Item) -> Item:
    """An item whose texts UTF-8 encodes. Ids and groups stay apart: they come from the names of files."""
    texts = {name: repair(getattr(item, name)) for name in ("task", "question", "choices", "labels", "targets", "tags")}
    return replace(item, id=escape_bytes(item.id), group=escape_bytes(item.group), **texts)


def _convert_item(benchmark: Benchmark, item: Item, position: int) -> Item:
    """An item with scalars of numpy as Python's own. Raises BadData for one that has other types than `Item` says."""
    try:
        return _ITEM.decode(ENCODER.encode(item))
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise BadData(
            f"{benchmark.name}: item number {position}, {item.id!r}: {error}; texts are str, and a clip is "
            "Clip('FILE.wav') or SynthSpec(...): see Item of earmark.types"
        ) from error


def _with_labels(item: Item) -> Item:
    """An item whose targets are labels, as far as each names a choice."""
    found = (resolve_target(target, item.choices, item.labels) or (target,) for target in item.targets)
    return replace(item, targets=tuple(dict.fromkeys(label for labels in found for label in labels)))


def sort_items(benchmark: Benchmark, items: Iterable[Item]) -> Iterator[Item]:
    """The items as they are best asked: within a group in the benchmark's order, where it has one."""
    if benchmark.sort_key is None:
        yield from items
        return
    for _, group in groupby(items, key=lambda item: item.group):
        yield from sorted(group, key=benchmark.sort_key)


def questions(
    benchmark: Benchmark, conditions: tuple[NamedCondition | None, ...], settings: RunSettings
) -> Iterator[Question]:
    """Questions of a run in order: item by item, each under every condition, each as often as it is repeated."""
    items = select_shard(limit_items(benchmark, settings.limit), parse_shard(settings.shard))
    for item in sort_items(benchmark, items):
        if item.state != "skipped":
            for condition in conditions:
                for repeat in range(settings.repeats):
                    yield item, condition, repeat


def skip_questions(stream: Iterable[Question], skipped: Container[int]) -> Iterator[Question]:
    """Leave out the questions whose keys are in a container."""
    return (q for q in stream if question_key(q[0].task, q[0].id, condition_name(q[1]), q[2]) not in skipped)


def join_names(names: list[str]) -> str:
    """The first few names, and how many more there are.

    >>> join_names(["a", "b"]), join_names(list("abcdefg"))
    ('a; b', 'a; b; c; d; e; and 2 more')
    """
    more = [f"and {len(names) - SHOWN:,} more"] if len(names) > SHOWN else []
    return "; ".join([*names[:SHOWN], *more])
