"""A function as a model, for tests, examples and dry runs.

`model=fake model.reply=B` says B to everything; `model.reply=my.module:answer` calls `answer(prompt)`, which returns
the text of the reply or a whole `Response`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

from earmark.errors import Rejected, UsageError
from earmark.plugins.examples import ModelExample
from earmark.plugins.roads import import_user_module
from earmark.types import Capabilities, Context, Prompt, Response, Seconds


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = "fake"
    reply: str = "A"  # the text of every reply, or MODULE:FUNCTION
    seconds: Seconds = 0.0  # that a reply takes
    capabilities: Capabilities = Capabilities(images=True)


class FakeModel(Struct, frozen=True, eq=False):
    """A function from prompt to reply."""

    reply: Callable[[Prompt], str | Response]
    name: str = "fake"
    capabilities: Capabilities = Capabilities(images=True)
    seconds: Seconds = 0.0

    async def generate(self, prompt: Prompt) -> Response:
        await asyncio.sleep(self.seconds)
        reply = self.reply(prompt)
        if isinstance(reply, str):
            return Response(reply)
        if not isinstance(reply, Response):
            raise Rejected(f"the reply function returned {type(reply).__name__}, expected a text or a Response")
        return reply


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[FakeModel]:  # noqa: ARG001 - it opens no other
    """Open the model."""
    yield FakeModel(_function(settings.reply), settings.name, settings.capabilities, settings.seconds)


def _function(reply: str) -> Callable[[Prompt], str | Response]:
    module, colon, name = reply.partition(":")
    if not colon or " " in reply:
        return lambda _: reply
    function = getattr(import_user_module(module), name, None)
    if not callable(function):
        raise UsageError(f"module '{module}' has no function '{name}'; model.reply is a text, or MODULE:FUNCTION")
    called: Callable[[Prompt], str | Response] = function
    return called


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(settings={"reply": "A"}, text="A"),)
