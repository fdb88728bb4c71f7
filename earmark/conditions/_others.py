"""The other items of a benchmark: whose sound is swapped in, or talks in the background.

A sample that the seed draws: of every task the items whose digest with the seed is smallest, so many and no more. It
does not depend on the order of the items, and is drawn once, in one pass, when the first sound asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from earmark.data.cache import short
from earmark.types import Benchmark, Item, Recipe, Source

DRAWN: Final = 64  # items of each task


class Other(Struct, frozen=True):
    """What is kept of an item."""

    lot: str
    task: str
    id: str
    group: str
    clips: tuple[Source, ...]


def sampled(benchmark: Benchmark, seed: int) -> dict[str, list[Other]]:
    """By task, a sample of the items that have sound and can be asked about, in the order of their lots."""
    drawn: dict[str, list[Other]] = {}
    for item in benchmark.items():
        if item.state == "ask" and item.clips:
            lot = short(f"{seed}\x1f{item.task}\x1f{item.id}".encode())
            lots = drawn.setdefault(item.task, [])
            lots.append(Other(lot, item.task, item.id, item.group, item.clips))
            if len(lots) >= 4 * DRAWN:
                lots[:] = sorted(lots, key=_lot)[:DRAWN]
    return {task: sorted(lots, key=_lot)[:DRAWN] for task, lots in drawn.items()}


def lazily(benchmark: Benchmark, seed: int) -> Callable[[], dict[str, list[Other]]]:
    """The sample, drawn when it is first asked for, by one thread."""
    drawing = threading.Lock()
    drawn: list[dict[str, list[Other]]] = []

    def draw() -> dict[str, list[Other]]:
        with drawing:
            if not drawn:
                drawn.append(sampled(benchmark, seed))
        return drawn[0]

    return draw


def others(sample: dict[str, list[Other]], item: Item, *, same_task: bool) -> list[Other]:
    """The items of a sample whose sound is not that of an item; of other groups, if there are any."""
    own = [_place(clip) for clip in item.clips]
    lots = sample.get(item.task, []) if same_task else [other for lots in sample.values() for other in lots]
    foreign = [
        other
        for other in lots
        if (other.task, other.id) != (item.task, item.id) and not any(_place(clip) in own for clip in other.clips)
    ]
    return [other for other in foreign if not other.group or other.group != item.group] or foreign


def _lot(other: Other) -> str:
    return other.lot


def _place(clip: Source) -> tuple[object, ...]:
    """What tells one recording from another, whatever it is called."""
    if isinstance(clip, Recipe):
        return (clip.maker, sorted(clip.settings.items()))
    return (clip.path, clip.row, clip.column, clip.member)
