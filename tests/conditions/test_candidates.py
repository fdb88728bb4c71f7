"""Candidates for a swap: a bounded sample that does not depend on the order."""

from __future__ import annotations

from mine import bench

from earmark.conditions._candidates import SAMPLE_SIZE, other_items, sample_items
from earmark.types import replace


def test_a_sample_is_bounded_and_does_not_depend_on_the_order() -> None:
    benchmark = bench.make(items=1000, data="x")
    sample = sample_items(benchmark, 1)
    assert [len(lots) for lots in sample.values()] == [SAMPLE_SIZE]
    backwards = replace(benchmark, items=lambda: list(benchmark.items())[::-1])
    assert sample_items(backwards, 1) == sample != sample_items(benchmark, 2)
    item = next(iter(benchmark.items()))
    assert all(other.id != item.id for other in other_items(sample, item, same_task=True))
