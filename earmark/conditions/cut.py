"""Cut: of every sound only the first seconds are left (cut:5).

What is shorter is sent as it is. Refused for tasks that ask how long, how many or how fast, or about what may come
later.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from msgspec import Meta, Struct

from earmark.audio.read import load_waveform
from earmark.conditions._common import check_properties, map_audio
from earmark.plugins.examples import ConditionExample
from earmark.types import Audio, Clip, Context, Item, LoadedClip, Part, Prompt, replace

DESTROYS: Final = frozenset({"duration", "gap", "tempo", "count", "order", "distance"})


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings, after the colon."""

    seconds: Annotated[float, Meta(ge=0.001, le=86400, description="seconds", examples=["5"])]


class Cut(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = False

    settings: Settings

    def apply(self, prompt: Prompt, item: Item) -> Prompt:  # noqa: ARG002 - the same for all
        return map_audio(prompt, self._first)

    def _first(self, audio: Audio, _: int) -> Part:
        beginning = audio
        clip = audio.clip if isinstance(audio, LoadedClip) else audio
        if isinstance(clip, Clip):  # one frame more than wanted shows whether there is more; the rest is not decoded
            until = clip.start + self.settings.seconds + 0.01
            shorter = replace(clip, end=until if clip.end is None else min(until, clip.end))
            beginning = replace(audio, clip=shorter) if isinstance(audio, LoadedClip) else shorter
        sound = load_waveform(beginning)
        frames = round(self.settings.seconds * sound.rate)
        if sound.samples.shape[1] <= frames:
            return audio
        return replace(
            sound,
            samples=sound.samples[:, :frames],
            notes=(*sound.notes, f"cut to its first {self.settings.seconds:g} s"),
        )


def load(settings: Settings, context: Context) -> Cut:
    """Load the condition."""
    check_properties(f"{context.name}:{settings.seconds:g}", context, DESTROYS)
    return Cut(settings)


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(argument="0.6", same_length=False),)
