"""Swap: every sound becomes that of another item, so that the question is asked about the wrong recording.

A model that listens falls to chance; one that answers from the words does not notice. The other item is drawn by the
seed, from the same task and from another group (another speaker or recording) where there is one. Its sounds take the
places of the item's own in their order, and its bytes are sent as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from earmark.audio.read import clip_bytes, untouched, wave, wave_of
from earmark.conditions._others import Other, lazily, others
from earmark.conditions._sounds import dice, each_sound, nothing_after
from earmark.errors import Rejected
from earmark.types import Benchmark, Clip, Heard, Item, Part, Prompt, Sound, Source, Wave, replace

DEAF: Final = True  # a control: what is asked about cannot be heard


class Swap(Struct, frozen=True):
    """The condition."""

    seed: int
    sample: Callable[[], dict[str, list[Other]]]
    name: str = "swap"

    def hear(self, prompt: Prompt, item: Item) -> Prompt:
        sample = self.sample()
        candidates = others(sample, item, same_task=True) or others(sample, item, same_task=False)
        if not candidates:
            raise Rejected(
                f"{item.id}: no other item of {item.task} has a sound of its own, which condition=swap needs"
            )
        other = candidates[int(dice(self.seed, item, 0).randint(len(candidates)))]

        def swapped(_: Heard, number: int) -> Part:
            return _noted(other, other.clips[number % len(other.clips)])

        return each_sound(prompt, swapped)


def _noted(other: Other, clip: Source) -> Sound | Wave:
    taken = _whole(clip) if isinstance(clip, Clip) and not clip.start and clip.end is None else wave(clip)
    return replace(taken, notes=(*taken.notes, f"swapped: the sound of item {other.id}"))


def _whole(clip: Clip) -> Sound | Wave:
    data, digest = clip_bytes(clip)
    return untouched(clip, data, digest) or wave_of(clip, data, digest)


def load(argument: str, seed: int, benchmark: Benchmark) -> Swap:
    """The condition from what stands after its name; it takes nothing."""
    nothing_after("swap", argument)
    return Swap(seed, lazily(benchmark, seed))
