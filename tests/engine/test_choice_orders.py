"""Choices in several orders: every order holds the same question, and the right answer follows its text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.engine.choice_orders import choice_orders, parse_choice_order, with_choice_orders
from earmark.errors import UsageError
from earmark.scorers.choice import ChoiceScorer
from earmark.text.choices import choice_letters, format_choices
from earmark.types import Benchmark, Item, Prompt, Turn


def prompt(item: Item) -> Prompt:
    return Prompt(
        (Turn("user", (item.question, format_choices(item.choices, item.labels))),), item.choices, item.labels
    )


def benchmark(items: list[Item], ask: Callable[[Item], Prompt] = prompt) -> Benchmark:
    return Benchmark(
        version=1, tasks=("",), items=lambda: items, prompt=ask, scorers=lambda _: (ChoiceScorer(),), name="b"
    )


@given(st.integers(2, 6), st.integers(1, 8), st.integers(0, 5))
def test_no_option_is_twice_in_a_place(n: int, orders: int, seed: int) -> None:
    item = Item("x", choices=tuple(f"option {k}" for k in range(n)), labels=choice_letters(n), targets=("A",))
    found = choice_orders(item, orders, seed)
    assert found[0] == tuple(range(n))
    assert len(found) == min(orders, n)
    assert all(sorted(order) == list(range(n)) for order in found)
    for place in range(n):
        assert len({order[place] for order in found}) == len(found)


@given(st.integers(2, 5), st.integers(0, 4), st.integers(0, 5))
def test_the_right_text_stays_right(n: int, right: int, seed: int) -> None:
    right %= n
    item = Item(
        "x", choices=tuple(f"option {k}" for k in range(n)), labels=choice_letters(n), targets=("ABCDE"[right],)
    )
    variants = list(with_choice_orders(benchmark([item]), 3, seed).items())
    assert [variant.id for variant in variants] == [f"x#{k}" for k in range(1, 1 + min(3, n))]
    assert {variant.text(variant.targets[0]) for variant in variants} == {f"option {right}"}
    assert {variant.group for variant in variants} == {"x"}
    assert len({variant.targets for variant in variants}) == len(variants)


def test_items_without_choices_and_one_order_stay_as_they_are() -> None:
    item = Item("x", question="What is said?", targets=("hello",))
    given = benchmark([item])
    assert list(with_choice_orders(given, 3, 0).items()) == [item]
    assert with_choice_orders(given, 1, 0) is given


def test_prompts_that_keep_their_own_order_are_refused() -> None:
    item = Item("x", choices=("cat", "dog"), labels=("A", "B"), targets=("A",))
    keeps = with_choice_orders(benchmark([item], lambda _: Prompt((Turn("user", ("A cat, B dog",)),))), 2, 0)
    with pytest.raises(UsageError, match="do not show the choices"):
        list(keeps.items())


def test_other_settings_are_refused() -> None:
    assert [parse_choice_order(text) for text in ("", "given", "shuffled:2")] == [1, 1, 2]
    for text in ("shuffled", "shuffled:0", "random:3"):
        with pytest.raises(UsageError, match="shuffled:N"):
            parse_choice_order(text)
