"""Shards: parts of a benchmark, each asked by a run of its own.

An item belongs to the shard that the hash of its group's name says, or of its own id if it has no group. Neither its
position nor `limit` matters, and a group stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import xxhash

from earmark.errors import UsageError
from earmark.types import Item


class Shard(NamedTuple):
    """One of several shards, counted from 1."""

    number: int
    total: int

    def holds(self, item: Item) -> bool:
        """True if an item is one of this shard."""
        return shard_number(item, self.total) == self.number


def shard_number(item: Item, total: int) -> int:
    """Number of the shard that holds an item, from 1 to `total`."""
    return xxhash.xxh3_64_intdigest((item.group or item.id).encode()) % total + 1


def parse_shard(text: str) -> Shard:
    """Parse a shard as `shard=` has it; nothing is the only one of one. Raises UsageError.

    >>> parse_shard("3/8"), parse_shard("")
    (Shard(number=3, total=8), Shard(number=1, total=1))
    """
    match = re.fullmatch(r"([1-9]\d{0,8})/([1-9]\d{0,8})", text or "1/1")
    if not match or int(match[1]) > int(match[2]):
        raise UsageError(f"shard={text}: expected the number of a shard and how many there are, such as shard=3/8")
    return Shard(int(match[1]), int(match[2]))


def select_shard(items: Iterable[Item], shard: Shard) -> Iterator[Item]:
    """The items of a shard."""
    return iter(items) if shard.total == 1 else filter(shard.holds, items)
