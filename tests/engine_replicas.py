"""Runs of a small benchmark that tests of replicas compare."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mine import bench

from earmark.config.compose import compose_config
from earmark.engine.progress import Callbacks, Progress
from earmark.evaluate import RunResult, evaluate
from earmark.journal import Record, read_journal

N = 300


def evaluate_items(*words: str, watch: Callable[[Progress], None] = lambda _: None) -> RunResult:
    """A run of `N` items in this process, watched."""
    benchmark = bench.make(items=N)
    return asyncio.run(evaluate(benchmark, compose_config(words), Callbacks(lambda _: None, watch)))


def lines(outcome: RunResult) -> list[Record]:
    """The records of a run in the order of its journal."""
    return list(read_journal(outcome.folder / "responses.jsonl"))
