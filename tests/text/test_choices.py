"""Options: as many letters as there are, every option once in any order, and the same order wherever it is made."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.errors import BadData
from earmark.text.choices import LETTERS, choice_letters, format_choices, shuffle_choices


@pytest.mark.parametrize("count", range(len(LETTERS) + 1))
def test_there_are_as_many_letters_as_choices(count: int) -> None:
    letters = choice_letters(count)
    assert len(set(letters)) == count
    assert "".join(letters) == LETTERS[:count]


def test_more_choices_than_letters_are_refused_by_their_place() -> None:
    with pytest.raises(BadData, match=r"^found 27 choices in row 3, expected at most 26$"):
        choice_letters(27, "row 3")


def test_a_line_for_each_choice_and_a_label_for_each_line() -> None:
    assert format_choices(("a cat", "a dog"), ("(1)", "(2)")) == "(1). a cat\n(2). a dog"
    assert format_choices((), ()) == ""
    with pytest.raises(ValueError, match="argument 2 is longer"):
        format_choices(("a", "b"), ("A",))


@given(st.lists(st.text(), max_size=10), st.integers(), st.text())
def test_no_choice_is_lost_and_the_same_item_has_the_same_order(choices: list[str], seed: int, item: str) -> None:
    order = shuffle_choices(choices, seed, item)
    assert Counter(order) == Counter(choices)
    assert shuffle_choices(choices, seed, item) == order


def test_every_order_comes_up_and_the_right_choice_stands_anywhere() -> None:
    orders = Counter(shuffle_choices("abc", 0, f"item {at}") for at in range(1200))
    assert len(orders) == 6
    assert all(150 <= count <= 250 for count in orders.values()), orders
    assert any(shuffle_choices("abcdefgh", seed, "1") != shuffle_choices("abcdefgh", 0, "1") for seed in (1, 2))


def test_the_order_is_the_same_in_every_process() -> None:
    program = "from earmark.text.choices import shuffle_choices; print(*shuffle_choices('abcdefgh', 7, 'x'))"
    done = [
        subprocess.run([sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert {each.stdout.decode().split() == list(shuffle_choices("abcdefgh", 7, "x")) for each in done} == {True}
