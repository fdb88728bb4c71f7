"""Swap: every sound becomes that of another item, so that the question is asked about the wrong recording.

A model that listens falls to chance; one that answers from the words does not notice. The other item is drawn by the
seed, from the same task and from another group (another speaker or recording) where there is one. Its sounds take the
places of the item's own in their order, and its bytes are sent as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from earmark.audio.limits import limits_of
from earmark.audio.read import ClipLoader, load_waveform, passthrough
from earmark.conditions._candidates import Candidate, other_items, sample_once
from earmark.conditions._common import check_no_argument, item_rng, map_audio
from earmark.errors import Rejected
from earmark.types import Audio, Benchmark, Clip, EncodedAudio, Item, Limits, Part, Prompt, Source, Waveform, replace

IS_CONTROL: Final = True  # a control: what is asked about cannot be heard


class Swap(Struct, frozen=True):
    """The condition."""

    seed: int
    sample: Callable[[], dict[str, list[Candidate]]]
    name: str = "swap"

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


def load(argument: str, seed: int, benchmark: Benchmark) -> Swap:
    """The condition from what stands after its name; it takes nothing."""
    check_no_argument("swap", argument)
    return Swap(seed, sample_once(benchmark, seed))
