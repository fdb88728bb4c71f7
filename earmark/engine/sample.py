"""A sample of a benchmark: so many items in all, drawn by the seed, in proportion to its tasks.

Each item has a number from the hash of the seed, its task and its id; of each task those with the smallest are drawn.
The sample is therefore the same for every model, for any order of the items, and that of a smaller size is part of that
of a larger one, but for the rounding of the shares. Shares are rounded by largest remainders (Hamilton's method); every
task gets at least one item where the size allows it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

import xxhash

from earmark.types import Item

Drawn = frozenset[tuple[str, str]]  # task and id


def draw_sample(items: Iterable[Item], size: int, seed: int) -> Drawn:
    """Draw so many of the items that are not skipped; all of them where there are no more."""
    smallest: dict[str, list[tuple[int, str]]] = {}
    counts: dict[str, int] = {}
    for item in items:
        if item.state == "skipped":
            continue
        counts[item.task] = counts.get(item.task, 0) + 1
        kept = smallest.setdefault(item.task, [])
        entry = (-_rank(item, seed), item.id)
        if len(kept) < size:
            heapq.heappush(kept, entry)
        elif kept:
            heapq.heappushpop(kept, entry)
    quotas = share_sizes(counts, size)
    return frozenset((task, id_) for task, kept in smallest.items() for _, id_ in heapq.nlargest(quotas[task], kept))


def share_sizes(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """Items of each task in a sample, in proportion to the items that each has.

    >>> share_sizes({"a": 60, "b": 30, "c": 10}, 10), share_sizes({"a": 98, "b": 1, "c": 1}, 10)
    ({'a': 6, 'b': 3, 'c': 1}, {'a': 8, 'b': 1, 'c': 1})
    """
    total = sum(counts.values())
    if size >= total:
        return dict(counts)
    least = 1 if size >= len(counts) else 0
    exact = {task: size * count / total for task, count in counts.items()}
    shares = {task: max(least, int(share)) for task, share in exact.items()}
    while sum(shares.values()) < size:
        shares[max(shares, key=lambda task: (exact[task] - shares[task], task))] += 1
    while sum(shares.values()) > size:
        shares[max(shares, key=lambda task: (shares[task] > least, shares[task] - exact[task], task))] -= 1
    return shares


def _rank(item: Item, seed: int) -> int:
    return xxhash.xxh3_64_intdigest(f"{seed}\0{item.task}\0{item.id}".encode())
