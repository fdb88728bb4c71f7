"""Random orders: the same for any order of the items, groups whole, tasks in proportion."""

from __future__ import annotations

from collections import Counter

from earmark.engine.random_order import shuffle_items
from earmark.types import Item


def test_any_beginning_is_in_proportion_and_groups_are_whole() -> None:
    items = [Item(f"{n}", "a", group=f"g{n // 2}") for n in range(80)] + [Item(f"{n}", "b") for n in range(20)]
    order = shuffle_items(items, 3)
    assert sorted(order, key=items.index) == items
    assert [item.group or item.id for item in order] == [
        item.group or item.id for item in shuffle_items(items[::-1], 3)
    ]
    assert order != shuffle_items(items, 4)
    half = Counter(item.task for item in order[:50])
    assert abs(half["a"] - 40) <= 2
    places = {
        item.group: [index for index, other in enumerate(order) if other.group == item.group]
        for item in items
        if item.group
    }
    assert all(second - first == 1 for first, second in places.values())
