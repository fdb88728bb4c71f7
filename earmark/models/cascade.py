"""A recogniser and a text model in a row: what can be had without listening to anything but words.

The recogniser turns every clip into its transcript; the transcript takes the clip's place in the prompt, worded by a
template; the text model answers. What was heard is kept with the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct

from earmark.config import open_model
from earmark.errors import UsageError
from earmark.types import Hears, Model, Part, Prompt, Response, Sound, Turn, Wave, replace

TEMPLATES = {
    "plain": "{transcript}",
    "quoted": 'Transcript of the audio: "{transcript}"',
}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set in YAML or as `model.name=value`."""

    recogniser: dict[str, Any]  # a model's settings, `backend` among them
    mind: dict[str, Any]
    name: str = ""  # empty: the names of the two
    template: str = "plain"  # a name, or a text with {transcript} in it


class Cascade(Struct, frozen=True, eq=False):
    """Two models as one."""

    recogniser: Model
    mind: Model
    name: str
    template: str
    hears: Hears

    async def generate(self, prompt: Prompt) -> Response:
        heard: list[str] = []
        turns = tuple(
            [
                Turn(turn.role, tuple([await self._in_words(part, heard) for part in turn.parts]))
                for turn in prompt.turns
            ]
        )
        answer = await self.mind.generate(replace(prompt, turns=turns))
        return replace(answer, heard=tuple(heard))

    async def _in_words(self, part: Part, heard: list[str]) -> Part:
        if not isinstance(part, Sound | Wave):
            return part
        transcript = await self.recogniser.generate(Prompt((Turn("user", (part,)),)))
        heard.append(transcript.text)
        return self.template.format(transcript=transcript.text)


@asynccontextmanager
async def load(settings: Settings) -> AsyncIterator[Cascade]:
    """Open both models."""
    template = TEMPLATES.get(settings.template, settings.template)
    if "{transcript}" not in template:
        raise UsageError(
            f"template is '{settings.template}', expected {', '.join(TEMPLATES)} or a text with {{transcript}} in it"
        )
    async with open_model(settings.recogniser) as recogniser, open_model(settings.mind) as mind:
        name = settings.name or f"{recogniser.name}+{mind.name}"
        hears = replace(recogniser.hears, clips=None, pictures=mind.hears.pictures, roles=mind.hears.roles)
        yield Cascade(recogniser, mind, name, template, hears)
