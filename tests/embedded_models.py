"""Questions to the embedded models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from earmark.audio.prepare import prepare_audio
from earmark.engine.open import open_model
from earmark.types import Part, Prompt, Response, Turn

LETTERS = tuple("ABCDEFGHIJ")


def ask(settings: Mapping[str, object], *parts: Part, choices: tuple[str, ...] = (), role: str = "user") -> Response:
    async def go() -> Response:
        async with open_model(settings) as model:
            prompt = Prompt((Turn(role, parts),), choices, LETTERS[: len(choices)])  # type: ignore[arg-type]
            return await model.generate(prepare_audio(prompt, model.capabilities))

    return asyncio.run(go())
