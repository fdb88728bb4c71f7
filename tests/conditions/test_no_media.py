"""Prompts without media: words only."""

from __future__ import annotations

import pytest
from condition_sounds import ITEM, NONE, make_condition, tone

from earmark.errors import Rejected
from earmark.types import ImageRef, Prompt, Turn


def test_no_media_leaves_words_only() -> None:
    prompt = Prompt(
        (
            Turn("system", ("Be brief.",)),
            Turn("user", (tone(440),)),
            Turn("assistant", ("Go on.",)),
            Turn("user", (tone(440), ImageRef("x.png"), "Which?")),
        ),
        ("yes",),
        ("A",),
    )
    left = make_condition("no_media", "", 0, NONE).apply(prompt, ITEM)
    assert [(turn.role, turn.parts) for turn in left.turns] == [
        ("system", ("Be brief.",)),
        ("assistant", ("Go on.",)),
        ("user", ("Which?",)),
    ]
    spoken = Prompt((Turn("system", ("Be brief.",)), Turn("user", (tone(440),))))
    with pytest.raises(Rejected, match="1: without its sound nothing is left to ask"):
        make_condition("no_media", "", 0, NONE).apply(spoken, ITEM)
