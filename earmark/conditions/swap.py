"""Swap: every sound becomes that of another item, so that the question is asked about the wrong recording.

A model that listens falls to chance; one that answers from the words does not notice. The other item is drawn by the
seed, from the same task and from another group (another speaker or recording) where there is one. Its sounds take the
places of the item's own in their order, and its bytes are sent as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from earmark.audio.limits import limits_of
from earmark.audio.read import ClipLoader, load_waveform, passthrough
from earmark.conditions._candidates import Candidate, other_items, sample_once
from earmark.conditions._common import benchmark_of, item_rng, map_audio
from earmark.errors import Rejected
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Clip, Context, EncodedAudio, Item, Limits, Part, Prompt, Source, Waveform, replace


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """It takes no argument."""


class Swap(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = True
    keeps_words: ClassVar[bool] = False

    seed: int
    sample: Callable[[], dict[str, list[Candidate]]]

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        sample = self.sample()
        candidates = other_items(sample, item, same_task=True) or other_items(sample, item, same_task=False)
        if not candidates:
            raise Rejected(
                f"{item.id}: no other item of {item.task} has a sound of its own, which condition=swap needs"
            )
        other = candidates[int(item_rng(self.seed, item, 0).randint(len(candidates)))]

        def swap(audio: Audio, number: int) -> Part:
            return _load_swapped(other, other.clips[number % len(other.clips)], limits_of(audio))

        return map_audio(prompt, swap)


def _load_swapped(other: Candidate, clip: Source, limits: Limits) -> EncodedAudio | Waveform:
    if isinstance(clip, Clip) and not clip.start and clip.end is None:
        loaded = ClipLoader(limits).load(clip)
        taken = passthrough(loaded) or load_waveform(loaded)
    else:
        taken = load_waveform(clip, limits)
    return replace(taken, notes=(*taken.notes, f"swapped: the sound of item {other.id}"))


def load(settings: Settings, context: Context) -> Swap:  # noqa: ARG001 - it has none
    """Load the condition."""
    return Swap(context.seed, sample_once(benchmark_of(context), context.seed))


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(own_sound=False),)
