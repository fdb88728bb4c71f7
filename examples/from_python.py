"""Evaluate from Python instead of the command line: python examples/from_python.py"""

from __future__ import annotations

import asyncio

from earmark.config import compose, load_benchmark
from earmark.evaluate import Watch, evaluate
from earmark.report.table import interval, number


async def main() -> None:
    """Ask one model one benchmark, and print its numbers."""
    benchmark = load_benchmark("acoustics", ("loudness",), {"items": 20})
    words = compose(["model=fake", "model.reply=examples.listeners:loudest", "condition=[plain,silence]"])
    outcome = await evaluate(benchmark, words, Watch(say=print, tally=lambda _: None))
    for row in outcome.metrics.rows:
        if row.sliced:  # one of its levels or halves
            continue
        name, found = row.headline
        print(f"{row.task} {row.condition}: {name} {number(found.value)} ({interval(found)}), n {row.n}")
    print(outcome.folder)


if __name__ == "__main__":
    asyncio.run(main())
