"""No media: sounds and pictures are left out, and only the words of the question are asked.

What the words alone are worth. Beside `silence`, which still sends a sound, it tells a model that answers from the text
from one that is confused by an empty recording. A prompt whose question is itself spoken has no words, and fails.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from earmark.conditions._common import check_no_argument
from earmark.errors import Rejected
from earmark.types import Benchmark, Item, Prompt, Turn, replace

IS_CONTROL: Final = True  # a control: what is asked about cannot be heard


class NoMedia(Struct, frozen=True):
    """The condition."""

    name: ClassVar[str] = "no-media"
    leaves_audio_unread: ClassVar[bool] = True

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        turns = [Turn(turn.role, tuple(part for part in turn.parts if isinstance(part, str))) for turn in prompt.turns]
        left = tuple(turn for turn in turns if any(str(part).strip() for part in turn.parts))
        if not any(turn.role == "user" for turn in left):
            raise Rejected(f"{item.id}: without its sound nothing is left to ask, which condition=no-media would need")
        return replace(prompt, turns=left)


def load(argument: str, seed: int, benchmark: Benchmark) -> NoMedia:  # noqa: ARG001
    """The condition from what stands after its name; it takes nothing."""
    check_no_argument("no-media", argument)
    return NoMedia()
