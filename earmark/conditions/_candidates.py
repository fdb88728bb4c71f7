"""The other items of a benchmark: whose sound is swapped in, or talks in the background.

A sample that the seed draws: of every task the items whose digest with the seed is smallest, so many and no more. It
does not depend on the order of the items, and is drawn once, in one pass, when the first sound asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from earmark.data.cache import hash64
from earmark.types import Benchmark, Item, Source, SynthSpec

SAMPLE_SIZE: Final = 64  # items of each task


class Candidate(Struct, frozen=True):
    """Part of an item that is kept for sampling."""

    rank: str
    task: str
    id: str
    group: str
    clips: tuple[Source, ...]


def sample_items(benchmark: Benchmark, seed: int) -> dict[str, list[Candidate]]:
    """By task, a sample of the items that have sound and can be asked about, in the order of their lots."""
    sample: dict[str, list[Candidate]] = {}
    for item in benchmark.items():
        if item.state == "ask" and item.clips:
            lot = hash64(f"{seed}\x1f{item.task}\x1f{item.id}".encode())
            lots = sample.setdefault(item.task, [])
            lots.append(Candidate(lot, item.task, item.id, item.group, item.clips))
            if len(lots) >= 4 * SAMPLE_SIZE:
                lots[:] = sorted(lots, key=_rank)[:SAMPLE_SIZE]
    return {task: sorted(lots, key=_rank)[:SAMPLE_SIZE] for task, lots in sample.items()}


def sample_once(benchmark: Benchmark, seed: int) -> Callable[[], dict[str, list[Candidate]]]:
    """The sample, drawn when it is first asked for, by one thread."""
    drawing = threading.Lock()
    samples: list[dict[str, list[Candidate]]] = []

    def draw() -> dict[str, list[Candidate]]:
        with drawing:
            if not samples:
                samples.append(sample_items(benchmark, seed))
        return samples[0]

    return draw


def other_items(sample: dict[str, list[Candidate]], item: Item, *, same_task: bool) -> list[Candidate]:
    """The items of a sample whose sound is not that of an item; of other groups, if there are any."""
    own = [_recording_key(clip) for clip in item.clips]
    lots = sample.get(item.task, []) if same_task else [other for lots in sample.values() for other in lots]
    foreign = [
        other
        for other in lots
        if (other.task, other.id) != (item.task, item.id)
        and not any(_recording_key(clip) in own for clip in other.clips)
    ]
    return [other for other in foreign if not other.group or other.group != item.group] or foreign


def _rank(other: Candidate) -> str:
    return other.rank


def _recording_key(clip: Source) -> tuple[object, ...]:
    """Identity of a recording, independent of its name."""
    if isinstance(clip, SynthSpec):
        return (clip.generator, sorted(clip.settings.items()))
    return (clip.path, clip.row, clip.column, clip.member)
