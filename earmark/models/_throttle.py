"""A model asked no faster than it can answer.

How many answers may be under way grows while answers come, by one for each until the server first says that it is
busy, then by about one a round; it shrinks by a third when the server says so (429, 503), at most once a second, and
nothing is sent while the server asks us to wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from earmark.errors import Transient
from earmark.types import Hears, Model, Prompt, Response, Seconds

FIRST: Final = 4  # answers under way at the start
SHRINK: Final = 2 / 3
COOL: Final[Seconds] = 1.0  # between two shrinkings: one overload makes many replies


class Throttle:
    """A wrapper: holds a model and is one."""

    def __init__(self, model: Model, ceiling: int, clock: Callable[[], Seconds] = time.monotonic) -> None:
        self.model = model
        self.ceiling = ceiling
        self.limit = min(FIRST, ceiling)  # answers under way at once
        self._slots = asyncio.Semaphore(self.limit)
        self._debt = 0  # slots to take away when they come back
        self._growth = 0.0  # towards the next slot, once the server has been busy
        self._was_busy = False
        self._shrunk_at = self._open_at = float("-inf")
        self._clock = clock

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def hears(self) -> Hears:
        return self.model.hears

    async def generate(self, prompt: Prompt) -> Response:
        await self._slots.acquire()
        try:
            while (wait := self._open_at - self._clock()) > 0:  # noqa: ASYNC110
                await asyncio.sleep(wait)
            response = await self.model.generate(prompt)
        except Transient as error:
            if error.busy:
                self._shrink(error.wait)
            raise
        else:
            self._grow()
            return response
        finally:
            if self._debt:
                self._debt -= 1
            else:
                self._slots.release()

    def _grow(self) -> None:
        if self.limit == self.ceiling:
            return
        self._growth += 1 / self.limit if self._was_busy else 1
        if self._growth >= 1:
            self._growth -= 1
            self.limit += 1
            self._slots.release()

    def _shrink(self, wait: Seconds | None) -> None:
        now = self._clock()
        self._was_busy = True
        if wait:
            self._open_at = max(self._open_at, now + wait)
        if now - self._shrunk_at >= COOL:
            self._shrunk_at = now
            fewer = max(1, int(self.limit * SHRINK))
            self._debt += self.limit - fewer
            self.limit = fewer
