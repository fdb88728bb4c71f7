"""What conditions have in common: a change to every sound of a prompt, and dice that every machine throws alike."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from earmark.types import Heard, Item, Part, Prompt, Turn, replace


def each_sound(prompt: Prompt, change: Callable[[Heard, int], Part]) -> Prompt:
    """The prompt with every sound changed; `change` gets the sound and its number in the prompt."""
    number = iter(range(1_000_000))
    turns = tuple(
        Turn(turn.role, tuple(change(part, next(number)) if isinstance(part, Heard) else part for part in turn.parts))
        for turn in prompt.turns
    )
    return replace(prompt, turns=turns)


def dice(seed: int, item: Item, number: int) -> np.random.RandomState:
    """Dice for one sound of one item. RandomState, because numpy has frozen its stream for all versions to come."""
    digest = hashlib.sha256(f"{seed}\x1f{item.task}\x1f{item.id}\x1f{number}".encode()).digest()
    return np.random.RandomState(np.frombuffer(digest, "<u4"))
