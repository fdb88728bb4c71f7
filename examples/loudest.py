"""Loudest: picks the louder of two sounds, a whole model in one file.

earmark run acoustics:loudness model=./examples/loudest.py
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from earmark.errors import Rejected
from earmark.types import Capabilities, Context, Prompt, Response, Waveform


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set in YAML or as `model.name=value`."""

    name: str = "loudest"


class Loudest(Struct, frozen=True):
    """The model: its name, what it takes, and how it answers."""

    name: str
    capabilities: Capabilities = Capabilities(formats=("samples",), channels=1)  # samples in memory, no bytes

    async def generate(self, prompt: Prompt) -> Response:
        powers = [float((part.samples**2).mean()) for part in prompt.turns[-1].parts if isinstance(part, Waveform)]
        if len(powers) != len(prompt.labels):
            raise Rejected(f"expected a sound for each of {len(prompt.labels)} choices, found {len(powers)}")
        return Response(prompt.labels[powers.index(max(powers))])


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[Loudest]:  # noqa: ARG001 - it opens no other
    """The model, open for as long as it is asked: a place to load weights, or to open a connection."""
    yield Loudest(settings.name)
