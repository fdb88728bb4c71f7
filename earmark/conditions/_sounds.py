"""What conditions have in common: a change to every sound of a prompt, dice by item, and numbers from words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from earmark.audio import dice as thrown
from earmark.errors import UsageError
from earmark.types import Heard, Item, Part, Prompt, Samples, Turn, Wave, replace


def each_sound(prompt: Prompt, change: Callable[[Heard, int], Part]) -> Prompt:
    """The prompt with every sound changed; `change` gets the sound and its number in the prompt."""
    number = itertools.count()
    turns = tuple(
        Turn(turn.role, tuple(change(part, next(number)) if isinstance(part, Heard) else part for part in turn.parts))
        for turn in prompt.turns
    )
    return replace(prompt, turns=turns)


def dice(seed: int, item: Item, number: int) -> np.random.RandomState:
    """Dice for one sound of one item."""
    return thrown.dice(seed, item.task, item.id, number)


def changed(wave: Wave, samples: npt.NDArray[np.floating], note: str, rate: int | None = None) -> Wave:
    """The wave with other samples and a note; scaled down as a whole, and noted, where they go beyond full scale."""
    peak = float(np.max(np.abs(samples)))
    notes = (*wave.notes, note)
    if peak > 1.0:
        samples = samples / peak
        notes = (*notes, f"turned down by {20 * math.log10(peak):.1f} dB to stay within full scale")
    ready: Samples = np.ascontiguousarray(samples, np.float32)
    return replace(wave, samples=ready, rate=rate or wave.rate, notes=notes)


class Takes(NamedTuple):
    """What a condition takes after its colon: a number in a range."""

    condition: str
    what: str  # "a ratio in decibels"
    example: str
    low: float = -200.0
    high: float = 200.0

    def read(self, text: str, whole: str | None = None) -> float:
        """The number in a word. Raises UsageError for anything else; `whole` is the argument that the word is part of."""
        found = f"{self.condition}:{text if whole is None else whole}".rstrip(":")
        try:
            number = float(text)
        except ValueError as error:
            raise UsageError(self._complaint(found)) from error
        if not self.low <= number <= self.high:  # so is what is no number
            raise UsageError(f"{self._complaint(found)}; from {self.low:g} to {self.high:g}")
        return number

    def _complaint(self, found: str) -> str:
        return f"{self.condition} takes {self.what}, found '{found}'; write for instance condition={self.example}"


def nothing_after(condition: str, argument: str) -> None:
    """Raise UsageError where something stands after the name of a condition that takes nothing."""
    if argument:
        raise UsageError(f"{condition} takes no argument, found '{condition}:{argument}'; write condition={condition}")
