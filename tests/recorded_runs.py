"""Runs within this process, and their records."""

from __future__ import annotations

import asyncio
from typing import Any

from mine import bench

from earmark.config.compose import compose_config
from earmark.config.settings import RunSettings
from earmark.engine.questions import questions
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import CompletedIndex, Record, read_journal
from earmark.runs.dataset_check import check_dataset
from earmark.types import Benchmark, Item, replace

ITEMS = 40
QUICK = RunSettings(max_attempts=1)


def run(*words: str, benchmark: Benchmark | None = None) -> RunResult:
    """One run, in this process."""
    said = Callbacks(lambda _: None, lambda _: None)
    return asyncio.run(evaluate(benchmark or bench.make(items=ITEMS), compose_config(words), said))


def records(outcome: RunResult) -> dict[str, Record]:
    return {record.item.id: record for record in read_journal(outcome.folder / "responses.jsonl")}


def of(items: list[Item]) -> Benchmark:
    return replace(bench.make(), items=lambda: iter(items))


def checked(*items: Item) -> list[Item]:
    """The items as a run asks them, once all have been looked at."""
    benchmark = of(list(items))
    check_dataset(benchmark, (None,), QUICK, CompletedIndex())
    return [item for item, _, _ in questions(benchmark, (None,), QUICK)]


def item(target: str, **more: Any) -> Item:
    return Item(f"for {target}", "all", "Which?", (), ("snare", "kick", "hi-hat"), ("A", "B", "C"), (target,), **more)
