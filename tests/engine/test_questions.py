"""Questions of a run: every item under every condition as often as it is repeated, in an order that does not waver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mine import bench

from earmark.config.settings import RunSettings
from earmark.engine.questions import check_items, condition_name, join_names, limit_items, questions, sort_items
from earmark.errors import BadData
from earmark.types import Benchmark, Item, NamedCondition, Prompt, replace


class Unchanged:
    """A condition that changes nothing."""

    removes_audio = keeps_words = False

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        return prompt


def of(*items: Item, **fields: Any) -> Benchmark:
    return replace(bench.make(), items=lambda: iter(items), **fields)


@given(st.integers(0, 6), st.integers(1, 3), st.integers(1, 3))
def test_all_are_asked_once_item_by_item(items: int, conditions: int, repeats: int) -> None:
    heard = (None, *(NamedCondition(f"c{at}", Unchanged()) for at in range(1, conditions)))
    benchmark = of(*(Item(str(at), "t") for at in range(items)))
    found = [
        (item.id, condition_name(condition), repeat)
        for item, condition, repeat in questions(benchmark, heard, RunSettings(repeats=repeats))
    ]
    names = ["plain", *(f"c{at}" for at in range(1, conditions))]
    assert found == [(str(at), name, n) for at in range(items) for name in names for n in range(repeats)]


def test_a_limit_is_of_each_task_and_counts_no_item_that_is_skipped() -> None:
    items = [Item(f"{task}{at}", task, state="skipped" if at == 0 else "ask") for at in range(4) for task in ("a", "b")]
    asked = [item.id for item, _, _ in questions(of(*items), (None,), RunSettings(limit=2))]
    assert asked == ["a1", "b1", "a2", "b2"]
    kept = [item.id for item in limit_items(of(*items), 2)]
    assert kept == ["a0", "b0", *asked], "skipped items are still counted as such"
    assert len(list(limit_items(of(*items), None))) == 8


def test_items_of_one_group_are_asked_in_the_order_of_the_benchmark() -> None:
    items = [Item("3", group="u"), Item("1", group="u"), Item("2", group="v"), Item("0", group="u")]
    unsorted = [item.id for item in sort_items(of(*items), items)]
    ordered = [item.id for item in sort_items(of(*items, sort_key=lambda item: item.id), items)]
    assert (unsorted, ordered) == (["3", "1", "2", "0"], ["1", "3", "2", "0"])


def test_an_item_of_wrong_types_is_refused_by_its_place_and_scalars_of_numpy_are_plain() -> None:
    wrong = Item("2", targets=(3,))  # type: ignore[arg-type]
    with pytest.raises(BadData, match=r"mine\.bench: item number 2, '2': .*targets"):
        list(check_items(of(Item("1"), wrong), types=True))
    (plain,) = check_items(of(Item("1", tags={"level": np.str_("3")})), types=True)
    assert type(plain.tags["level"]) is str


def test_texts_that_utf8_does_not_encode_are_mended_and_ids_stay_apart() -> None:
    found = list(check_items(of(Item("a\udcff", question="half \ud83d"), Item("a\udcfe"))))
    assert found[0].question == "half \ufffd"
    assert len({item.id for item in found}) == 2
    assert all(item.id.encode() for item in found)


def test_targets_become_labels_where_they_name_a_choice() -> None:
    item = Item("1", choices=("yes", "no"), labels=("A", "B"), targets=("no", "B", "maybe"))
    (found,) = check_items(of(item))
    assert found.targets == ("B", "maybe")
    (same,) = check_items(of(replace(item, targets=("A",))))
    assert same.targets == ("A",)


@pytest.mark.parametrize("count", [0, 1, 5, 6, 2000])
def test_the_first_few_names_are_told_and_the_number_of_the_rest(count: int) -> None:
    told = join_names([f"n{at}" for at in range(count)])
    assert told.count("n") - told.count("and") == min(count, 5)
    assert told.endswith(f"and {count - 5:,} more") == (count > 5)
