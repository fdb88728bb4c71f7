"""Responses and failures: their usage adds up, and their states are those of a report."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from earmark.types import (
    Response,
    Usage,
)

USAGES = st.builds(Usage, *(st.integers(0, 10**9) for _ in range(4)), st.integers(0, 10**6).map(float))


@given(USAGES, USAGES, USAGES)
def test_usages_add_up_in_any_order_and_none_adds_nothing(first: Usage, second: Usage, third: Usage) -> None:
    assert first + second == second + first
    assert (first + second) + third == first + (second + third)
    assert first + Usage() == first
    assert (first + second).tokens_out == first.tokens_out + second.tokens_out


def test_a_reader_of_whole_replies_gets_the_thoughts_too() -> None:
    assert Response("A").whole_text == "A"
    assert Response("A", raw_text="<think>B?</think>A").whole_text == "<think>B?</think>A"
