"""No media: sounds and pictures are left out, and only the words of the question are asked.

What the words alone are worth. Beside `silence`, which still sends a sound, it tells a model that answers from the text
from one that is confused by an empty recording. A prompt whose question is itself spoken has no words, and fails.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from earmark.errors import Rejected
from earmark.plugins.examples import ConditionExample
from earmark.types import Context, Item, Prompt, Turn, replace


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """It takes no argument."""


class NoMedia(Struct, frozen=True):
    """The condition."""

    removes_audio: ClassVar[bool] = True
    keeps_words: ClassVar[bool] = False
    leaves_audio_unread: ClassVar[bool] = True

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        turns = [Turn(turn.role, tuple(part for part in turn.parts if isinstance(part, str))) for turn in prompt.turns]
        left = tuple(turn for turn in turns if any(str(part).strip() for part in turn.parts))
        if not any(turn.role == "user" for turn in left):
            raise Rejected(f"{item.id}: without its sound nothing is left to ask, which condition=no-media would need")
        return replace(prompt, turns=left)


def load(settings: Settings, context: Context) -> NoMedia:  # noqa: ARG001 - the same for all
    """Load the condition."""
    return NoMedia()


def examples() -> tuple[ConditionExample, ...]:
    return (ConditionExample(own_sound=False),)
