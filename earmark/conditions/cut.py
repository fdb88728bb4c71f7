"""Cut: of every sound only the first seconds are left (cut:5).

What is shorter is sent as it is. Refused for tasks that ask how long, how many or how fast, or about what may come
later.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import FloatArgument, check_properties, map_audio
from earmark.types import Audio, Benchmark, Clip, Item, LoadedClip, Part, Prompt, Seconds, replace

ARGUMENT = FloatArgument("cut", "seconds", "cut:5", 0.001, 86400.0)
DESTROYS: Final = frozenset({"duration", "gap", "tempo", "count", "order", "distance"})


class Cut(Struct, frozen=True):
    """The condition."""

    seconds: Seconds

    @property
    def name(self) -> str:
        return f"cut:{self.seconds:g}"

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return map_audio(prompt, self._first)

    def _first(self, audio: Audio, _: int) -> Part:
        beginning = audio
        clip = audio.clip if isinstance(audio, LoadedClip) else audio
        if isinstance(clip, Clip):  # one frame more than wanted shows whether there is more; the rest is not decoded
            until = clip.start + self.seconds + 0.01
            shorter = replace(clip, end=until if clip.end is None else min(until, clip.end))
            beginning = replace(audio, clip=shorter) if isinstance(audio, LoadedClip) else shorter
        sound = load_waveform(beginning)
        frames = round(self.seconds * sound.rate)
        if sound.samples.shape[1] <= frames:
            return audio
        return replace(
            sound, samples=sound.samples[:, :frames], notes=(*sound.notes, f"cut to its first {self.seconds:g} s")
        )


def load(argument: str, seed: int, benchmark: Benchmark) -> Cut:  # noqa: ARG001
    """The condition from what stands after its name: seconds."""
    cut = Cut(ARGUMENT.parse(argument))
    check_properties(cut.name, benchmark, DESTROYS)
    return cut
