"""Groups concurrent prompts into batches.

Whenever there is room, the prompt that waits longest is batched with those nearest to it in length and processed in a
thread. Up to two batches run at once: while the model answers one, the next is prepared, if it is full. A batch that
fails is split, so that one bad prompt fails alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import orjson
from msgspec import Struct

from earmark.errors import AskError
from earmark.types import Prompt, Response, Seconds, Waveform

MAX_RUNNING_BATCHES: Final = 2  # batches
LINGER_SECONDS: Final[Seconds] = 0.01  # for which a batch that is not full waits for more prompts
FRAMES_PER_TOKEN: Final = 640  # roughly: 25 tokens a second at 16 kHz,
CHARACTERS_PER_TOKEN: Final = 4  # and four letters a token of text

Work = Callable[[list[Prompt]], list[Response]]


class PendingPrompt(Struct, frozen=True, eq=False):
    """A prompt that waits for its answer."""

    prompt: Prompt
    kind: tuple[bytes, bool]  # its sampling parameters, and whether it contains audio: equal within a batch
    length: float  # in tokens, roughly
    answer: asyncio.Future[Response]


class Batcher:
    """Queue of prompts and running batches. `work` answers a list of prompts, or raises an AskError for all of them."""

    def __init__(self, work: Work, size: int, linger: Seconds = LINGER_SECONDS) -> None:
        self._work, self._size, self._linger = work, size, linger
        self._pool = ThreadPoolExecutor(MAX_RUNNING_BATCHES, "batch")
        self._waiting: list[PendingPrompt] = []
        self._away = 0

    async def ask(self, prompt: Prompt) -> Response:
        """Return the response to one prompt."""
        loop = asyncio.get_running_loop()
        job = PendingPrompt(prompt, batch_key(prompt), estimate_tokens(prompt), loop.create_future())
        self._waiting.append(job)
        self._soon(loop)
        return await job.answer

    def close(self) -> None:
        """Start no further batch."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if len(self._waiting) >= self._size:
            loop.call_soon(self._start, loop)  # after the prompts of the same moment
        else:
            loop.call_later(self._linger, self._start, loop)

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._waiting = [job for job in self._waiting if not job.answer.cancelled()]
        while self._waiting and self._away < (MAX_RUNNING_BATCHES if len(self._waiting) >= self._size else 1):
            jobs = next_batch(self._waiting, self._size)
            self._waiting = [job for job in self._waiting if job not in jobs]
            self._away += 1
            done = loop.run_in_executor(self._pool, run_batch, self._work, [job.prompt for job in jobs])
            done.add_done_callback(partial(self._deliver, jobs, loop))

    def _deliver(self, jobs: list[PendingPrompt], loop: asyncio.AbstractEventLoop, done: asyncio.Future[Any]) -> None:
        self._away -= 1
        if done.cancelled():
            for job in jobs:
                job.answer.cancel()
            return
        outcomes = [error] * len(jobs) if (error := done.exception()) else done.result()
        for job, outcome in zip(jobs, outcomes, strict=True):
            if job.answer.done():  # its caller was cancelled
                continue
            if isinstance(outcome, Response):
                job.answer.set_result(outcome)
            else:
                job.answer.set_exception(outcome)
        self._soon(loop)


def run_batch(work: Work, prompts: list[Prompt]) -> list[Response | AskError]:
    """Answer a batch; one that fails is halved until each bad prompt is alone."""
    try:
        return [*work(prompts)]
    except AskError as error:
        if len(prompts) == 1:
            return [error]
    middle = len(prompts) // 2
    return run_batch(work, prompts[:middle]) + run_batch(work, prompts[middle:])


def next_batch(waiting: list[PendingPrompt], size: int) -> list[PendingPrompt]:
    """Choose the oldest job and the ones of its kind nearest in length: little padding, and no job starves."""
    oldest = waiting[0]
    alike = sorted((job for job in waiting if job.kind == oldest.kind), key=lambda job: job.length)
    size, position = min(size, len(alike)), alike.index(oldest)
    starts = range(max(0, position - size + 1), min(position, len(alike) - size) + 1)
    start = min(starts, key=lambda start: alike[start + size - 1].length - alike[start].length)
    return alike[start : start + size]


def batch_key(prompt: Prompt) -> tuple[bytes, bool]:
    """Key that the prompts of one batch share."""
    sound = any(isinstance(part, Waveform) for turn in prompt.turns for part in turn.parts)
    return orjson.dumps(prompt.sampling, option=orjson.OPT_SORT_KEYS), sound


def estimate_tokens(prompt: Prompt) -> float:
    """Estimate the number of tokens of a prompt."""
    parts = [part for turn in prompt.turns for part in turn.parts]
    frames: int = sum(part.samples.shape[1] for part in parts if isinstance(part, Waveform))
    letters = sum(len(part) for part in parts if isinstance(part, str))
    return frames / FRAMES_PER_TOKEN + letters / CHARACTERS_PER_TOKEN
