"""Prepare items for a model: prompts made, audio converted, in batches on threads."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple

from msgspec import Struct, field

from earmark.audio.prepare import load_media, prepare_audio
from earmark.audio.read import ClipLoader
from earmark.data.prompt_words import WordsFile, describe_turns, encode_words
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.digests import audio_digest, file_stamp, prompt_digest
from earmark.engine.questions import Question, condition_name
from earmark.errors import AskError, AudioError, ContentFiltered, Transient
from earmark.journal import AudioSent, Record
from earmark.types import (
    Capabilities,
    EncodedAudio,
    Failure,
    ImageBytes,
    Item,
    NamedCondition,
    Prompt,
    Seconds,
    Waveform,
    replace,
)

PREPARE_THREADS: Final = max(2, os.cpu_count() or 1)  # threads that prepare sound, at most

MAX_BATCH_SIZE: Final = 8  # items that a thread prepares before it hands them over, at most,

BATCH_TIME: Final[Seconds] = 0.002  # and how long that may take
INLINE_MAX_SECONDS: Final[Seconds] = 0.001  # prepare inline what takes less: handing an item to a thread costs as much
INLINE_COOLDOWN_BATCHES: Final = 8


class PreparedItem(Struct, frozen=True):
    """One prompt, ready to be asked."""

    record: Record  # what will be written, without an outcome yet
    prompt: Prompt
    words: bytes = b""  # its line of words.jsonl, where words are kept


class PromptPreparer(Struct, frozen=True):
    """Makes the prompts of items ready for a model. Threads share it."""

    make_prompt: Callable[[Item], Prompt]
    capabilities: Capabilities
    tracebacks: Tracebacks
    loader: ClipLoader = field(default_factory=ClipLoader)
    words_path: Path | None = None  # where the words of prompts are kept

    def prepare_item(self, item: Item, condition: NamedCondition | None, repeat: int) -> PreparedItem | Record:
        """Prepare one question. A prompt that cannot be made is a finished record."""
        record = Record(item, condition=condition_name(condition), repeat=repeat)
        if item.state == "error":
            return replace(record, failure=Failure("request-failed", item.reason))
        with Barrier() as barrier:
            prompt = self.make_prompt(item)
            record = replace(record, prompt_digest=prompt_digest(prompt))
            stamp = file_stamp(prompt)  # before it is read: a later change shows
            try:
                loaded, ready = prepare_prompt(prompt, item, condition, self.capabilities, self.loader)
            except AskError as error:
                return replace(record, failure=to_failure(error, attempts=0))
            digest = audio_digest(loaded, source_digests(ready))
            words, line = encode_words(describe_turns(ready)) if self.words_path else ("", b"")
            sent = describe_audio(ready)
            record = replace(record, audio_sent=sent, audio_digest=digest, words=words)
            return PreparedItem(replace(record, file_stamp=stamp) if digest else record, ready, line)
        return replace(record, failure=self.tracebacks.failure(barrier, record.title, attempts=0))


class PreparedBatch(NamedTuple):
    """Batch of prepared items."""

    number: int
    items: list[PreparedItem | Record]
    wall_seconds: Seconds  # for one question, waits for files and for other threads included
    cpu_seconds: Seconds  # on one question, without them


class PreparedBatches:
    """Takes questions from a stream and prepares them, in batches that take about `BATCH_TIME`. Threads share it."""

    def __init__(self, questions: Iterator[Question], preparer: PromptPreparer) -> None:
        self._questions, self._preparer = questions, preparer
        self._lock = threading.Lock()
        self._n_batches = 0
        self._size = 1

    def next_batch(self) -> PreparedBatch:
        """Prepare the next few, in order of their number; none at the end."""
        with self._lock:
            number, size = self._n_batches, self._size
            self._n_batches += 1
            questions = list(islice(self._questions, size))
        started, worked = time.perf_counter(), time.thread_time()
        items = [self._preparer.prepare_item(*question) for question in questions]
        took, worked = time.perf_counter() - started, time.thread_time() - worked
        if took < BATCH_TIME / 2 and size == self._size:
            self._size = min(MAX_BATCH_SIZE, size * 2)
        elif took > BATCH_TIME * 2:
            self._size = max(1, size // 2)
        each = 1 / max(1, len(items))
        return PreparedBatch(number, items, took * each, worked * each)


async def prepare_questions(
    questions: Iterator[Question], preparer: PromptPreparer
) -> AsyncGenerator[PreparedItem | Record]:
    """Prepare questions in their order, as fast as they are taken.

    One thread works ahead; where what it makes is waited for, more. What costs less than handing it over between
    threads, as bytes that pass untouched do, is made here.
    """
    loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(PREPARE_THREADS)
    batches = PreparedBatches(questions, preparer)
    futures = deque([loop.run_in_executor(pool, batches.next_batch)])
    early, turn = dict[int, PreparedBatch](), 0
    cooldown = 0  # batches yet to be made on threads, since one that was made here took long
    try:
        while futures:
            wanted = 1 if futures[0].done() else PREPARE_THREADS
            batch = await futures.popleft()
            early[batch.number] = batch
            cooldown = max(0, cooldown - 1)
            inline = batch.cpu_seconds < INLINE_MAX_SECONDS and not cooldown
            while batch.items and inline and not futures:  # the last of them: go on here
                for item in early.pop(turn).items:
                    yield item
                turn += 1
                batch = early[turn] = batches.next_batch()
                inline = batch.wall_seconds < INLINE_MAX_SECONDS
                cooldown = 0 if inline else INLINE_COOLDOWN_BATCHES
            if batch.items and not inline:
                futures += [loop.run_in_executor(pool, batches.next_batch) for _ in range(len(futures), wanted)]
            while turn in early:
                for item in early.pop(turn).items:
                    yield item
                turn += 1
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def keep_words(
    stream: AsyncGenerator[PreparedItem | Record], preparer: PromptPreparer
) -> AsyncGenerator[PreparedItem | Record]:
    """Have the words of prepared items written as they pass, before they are asked, where words are kept."""
    return _write_words(stream, preparer.words_path) if preparer.words_path else stream


async def _write_words(
    stream: AsyncGenerator[PreparedItem | Record], path: Path
) -> AsyncGenerator[PreparedItem | Record]:
    async with aclosing(stream):
        with await asyncio.to_thread(WordsFile, path) as file:
            async for item in stream:
                if isinstance(item, PreparedItem):
                    file.append(item.record.words, item.words)
                yield item


def prepare_prompt(
    prompt: Prompt, item: Item, condition: NamedCondition | None, capabilities: Capabilities, loader: ClipLoader
) -> tuple[Prompt, Prompt]:
    """A prompt with its media read, each file once, and as it is sent under a condition. Raises an AskError."""
    if condition is None:
        loaded = load_media(prompt, capabilities, loader, unchanged=True)
        return loaded, prepare_audio(loaded, capabilities, loader.limits)
    loaded = prompt if condition.leaves_audio_unread else load_media(prompt, capabilities, loader, unchanged=False)
    return loaded, prepare_audio(condition.apply(loaded, item), capabilities, loader.limits)


def describe_audio(prompt: Prompt) -> tuple[AudioSent, ...]:
    """Describe the audio of a prompt for the journal."""
    return tuple(
        AudioSent(p.name, p.source, p.format, p.rate, p.channels, p.seconds, len(p.data), p.notes)
        if isinstance(p, EncodedAudio)
        else AudioSent(p.name, p.source, "samples", p.rate, p.samples.shape[0], p.seconds, p.samples.nbytes, p.notes)
        for turn in prompt.turns
        for p in turn.parts
        if isinstance(p, EncodedAudio | Waveform)
    )


def source_digests(prompt: Prompt) -> set[str]:
    """Source digests of the audio and images of a prepared prompt."""
    return {
        part.source
        for turn in prompt.turns
        for part in turn.parts
        if isinstance(part, EncodedAudio | Waveform | ImageBytes)
    }


def to_failure(error: AskError, attempts: int) -> Failure:
    """An exception as the failure that it amounts to."""
    state: Literal["refused", "request-failed", "sound-failed"] = "request-failed"
    if isinstance(error, AudioError | ContentFiltered):
        state = "sound-failed" if isinstance(error, AudioError) else "refused"
    return Failure(state, str(error), final=not isinstance(error, Transient), attempts=attempts)
