"""Score a long journal in several processes: each takes chunks of its lines, which are joined in their order.

For scorers that ask nobody. What comes out is the same, byte for byte, as from one process: a chunk that a worker does
not score, because it ended, cannot be given the scorers, or found a bug that belongs into tracebacks.txt, is scored
here. Workers are started with a command of their own, so that a user's script is not run again.
"""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO, Final, NamedTuple, Self

from earmark.data.plain import encode_line
from earmark.engine.barrier import Tracebacks
from earmark.journal import Record, ScoreLine
from earmark.report.samples import SampleBlock, SampleBlocks, SampleWriters
from earmark.runs.journal_chunks import JournalChunk, split_journal
from earmark.runs.open_scorers import OpenScorers, Scorers
from earmark.runs.scoring import ScoredJournal, score_chunk, score_journal, start_scores
from earmark.types import Benchmark, Opens, Scorer

MIN_RECORDS: Final = 20_000  # of fewer, starting workers takes longer than it saves
MAX_WORKERS: Final = 16


class WorkerSetup(NamedTuple):
    """What all chunks of a run have in common."""

    journal: Path
    slices: tuple[str, ...]
    scorers: Mapping[str, tuple[Scorer, ...]]  # by task
    with_samples: bool


class ChunkResult(NamedTuple):
    """A chunk, scored: its counts, the lines of its scores, and the rows of its samples by task."""

    scored: ScoredJournal
    lines: bytes
    samples: dict[str, SampleBlock]


def count_workers(n_records: int) -> int:
    """Number of processes that score a journal."""
    n_cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(n_cpus, MAX_WORKERS) if n_records >= MIN_RECORDS else 1


def asks_nobody(scorers: Mapping[str, tuple[Scorer, ...]]) -> bool:
    """True if no scorer has to be opened."""
    return not any(isinstance(scorer, Opens) for of_task in scorers.values() for scorer in of_task)


class ScoreWorkers:
    """Processes that score chunks. Threads share them."""

    def __init__(self, setup: WorkerSetup, count: int) -> None:
        self._setup, self._count = setup, count
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle = SimpleQueue[subprocess.Popen[bytes] | None]()

    def __enter__(self) -> Self:
        try:
            head = pickle.dumps(self._setup)
        except (pickle.PicklingError, AttributeError, TypeError):  # a scorer that only this process can have
            head = b""
        for _ in range(self._count):
            self._idle.put(self._start(head) if head else None)
        return self

    def _start(self, head: bytes) -> subprocess.Popen[bytes] | None:
        command = [sys.executable, "-m", "earmark.runs._score_worker"]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # where users' scorers lie
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, env=env)
        self._processes.append(process)
        return process if self._send(process, head) else None

    def _send(self, process: subprocess.Popen[bytes], data: bytes) -> bool:
        try:
            assert process.stdin  # noqa: S101 - a pipe
            process.stdin.write(data)
            process.stdin.flush()
        except OSError:
            return False
        return True

    def score(self, chunk: JournalChunk) -> ChunkResult | None:
        """Let a worker score a chunk, once one is idle; None where it does not."""
        process = self._idle.get()
        result = None
        try:
            if process and self._send(process, pickle.dumps(chunk)):
                assert process.stdout  # noqa: S101 - a pipe
                result = pickle.load(process.stdout)  # noqa: S301 - of our own process
        except (EOFError, OSError, pickle.UnpicklingError, AttributeError, ImportError):
            process = None  # it has ended, or gives what only it can have
        finally:
            self._idle.put(process)
        return result

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


async def score_in_workers(
    workers: ScoreWorkers, chunks: Sequence[JournalChunk], count: int
) -> AsyncIterator[tuple[JournalChunk, ChunkResult | None]]:
    """Every chunk in order with its result; a few are under way at a time."""
    ahead: deque[tuple[JournalChunk, asyncio.Task[ChunkResult | None]]] = deque()
    for chunk in chunks:
        ahead.append((chunk, asyncio.create_task(asyncio.to_thread(workers.score, chunk))))
        if len(ahead) > count + 1:
            first, task = ahead.popleft()
            yield first, await task
    for first, task in ahead:
        yield first, await task


async def score_large(
    journal: Path,
    scorers: Scorers | OpenScorers,
    benchmark: Benchmark,
    tell: Callable[[Record, ScoreLine], None],
    lines: BinaryIO,
    samples: SampleWriters | None,
) -> ScoredJournal:
    """Score a journal in several processes where that pays, else in this one."""
    chunks = split_journal(journal)
    async with AsyncExitStack() as stack:
        opened = scorers if isinstance(scorers, OpenScorers) else OpenScorers(scorers, stack)
        by_task = {task: opened.scorers_of(task) for task in benchmark.tasks}
        count = count_workers(sum(len(chunk.stands) for chunk in chunks)) if asks_nobody(by_task) else 1
        if count < 2:
            return await score_journal(journal, opened, benchmark.slices, tell, chunks)
        total, tracebacks = start_scores(benchmark.slices), Tracebacks(journal.parent)
        setup = WorkerSetup(journal, benchmark.slices, by_task, samples is not None)
        with ScoreWorkers(setup, count) as workers:
            async for chunk, result in score_in_workers(workers, chunks, count):
                if result is None:
                    scored = await score_chunk(journal, chunk, opened, benchmark.slices, tell, tracebacks)
                else:
                    scored = result.scored
                    lines.write(result.lines)
                    if samples:
                        samples.add_blocks(result.samples)
                total.extend(scored)
    return total


async def score_for_parent(setup: WorkerSetup, chunk: JournalChunk) -> ChunkResult:
    """Score a chunk in a worker."""
    lines, samples = io.BytesIO(), SampleBlocks()

    def tell(record: Record, line: ScoreLine) -> None:
        lines.write(encode_line(line))
        if setup.with_samples:
            samples.add(record, line)

    async with AsyncExitStack() as stack:
        opened = OpenScorers(setup.scorers.__getitem__, stack)
        scored = await score_chunk(setup.journal, chunk, opened, setup.slices, tell, Tracebacks())
    return ChunkResult(scored, lines.getvalue(), samples.blocks())
