"""Digests of prompts."""

from __future__ import annotations

from earmark.engine.digests import prompt_digest
from earmark.types import Clip, Prompt, Turn


def test_what_is_asked_signs_words_order_roles_and_choices() -> None:
    clip = Clip("a.wav", name="a")
    prompts = [
        Prompt((Turn("user", ("x", clip)),)),
        Prompt((Turn("user", (clip, "x")),)),
        Prompt((Turn("system", ("x", clip)),)),
        Prompt((Turn("user", ("x", clip)),), ("a",), ("A",)),
        Prompt((Turn("user", ("x", clip)),), sampling={"max_tokens": 1}),
        Prompt((Turn("user", ("x", Clip("a.wav", name="a", end=1.0))),)),
    ]
    assert len({prompt_digest(prompt) for prompt in prompts}) == len(prompts)
