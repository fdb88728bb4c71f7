"""A journal scored by several processes: the same files, byte for byte, as by one."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mine import bench
from mine.scored import Settings as ScoredSettings
from mine.scored import load as load_scored

from earmark.data.plain import encode_line
from earmark.journal import Record
from earmark.report.rows import DatasetCounts, Metrics
from earmark.runs import journal_chunks, score_workers, scoring
from earmark.runs.score_workers import ScoreWorkers, asks_nobody, count_workers
from earmark.runs.scoring import write_scores
from earmark.runs.signature import RunSignature
from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, Context, Failure, Item, Response, Score, Usage, replace

REPLIES = ("A", "B", "The answer is (C) bird.", "dog 7", "I cannot tell.", "", "(D) car, I think", "=A", "音 B")


def records(count: int) -> list[Record]:
    """Records of every kind: late tags, failures, questions asked again, floats that do not add up exactly."""
    rng = random.Random(4)
    made = []
    for index in range(count):
        tags = {"kind": "xyz"[index % 3]} | ({"late": "1"} if index > count // 2 else {})
        item = Item(
            f"item-{index}", "ab"[index % 2], f"Which, {index}?", (), (f"dog {index}", "cat", "bird", "car"),
            ("A", "B", "C", "D"), ("ABCD"[index % 4],), group=f"group-{index // 3}", tags=tags,
        )  # fmt: skip
        seconds = rng.random()
        response = Response(rng.choice(REPLIES), usage=Usage(index % 5, cost=seconds / 7), seconds=seconds)
        failure = Failure("request-failed", "gone", final=index % 2 == 0) if index % 11 == 5 else None
        made.append(Record(item, response=None if failure else response, failure=failure, timestamp=1.0))
        if index % 13 == 1:
            made.append(replace(made[-1], failure=None, response=Response("C", seconds=seconds)))
    return made


def benchmark_of(scorer: Any = None) -> Benchmark:
    made = bench.make()
    return replace(made, tasks=("a", "b"), slices=("kind", "late"), scorers=lambda _: (scorer or ChoiceScorer(),))


def run_folder(name: str, lines: list[Record]) -> Path:
    folder = Path(name)
    folder.mkdir()
    (folder / "responses.jsonl").write_bytes(b"".join(map(encode_line, lines)))
    described = {"name": "mine.bench", "version": 1, "tasks": ["a", "b"], "settings": {}}
    signature = RunSignature(described, {"name": "m"}, ["plain"], 1, None, {})
    (folder / "run.json").write_bytes(msgspec.json.encode(signature))
    return folder


def files_of(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def score(folder: Path, benchmark: Benchmark, n_workers: int, patch: pytest.MonkeyPatch) -> Metrics:
    patch.setattr(journal_chunks, "CHUNK_LINES", 32)
    patch.setattr(scoring, "LARGE_JOURNAL", 0)
    patch.setattr(score_workers, "count_workers", lambda _: n_workers)
    return asyncio.run(write_scores(folder, benchmark, 0, DatasetCounts(300)))


@pytest.fixture
def scored_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """First lines of the chunks that the parent scores itself."""
    chunks: list[int] = []
    whole = scoring.score_chunk

    async def count(journal: Path, chunk: journal_chunks.JournalChunk, *more: Any) -> Any:
        chunks.append(chunk.first_line)
        return await whole(journal, chunk, *more)

    monkeypatch.setattr(score_workers, "score_chunk", count)
    return chunks


def test_two_workers_write_the_files_of_one(monkeypatch: pytest.MonkeyPatch, scored_here: list[int]) -> None:
    lines = records(300)
    one, two = run_folder("one", lines), run_folder("two", lines)
    score(one, benchmark_of(), 1, monkeypatch)
    metrics = score(two, benchmark_of(), 2, monkeypatch)
    assert files_of(two) == files_of(one)
    assert scored_here == []
    assert sum(row.n for row in metrics.rows if not row.slice) == 300
    assert metrics.usage.answers == sum(record.response is not None for record in lines)
    header, first, *_ = (two / "samples" / "a.csv").read_text().splitlines()
    assert header.endswith("kind,late")
    assert first.endswith(",x,")


def test_the_same_numbers_come_out_in_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = records(200)
    small, whole = run_folder("small", lines), run_folder("whole", lines)
    score(small, benchmark_of(), 1, monkeypatch)
    asyncio.run(write_scores(whole, benchmark_of(), 0, DatasetCounts(300)))
    before, after = (
        msgspec.json.decode((folder / "metrics.json").read_bytes(), type=Metrics) for folder in (small, whole)
    )
    assert before.rows == after.rows
    assert before.usage.answers == after.usage.answers
    assert before.usage.seconds == pytest.approx(after.usage.seconds)


class BuggyScorer(ChoiceScorer, frozen=True):
    """Breaks at some items."""

    async def score(self, item: Item, response: Response) -> Score:
        if item.id in ("item-40", "item-41"):
            raise ZeroDivisionError("a bug")
        return await super().score(item, response)


def local_scorer() -> ChoiceScorer:
    class Local(ChoiceScorer, frozen=True):
        pass

    return Local()


@pytest.mark.parametrize("make", [BuggyScorer, local_scorer])
def test_what_no_worker_can_score_is_scored_here(
    make: Callable[[], ChoiceScorer], monkeypatch: pytest.MonkeyPatch, scored_here: list[int]
) -> None:
    lines = records(150)
    one, two = run_folder("one", lines), run_folder("two", lines)
    score(one, benchmark_of(make()), 1, monkeypatch)
    score(two, benchmark_of(make()), 2, monkeypatch)
    assert files_of(two) == files_of(one)
    assert scored_here


def test_a_worker_that_is_killed_is_done_without(monkeypatch: pytest.MonkeyPatch, scored_here: list[int]) -> None:
    lines = records(300)
    one, two = run_folder("one", lines), run_folder("two", lines)
    score(one, benchmark_of(), 1, monkeypatch)
    whole = ScoreWorkers.score

    def kill_first(workers: ScoreWorkers, chunk: journal_chunks.JournalChunk) -> Any:
        if chunk.first_line > 100:
            os.kill(workers._processes[0].pid, signal.SIGKILL)
        return whole(workers, chunk)

    monkeypatch.setattr(ScoreWorkers, "score", kill_first)
    score(two, benchmark_of(), 2, monkeypatch)
    assert files_of(two) == files_of(one)
    assert scored_here


def test_few_records_and_judges_are_scored_in_one_process() -> None:
    assert count_workers(score_workers.MIN_RECORDS - 1) == 1
    assert 1 <= count_workers(score_workers.MIN_RECORDS) <= score_workers.MAX_WORKERS
    judged = load_scored(ScoredSettings(scorers=({"name": "judge", "judge": "fake"},)), Context())
    assert not asks_nobody({task: judged.scorers(task) for task in judged.tasks})
    assert asks_nobody({"a": (ChoiceScorer(),)})
