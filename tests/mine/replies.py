"""Replies by a function, as a user would write one for `model=fake`."""

from __future__ import annotations

from earmark.types import Prompt


def length(prompt: Prompt) -> str:
    """How long the last words of a prompt are."""
    return str(len(str(prompt.turns[-1].parts[-1])))
