"""A model that turns sound into words, for conditions: they are plain functions, and models are not.

The model lives on an event loop of its own, on a thread of its own, from the first sound that it is asked about for as
long as anybody holds it. What it has said is remembered by the sound, so that repeats and other conditions do not ask
again.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeAlias

from earmark.audio.prepare import fit_audio
from earmark.data.cache import hash64
from earmark.text.thoughts import without_thoughts
from earmark.types import Audio, EncodedAudio, Model, Prompt, Seconds, Turn

CACHE_SIZE: Final = 4096
RETRY_TIMEOUT: Final[Seconds] = 5.0  # with a model that is closing

OpenRecognizer: TypeAlias = Callable[[], AbstractAsyncContextManager[Model]]


class SpeechRecognizer:
    """Sound to words. Threads share it."""

    def __init__(self, open_model: OpenRecognizer) -> None:
        self._open_model = open_model
        self._opening = threading.Lock()
        self._opened: tuple[Model, asyncio.AbstractEventLoop] | None = None
        self._said: dict[str, str] = {}

    def transcribe(self, audio: Audio) -> str:
        """Transcribe a sound. Raises one of the AskErrors."""
        model, loop = self._open()
        sound = fit_audio(audio, model.capabilities)
        digest = hash64(sound.data if isinstance(sound, EncodedAudio) else sound.samples.tobytes())
        known = self._said.get(digest)  # at once: another thread may clear all of it
        if known is not None:
            return known
        prompt = Prompt((Turn("user", (sound,)),))
        transcript = without_thoughts(asyncio.run_coroutine_threadsafe(model.generate(prompt), loop).result()).text
        if len(self._said) >= CACHE_SIZE:
            self._said.clear()
        self._said[digest] = transcript
        return transcript

    def _open(self) -> tuple[Model, asyncio.AbstractEventLoop]:
        with self._opening:
            if self._opened is None:
                loop, leave = asyncio.new_event_loop(), asyncio.Event()
                ready: Future[Model] = Future()
                thread = threading.Thread(target=_run_thread, args=(loop, self._open_model, ready, leave), daemon=True)
                thread.start()
                self._opened = ready.result(), loop
                weakref.finalize(self, _stop_thread, loop, leave, thread)
        return self._opened


def _run_thread(
    loop: asyncio.AbstractEventLoop, open_model: OpenRecognizer, ready: Future[Model], leave: asyncio.Event
) -> None:
    """The life of the thread: open the model, keep it, and close it when it is no longer wanted."""

    async def hold() -> None:
        async with open_model() as model:
            ready.set_result(model)
            await leave.wait()

    held = loop.create_task(hold())
    loop.run_until_complete(asyncio.wait([held]))
    if not ready.done():
        ready.set_exception(held.exception())
    loop.close()


def _stop_thread(loop: asyncio.AbstractEventLoop, leave: asyncio.Event, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(leave.set)
    if threading.current_thread() is not thread:
        thread.join(RETRY_TIMEOUT)
