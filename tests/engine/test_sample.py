"""Samples: their size, their shares, and that they hold for any order of the items."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from earmark.engine.sample import draw_sample, share_sizes
from earmark.types import Item

COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 60), min_size=1)


def items(counts: dict[str, int]) -> list[Item]:
    return [Item(f"{task}-{n}", task) for task, count in counts.items() for n in range(count)]


@given(COUNTS, st.integers(0, 200), st.integers(0, 9))
def test_a_sample_has_its_size_and_its_shares(counts: dict[str, int], size: int, seed: int) -> None:
    every = items(counts)
    drawn = draw_sample(every, size, seed)
    assert len(drawn) == min(size, len(every))
    assert drawn == draw_sample(reversed(every), size, seed)
    found = Counter(task for task, _ in drawn)
    total = sum(counts.values())
    if len(counts) <= size < total:
        for task, count in counts.items():
            assert 1 <= found[task] <= count
            if min(counts.values()) * size >= total:
                assert abs(found[task] - size * count / total) < len(counts)


@given(COUNTS, st.integers(1, 100))
def test_shares_add_up(counts: dict[str, int], size: int) -> None:
    shares = share_sizes(counts, size)
    assert sum(shares.values()) == min(size, sum(counts.values()))
    assert all(0 <= shares[task] <= count for task, count in counts.items())


def test_a_smaller_sample_is_part_of_a_larger_one_and_seeds_differ() -> None:
    every = items({"a": 500})
    assert draw_sample(every, 20, 1) < draw_sample(every, 50, 1)
    assert draw_sample(every, 50, 1) != draw_sample(every, 50, 2)


def test_skipped_items_are_not_drawn() -> None:
    every = [Item("x", "a", state="skipped", reason="no audio"), Item("y", "a")]
    assert draw_sample(every, 5, 0) == {("a", "y")}
