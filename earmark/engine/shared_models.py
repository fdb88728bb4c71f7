"""A model that stays open for several runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self

from earmark.config.settings import ModelConfig
from earmark.engine.open import open_run_model
from earmark.engine.throttle import Throttle
from earmark.errors import BadSetup


class SharedModels:
    """Keeps the model of a run open for the next run, until one with other settings is asked for.

    What kept a model from being opened is told again for each run, without another try.
    """

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._known: tuple[dict[str, Any], Throttle | BadSetup] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @asynccontextmanager
    async def open(self, config: ModelConfig) -> AsyncIterator[Throttle]:
        """The model of a run, as `open_run_model` opens it."""
        if self._known is None or self._known[0] != config.composed:
            await self._stack.aclose()
            self._stack = AsyncExitStack()
            try:
                opened: Throttle | BadSetup = await self._stack.enter_async_context(open_run_model(config))
            except BadSetup as error:
                opened = error
            self._known = (config.composed, opened)
        if isinstance(self._known[1], BadSetup):
            raise self._known[1]
        yield self._known[1]
