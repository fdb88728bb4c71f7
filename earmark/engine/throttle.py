"""A model asked no faster than it can answer, nor than it may be asked.

The number of answers under way begins with 64 at a server of one's own and with 16 at a hosted service. It grows by one
for each answer until the server first says that it is busy (429, 503), then by about one a round. It shrinks to 0.85 of
itself when the server says so, at most once a round: a question that was sent before the last shrinking says nothing
about the new number; but what the server turns away in that round is not sent again at once, down to half of what it
was. Nothing is sent while the server asks us to wait, unless it asks for longer than anybody would. Where a service
allows so many requests or tokens a minute, questions are spaced evenly: a token is booked before a question is sent, by
what answers have taken so far, and settled after.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

from earmark.config.settings import DEFAULT_MAX_RETRY_AFTER, ModelConfig
from earmark.errors import Transient
from earmark.types import Model, Prompt, Response, Seconds, Wrapper

START_HOSTED: Final = 16  # answers under way at the start,
START_OWN: Final = 64  # and at a server of one's own, or in this process
SHRINK_FACTOR: Final = 0.85
BATCHING: Final = ("vllm", "sglang")  # engines that answer many questions together,
BATCHING_CONCURRENCY: Final = 256  # so many, unless the user says otherwise
MINUTE: Final[Seconds] = 60.0


class RateLimiter:
    """So many of something a minute, spaced evenly."""

    def __init__(self, per_minute: float, clock: Callable[[], Seconds]) -> None:
        self._each = MINUTE / per_minute
        self._clock = clock
        self._free_at = float("-inf")

    def reserve(self, amount: float) -> Seconds:
        """Take room for an amount; how long to wait until it begins."""
        now = self._clock()
        begins = max(now, self._free_at)
        self._free_at = begins + amount * self._each
        return begins - now

    def correct(self, more: float) -> None:
        """Correct a reservation by the difference to the actual amount."""
        self._free_at += more * self._each


class Throttle(Wrapper):
    """A model that is asked so many questions at once, and so many a minute, as it can answer."""

    def __init__(  # noqa: PLR0913 - each is a limit of its own
        self,
        model: Model,
        ceiling: int,
        clock: Callable[[], Seconds] = time.monotonic,
        *,
        start: int = START_OWN,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        longest_wait: Seconds = DEFAULT_MAX_RETRY_AFTER,
    ) -> None:
        super().__init__(model)
        self.max_concurrency = ceiling
        self.limit = min(start, ceiling)  # answers under way at once
        self._slots = asyncio.Semaphore(self.limit)
        self._slots_to_drop = 0  # slots to take away when they come back
        self._growth = 0.0  # towards the next slot, once the server has been busy
        self._shrinks = 0  # rounds in which the server was busy
        self._least = 1  # that this round may leave
        self._under_way = 0
        self._open_at = float("-inf")
        self._longest_wait = longest_wait
        self._clock = clock
        self._requests = RateLimiter(requests_per_minute, clock) if requests_per_minute else None
        self._tokens = RateLimiter(tokens_per_minute, clock) if tokens_per_minute else None
        self._usual = 0.0  # tokens that an answer takes, as far as is known

    @property
    def waiting(self) -> Seconds:
        """Seconds until requests are sent again, when the server has asked to wait."""
        return max(0.0, self._open_at - self._clock())

    async def generate(self, prompt: Prompt) -> Response:
        await self._slots.acquire()
        sent_after = self._shrinks
        self._under_way += 1
        try:
            while (wait := self.waiting) > 0:  # noqa: ASYNC110
                await asyncio.sleep(wait)
            if self._requests or self._tokens:
                response = await self._generate_at_rate(prompt)
            else:
                response = await self.model.generate(prompt)
        except Transient as error:
            if error.busy:
                self._shrink(error.wait, sent_after)
            raise
        else:
            self._grow()
            return response
        finally:
            self._under_way -= 1
            if self._slots_to_drop:
                self._slots_to_drop -= 1
            else:
                self._slots.release()

    async def _generate_at_rate(self, prompt: Prompt) -> Response:
        booked = self._usual
        wait = max(
            self._requests.reserve(1) if self._requests else 0.0, self._tokens.reserve(booked) if self._tokens else 0.0
        )
        if wait > 0:
            await asyncio.sleep(wait)
        response = await self.model.generate(prompt)
        took = response.usage.tokens_in + response.usage.tokens_out
        self._usual = self._usual + (took - self._usual) / 8 if self._usual else float(took)
        if self._tokens:
            self._tokens.correct(took - booked)
        return response

    def _grow(self) -> None:
        if self.limit == self.max_concurrency:
            return
        self._growth += 1 / self.limit if self._shrinks else 1
        if self._growth >= 1:
            self._growth -= 1
            self.limit += 1
            self._slots.release()

    def _shrink(self, wait: Seconds | None, sent_after: int) -> None:
        if wait and wait <= self._longest_wait:
            self._open_at = max(self._open_at, self._clock() + wait)
        if sent_after == self._shrinks:
            self._shrinks += 1
            self._least = max(1, self.limit // 2)
            self._lower(max(1, int(self.limit * SHRINK_FACTOR)))
        elif self.limit > max(self._least, self._under_way - 1):  # of the same round: what it has not taken stays away
            self._lower(self.limit - 1)

    def _lower(self, limit: int) -> None:
        self._slots_to_drop += self.limit - limit
        self.limit = limit


@runtime_checkable
class OnServer(Protocol):
    """A model on a server, which tells how many questions it may be asked at once."""

    @property
    def is_hosted(self) -> bool:
        """True if it is somebody's service, shared with others."""
        ...

    @property
    def engine(self) -> str:
        """Name of the serving engine as its list of models has it: vllm, sglang, llamacpp; empty if unknown."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to show before anything is asked."""
        ...


def make_throttle(model: Model, config: ModelConfig) -> Throttle:
    """Return a model asked as its settings allow.

    Cached answers come at any rate: the model behind the cache has a rate of its own.
    """
    shared, server = config.common, unwrap(model)
    return Throttle(
        model,
        BATCHING_CONCURRENCY if _batches(server, config) else shared.concurrency * shared.replicas,
        start=START_HOSTED if isinstance(server, OnServer) and server.is_hosted else START_OWN,
        requests_per_minute=None if shared.cache else shared.requests_per_minute,
        tokens_per_minute=None if shared.cache else shared.tokens_per_minute,
        longest_wait=shared.max_retry_after,
    )


def _batches(server: Model, config: ModelConfig) -> bool:
    return "concurrency" not in config.composed and isinstance(server, OnServer) and server.engine in BATCHING


def warnings_of(model: Model, config: ModelConfig) -> list[str]:
    """Warnings about a model's server, and how many questions it is asked at once where it says what it is."""
    server = unwrap(model)
    warnings = list(server.warnings) if isinstance(server, OnServer) else []
    if isinstance(server, OnServer) and _batches(server, config):
        number = f"it is asked up to {BATCHING_CONCURRENCY} questions at once; model.concurrency=N sets another number"
        warnings.append(f"the server says that it is {server.engine}: {number}")
    return warnings


def unwrap(model: Model) -> Model:
    """The model inside all its wrappers."""
    return unwrap(model.model) if isinstance(model, Wrapper) else model
