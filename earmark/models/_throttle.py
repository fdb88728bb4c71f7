"""A model asked no faster than it can answer, nor than it may be asked.

How many answers may be under way grows while answers come, by one for each until the server first says that it is
busy, then by about one a round; it shrinks by a third when the server says so (429, 503), at most once a second, and
nothing is sent while the server asks us to wait, unless it asks for longer than anybody would. Where a service allows so many requests or tokens a minute, questions
are spaced evenly: a token is booked before a question is sent, by what answers have taken so far, and settled after.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from earmark.config import LONGEST_WAIT, common
from earmark.errors import Transient
from earmark.types import Model, Prompt, Response, Seconds, Wrapper

FIRST: Final = 4  # answers under way at the start
SHRINK: Final = 2 / 3
COOL: Final[Seconds] = 1.0  # between two shrinkings: one overload makes many replies
MINUTE: Final[Seconds] = 60.0


class Pace:
    """So many of something a minute, spaced evenly."""

    def __init__(self, per_minute: float, clock: Callable[[], Seconds]) -> None:
        self._each = MINUTE / per_minute
        self._clock = clock
        self._free_at = float("-inf")

    def book(self, amount: float) -> Seconds:
        """Take room for an amount; how long to wait until it begins."""
        now = self._clock()
        begins = max(now, self._free_at)
        self._free_at = begins + amount * self._each
        return begins - now

    def settle(self, more: float) -> None:
        """What was booked took so much more, or less."""
        self._free_at += more * self._each


class Throttle(Wrapper):
    """A model that is asked so many questions at once, and so many a minute, as it can answer."""

    def __init__(
        self,
        model: Model,
        ceiling: int,
        clock: Callable[[], Seconds] = time.monotonic,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        longest_wait: Seconds = LONGEST_WAIT,
    ) -> None:
        super().__init__(model)
        self.ceiling = ceiling
        self.limit = min(FIRST, ceiling)  # answers under way at once
        self._slots = asyncio.Semaphore(self.limit)
        self._debt = 0  # slots to take away when they come back
        self._growth = 0.0  # towards the next slot, once the server has been busy
        self._was_busy = False
        self._shrunk_at = self._open_at = float("-inf")
        self._longest_wait = longest_wait
        self._clock = clock
        self._requests = Pace(requests_per_minute, clock) if requests_per_minute else None
        self._tokens = Pace(tokens_per_minute, clock) if tokens_per_minute else None
        self._usual = 0.0  # tokens that an answer takes, as far as is known

    @property
    def waiting(self) -> Seconds:
        """How long nothing is sent yet, because the server asks everybody to wait."""
        return max(0.0, self._open_at - self._clock())

    async def generate(self, prompt: Prompt) -> Response:
        await self._slots.acquire()
        try:
            while (wait := self.waiting) > 0:  # noqa: ASYNC110
                await asyncio.sleep(wait)
            if self._requests or self._tokens:
                response = await self._paced(prompt)
            else:
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

    async def _paced(self, prompt: Prompt) -> Response:
        booked = self._usual
        wait = max(
            self._requests.book(1) if self._requests else 0.0, self._tokens.book(booked) if self._tokens else 0.0
        )
        if wait > 0:
            await asyncio.sleep(wait)
        response = await self.model.generate(prompt)
        took = response.usage.tokens_in + response.usage.tokens_out
        self._usual = self._usual + (took - self._usual) / 8 if self._usual else float(took)
        if self._tokens:
            self._tokens.settle(took - booked)
        return response

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
        if wait and wait <= self._longest_wait:
            self._open_at = max(self._open_at, now + wait)
        if now - self._shrunk_at >= COOL:
            self._shrunk_at = now
            fewer = max(1, int(self.limit * SHRINK))
            self._debt += self.limit - fewer
            self.limit = fewer


def throttled(model: Model, settings: Mapping[str, Any]) -> Throttle:
    """A model asked as its settings allow. What is remembered comes at any pace: the model in the memory has its own."""
    shared = common(settings)
    return Throttle(
        model,
        shared.concurrency,
        requests_per_minute=None if shared.remember else shared.requests_per_minute,
        tokens_per_minute=None if shared.remember else shared.tokens_per_minute,
        longest_wait=shared.longest_wait,
    )


def innermost(model: Model) -> Model:
    """The model inside all its wrappers."""
    return innermost(model.model) if isinstance(model, Wrapper) else model
