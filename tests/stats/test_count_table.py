"""Tables of counts."""

from __future__ import annotations

from earmark.stats.count_table import CountTable, hash64


def test_bags_hold_counts_groups_items_and_repeats() -> None:
    bags = CountTable()
    assert bags.columns == {}
    assert bags.groups.size == bags.repeats.size == 0
    bags.add({"n": 1.0}, "speaker 1", 0, "a")
    bags.add({"n": 1.0, "right": 1.0}, "speaker 1", 2, "b")
    bags.add({}, "c")
    assert {name: [*column] for name, column in bags.columns.items()} == {"n": [1, 1, 0], "right": [0, 1, 0]}
    assert [*bags.groups] == [hash64("speaker 1"), hash64("speaker 1"), hash64("c")]
    assert [*bags.items] == [hash64("a"), hash64("b"), hash64("c")]
    assert [*bags.repeats] == [0, 2, 0]
    assert len(bags) == 3
