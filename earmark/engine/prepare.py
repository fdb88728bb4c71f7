"""Prepare items for a model: prompts made, audio converted, in batches on threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Container, Iterator
from itertools import islice
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from earmark.audio.limits import DEFAULT_LIMITS
from earmark.audio.prepare import load_media, prepare_audio
from earmark.audio.read import ClipLoader
from earmark.barrier import Barrier, Tracebacks
from earmark.engine.digests import audio_digest, prompt_digest
from earmark.engine.questions import Question, condition_name
from earmark.errors import AskError, AudioError, ContentFiltered, Transient
from earmark.journal import AudioSent, Record, question_key
from earmark.types import (
    Benchmark,
    Capabilities,
    Condition,
    EncodedAudio,
    Failure,
    ImageBytes,
    Item,
    LeavesAudioUnread,
    Limits,
    Model,
    Prompt,
    Seconds,
    Waveform,
    replace,
)

PREPARE_THREADS: Final = max(2, os.cpu_count() or 1)  # threads that prepare sound, at most

MAX_BATCH_SIZE: Final = 8  # items that a thread prepares before it hands them over, at most,

BATCH_TIME: Final[Seconds] = 0.002  # and how long that may take


class PreparedItem(Struct, frozen=True):
    """One prompt, ready to be asked."""

    record: Record  # what will be written, without an outcome yet
    prompt: Prompt


class PreparedBatch(NamedTuple):
    """Batch of prepared items."""

    number: int
    items: list[PreparedItem | Record]
    wall_seconds: Seconds  # for one question, waits for files and for other threads included
    cpu_seconds: Seconds  # on one question, without them


class PromptPreparer:
    """Takes questions from a stream and prepares them, in batches that take about `BATCH_TIME`. Threads share it."""

    def __init__(
        self,
        benchmark: Benchmark,
        stream: Iterator[Question],
        model: Model,
        settled: Container[int],
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.benchmark = benchmark
        self.tracebacks = Tracebacks()  # of the run that it prepares for, which sets it
        self._loader = ClipLoader(limits)
        self._capabilities = model.capabilities
        self._stream = (
            q for q in stream if question_key(q[0].task, q[0].id, condition_name(q[1]), q[2]) not in settled
        )
        self._lock = threading.Lock()
        self._n_batches = 0
        self._size = 1

    def next_batch(self) -> PreparedBatch:
        """The next few, ready, in order of their number; none at the end. A prompt that cannot be made is a finished
        record.
        """
        with self._lock:
            number, size = self._n_batches, self._size
            self._n_batches += 1
            questions = list(islice(self._stream, size))
        started, worked = time.perf_counter(), time.thread_time()
        jobs = [self.prepare_item(*question) for question in questions]
        took, worked = time.perf_counter() - started, time.thread_time() - worked
        if took < BATCH_TIME / 2 and size == self._size:
            self._size = min(MAX_BATCH_SIZE, size * 2)
        elif took > BATCH_TIME * 2:
            self._size = max(1, size // 2)
        each = 1 / max(1, len(jobs))
        return PreparedBatch(number, jobs, took * each, worked * each)

    def prepare_item(self, item: Item, condition: Condition | None, repeat: int) -> PreparedItem | Record:
        record = Record(item, condition=condition_name(condition), repeat=repeat)
        if item.state == "error":
            return replace(record, failure=Failure("request-failed", item.reason))
        with Barrier() as barrier:
            prompt = self.benchmark.prompt(item)
            record = replace(record, prompt_digest=prompt_digest(prompt))
            try:
                loaded, ready = prepare_prompt(prompt, item, condition, self._capabilities, self._loader)
            except AskError as error:
                return replace(record, failure=to_failure(error, attempts=0))
            digest = audio_digest(loaded, source_digests(ready))
            return PreparedItem(replace(record, audio_sent=describe_audio(ready), audio_digest=digest), ready)
        return replace(record, failure=self.tracebacks.failure(barrier, record.title, attempts=0))


def prepare_prompt(
    prompt: Prompt, item: Item, condition: Condition | None, capabilities: Capabilities, loader: ClipLoader
) -> tuple[Prompt, Prompt]:
    """A prompt with its media read, each file once, and as it is sent under a condition. Raises an AskError."""
    if condition is None:
        loaded = load_media(prompt, capabilities, loader, unchanged=True)
        return loaded, prepare_audio(loaded, capabilities, loader.limits)
    unread = isinstance(condition, LeavesAudioUnread) and condition.leaves_audio_unread
    loaded = prompt if unread else load_media(prompt, capabilities, loader, unchanged=False)
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
