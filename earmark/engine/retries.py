"""Retries: up to a number of attempts, spaced by Retry-After or by exponential back-off."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Final

from earmark.errors import Transient
from earmark.types import Model, Prompt, Response, Seconds, Wrapper

if TYPE_CHECKING:
    import stamina

MIN_BACKOFF: Final[Seconds] = 0.5
MAX_BACKOFF: Final[Seconds] = 60.0  # but for what the server says
DEFAULT_MAX_ATTEMPTS: Final = 5  # requests for one answer, the first included
DEFAULT_RETRY_TIMEOUT: Final[Seconds] = 900.0  # for one answer, all attempts and waits together
JITTER: Final[Seconds] = 0.5  # added to each wait at random, so that many do not come back at once


def retries(attempts: int, patience: Seconds) -> AsyncIterable[stamina.Attempt]:
    """Requests for one answer: so many in all, within so many seconds."""
    import stamina  # noqa: PLC0415 - a twentieth of every start, for runs of which no request fails

    def wait_for(error: Exception) -> float | bool:
        if not isinstance(error, Transient) or error.wait is None:
            return isinstance(error, Transient)
        if error.wait >= patience:
            asked = f"{error}; it asks to wait {error.wait:,.10g} s"
            message = f"{asked}, longer than retry_timeout={patience:g} allows for one answer"
            raise Transient(message, error.wait, busy=error.busy) from error
        return error.wait

    stamina.instrumentation.set_on_retry_hooks(())  # what was asked again is in the journal, not on the terminal
    return stamina.retry_context(
        on=wait_for,
        attempts=attempts,
        timeout=patience,
        wait_initial=MIN_BACKOFF,
        wait_max=MAX_BACKOFF,
        wait_jitter=JITTER,
    )


class RetryingModel(Wrapper):
    """A model that is asked again where that may help."""

    def __init__(self, model: Model, attempts: int, retry_timeout: Seconds) -> None:
        super().__init__(model)
        self._attempts, self._retry_timeout = attempts, retry_timeout

    async def generate(self, prompt: Prompt) -> Response:
        async for attempt in retries(self._attempts, self._retry_timeout):
            with attempt:
                return await self.model.generate(prompt)
        raise AssertionError("stamina gives an answer or raises")
