"""Counts of many items, in columns: a few bytes for each count of each item."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.uint64]


def hash64(text: str) -> int:
    """Hash a name to 64 bits: a million names are all different with probability 1 - 3e-8."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


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
        for name in counts:
            if name not in self._columns:
                self._columns[name] = array("d", bytes(8 * len(self)))
        for name, column in self._columns.items():
            column.append(counts.get(name, 0.0))
        shared = hash64(group)
        self._groups.append(shared)
        self._items.append(hash64(item) if item else shared)
        self._repeats.append(repeat)

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
