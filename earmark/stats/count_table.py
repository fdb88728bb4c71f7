"""Counts of many items, in columns: a few bytes for each count of each item."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import xxhash

Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.uint64]


def hash64(text: str) -> int:
    """Hash a name to 64 bits: a million names are all different with probability 1 - 3e-8."""
    return xxhash.xxh3_64_intdigest(text.encode())


class CountTable:
    """The counts, group and repeat of each item; grown one item at a time.

    Its properties are views, not copies: drop them before adding more items.
    """

    def __init__(self) -> None:
        self._columns: dict[str, array[float]] = {}
        self._groups = array("Q")
        self._items = array("Q")
        self._repeats = array("q")

    def add(self, counts: Mapping[str, float], group: str, repeat: int = 0, item: str = "") -> None:
        """Add one item. A count that an item does not have is 0; an item without a name takes its group's."""
        group_hash = hash64(group)
        self.add_hashed(counts, group_hash, repeat, hash64(item) if item else group_hash)

    def add_hashed(self, counts: Mapping[str, float], group: int, repeat: int, item: int) -> None:
        """Add one item by the hashes of its group and its name."""
        if counts.keys() != self._columns.keys():
            for name in counts:
                if name not in self._columns:
                    self._columns[name] = array("d", bytes(8 * len(self)))
            counts = {name: counts.get(name, 0.0) for name in self._columns}
        for name, count in counts.items():
            self._columns[name].append(count)
        self._groups.append(group)
        self._items.append(item)
        self._repeats.append(repeat)

    def extend(self, other: CountTable) -> None:
        """Add all items of another table after those of this one."""
        before, more = len(self), len(other)
        for name in other._columns:
            if name not in self._columns:
                self._columns[name] = array("d", bytes(8 * before))
        for name, column in self._columns.items():
            column.extend(other._columns.get(name) or array("d", bytes(8 * more)))
        self._groups.extend(other._groups)
        self._items.extend(other._items)
        self._repeats.extend(other._repeats)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def columns(self) -> dict[str, Floats]:
        """Each count as an array, shape (items,)."""
        return {name: np.frombuffer(column, np.float64) for name, column in self._columns.items()}

    @property
    def groups(self) -> Names:
        """Hash of each item's group, shape (items,)."""
        return np.frombuffer(self._groups, np.uint64)

    @property
    def items(self) -> Names:
        """Hash of each item, the same in every repeat, shape (items,)."""
        return np.frombuffer(self._items, np.uint64)

    @property
    def repeats(self) -> npt.NDArray[np.int64]:
        """Repeat of each item, shape (items,)."""
        return np.frombuffer(self._repeats, np.int64)
