"""Evaluate from Python instead of the command line: python examples/from_python.py"""

from __future__ import annotations

import asyncio

from earmark.config import compose_config
from earmark.engine.load import load_benchmark
from earmark.evaluate import Callbacks, evaluate
from earmark.report.table import format_interval, format_number


async def main() -> None:
    """Ask one model one benchmark, and print its numbers."""
    benchmark = load_benchmark("acoustics", ("loudness",), {"items": 20})
    words = compose_config(["model=fake", "model.reply=examples.listeners:loudest", "condition=[plain,silence]"])
    outcome = await evaluate(benchmark, words, Callbacks(log=print, progress=lambda _: None))
    for row in outcome.metrics.rows:
        if row.is_slice:  # one of its levels or halves
            continue
        name, found = row.headline
        print(f"{row.task} {row.condition}: {name} {format_number(found.value)} ({format_interval(found)}), n {row.n}")
    print(outcome.folder)


if __name__ == "__main__":
    asyncio.run(main())
