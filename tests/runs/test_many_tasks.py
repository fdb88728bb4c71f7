"""Hundreds of judged tasks: equal judges are opened once, and a second start reads no bytes of large files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import table_data as data

from earmark.data import cache
from earmark.data.plain import encode_line
from earmark.engine.load import load_benchmark
from earmark.journal import Record
from earmark.models.fake import FakeModel
from earmark.runs import scoring
from earmark.runs.signature import data_digests
from earmark.scorers.judge import JudgeScorer, Settings
from earmark.types import Item, Model, Response, Scorer

TASKS = [f"task-{number}" for number in range(250)]


def test_250_judged_tasks_open_one_judge_and_each_reply_is_judged_once(tmp_path: Path) -> None:
    opened: list[Mapping[str, Any]] = []
    asked: list[str] = []

    def judge(prompt: Any) -> str:
        asked.append(str(prompt))
        return "yes"

    @asynccontextmanager
    async def open_judge(settings: Mapping[str, Any]) -> AsyncIterator[Model]:
        opened.append(settings)
        yield FakeModel(judge)

    def scorers(_: str) -> tuple[Scorer, ...]:
        return (
            JudgeScorer(Settings("smollm2", "dynamic-superb"), open_model=open_judge),
        )  # anew for each task, as tables make them

    journal = tmp_path / "responses.jsonl"
    items = [Item(str(number), task, "What is it?", targets=("a cat",)) for task in TASKS for number in range(2)]
    journal.write_bytes(b"".join(encode_line(Record(item, response=Response("a cat"))) for item in items))
    lines: list[tuple[str, str]] = []
    asyncio.run(scoring.score_journal(journal, scorers, (), lambda _, line: lines.append((line.task, line.state))))
    assert len(opened) == 1
    assert len(asked) == len(lines) == 2 * len(TASKS)
    assert {state for _, state in lines} == {"answered"}
    assert [task for task, _ in lines[::2]] == TASKS


def test_a_second_start_reads_no_byte_of_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    data.mmau_hub(tmp_path / "mmau")
    large = tmp_path / "mmau/data/test_mini-00000-of-00001.parquet"
    monkeypatch.setattr(cache, "LARGE", 1)
    monkeypatch.setattr(cache, "SETTLED", -1)
    read: list[str] = []
    read_sha256 = cache._read_sha256

    def count(path: str) -> str:
        read.append(path)
        return read_sha256(path)

    monkeypatch.setattr(cache, "_read_sha256", count)
    benchmark = load_benchmark("mmau", [], {"data": str(tmp_path)})
    first = data_digests(benchmark.files(), str(tmp_path))
    assert read == [str(large)]
    cache._sha256.cache_clear()
    assert data_digests(benchmark.files(), str(tmp_path)) == first
    assert read == [str(large)]
