"""Cases of choices."""

from __future__ import annotations

from hypothesis import strategies as st

LETTERS = "ABCDEFGHIJ"
VOICES = ("Man", "Woman", "Child", "Robot")
pieces = st.sampled_from(
    "A|b|(C)|D.|woman|a man|not|the answer is|so|or|,|.|\n|**|<think>|</think>|\\boxed{|}|I cannot "
    "say|答案是|“|<answer>|Option"
    "|is wrong|is correct|but|\x1c|ß|İ".split("|")
)
replies = st.one_of(st.text(max_size=80), st.lists(pieces, max_size=14).map(" ".join))
