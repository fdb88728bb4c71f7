"""Items in a random order by the seed, for runs that stop early: any beginning of it is a sample in proportion to
tasks.

Items of a group stay together. Groups are shuffled among those of the same tasks, then interleaved by their share of
them.
"""

from __future__ import annotations

from collections.abc import Iterable

import xxhash

from earmark.types import Item


def shuffle_items(items: Iterable[Item], seed: int) -> list[Item]:
    """Shuffle items by the seed and the names of their groups; the same for every model and any order of the items."""
    groups: dict[str, list[Item]] = {}
    skipped = []
    for item in items:
        if item.state == "skipped":
            skipped.append(item)
        else:
            groups.setdefault(item.group or f"{item.task}\0{item.id}", []).append(item)
    strata: dict[frozenset[str], list[str]] = {}
    for name, members in groups.items():
        strata.setdefault(frozenset(item.task for item in members), []).append(name)
    places: dict[str, tuple[float, int]] = {}
    for names in strata.values():
        ranks = {name: xxhash.xxh3_64_intdigest(f"{seed}\0{name}".encode()) for name in names}
        for index, name in enumerate(sorted(names, key=ranks.__getitem__)):
            places[name] = ((index + 0.5) / len(names), ranks[name])
    return skipped + [item for name in sorted(groups, key=places.__getitem__) for item in groups[name]]
