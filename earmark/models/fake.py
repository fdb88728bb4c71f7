"""A function as a model, for tests, examples and dry runs.

`model=fake model.reply=B` says B to everything; `model.reply=my.module:answer` calls `answer(prompt)`, which returns the
text of the reply or a whole `Response`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

from earmark.errors import Rejected, UsageError
from earmark.plugins import imported
from earmark.types import Hears, Prompt, Response, Seconds


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set in YAML or as `model.name=value`."""

    name: str = "fake"
    reply: str = "A"  # what it says, or MODULE:FUNCTION
    seconds: Seconds = 0.0  # how long it takes to say it
    hears: Hears = Hears(pictures=True)


class Fake(Struct, frozen=True, eq=False):
    """A function from prompt to reply."""

    reply: Callable[[Prompt], str | Response]
    name: str = "fake"
    hears: Hears = Hears(pictures=True)
    seconds: Seconds = 0.0

    async def generate(self, prompt: Prompt) -> Response:
        await asyncio.sleep(self.seconds)
        said = self.reply(prompt)
        if isinstance(said, str):
            return Response(said)
        if not isinstance(said, Response):
            raise Rejected(f"the reply function returned {type(said).__name__}, expected a text or a Response")
        return said


@asynccontextmanager
async def load(settings: Settings) -> AsyncIterator[Fake]:
    """Open the model."""
    yield Fake(_function(settings.reply), settings.name, settings.hears, settings.seconds)


def _function(reply: str) -> Callable[[Prompt], str | Response]:
    module, colon, name = reply.partition(":")
    if not colon or " " in reply:
        return lambda _: reply
    function = getattr(imported(module), name, None)
    if not callable(function):
        raise UsageError(f"module '{module}' has no function '{name}'; model.reply is a text, or MODULE:FUNCTION")
    called: Callable[[Prompt], str | Response] = function
    return called
