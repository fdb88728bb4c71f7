"""Counts of many items, in columns: a few bytes for each count of each item."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Bags:
    """The counts of items, their groups and which repeat they belong to; grown one item at a time."""

    def __init__(self) -> None:
        self._columns: dict[str, array[float]] = {}
        self._groups = array("Q")
        self._repeats = array("l")

    def add(self, counts: Mapping[str, float], group: str, repeat: int = 0) -> None:
        """Enter one item. A count that an item does not have is 0."""
        for name in counts:
            if name not in self._columns:
                self._columns[name] = array("d", bytes(8 * len(self)))
        for name, column in self._columns.items():
            column.append(counts.get(name, 0.0))
        self._groups.append(int.from_bytes(hashlib.blake2b(group.encode(), digest_size=8).digest(), "big"))
        self._repeats.append(repeat)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def columns(self) -> dict[str, Floats]:
        """Each count as an array, shape (items,)."""
        return {name: np.frombuffer(column, np.float64) for name, column in self._columns.items()}

    @property
    def groups(self) -> npt.NDArray[np.uint64]:
        """What names the group of each item, shape (items,)."""
        return np.frombuffer(self._groups, np.uint64)

    @property
    def repeats(self) -> npt.NDArray[np.int64]:
        """Which repeat each item belongs to, shape (items,)."""
        return np.frombuffer(self._repeats, np.int64)
