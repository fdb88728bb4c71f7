"""Evaluate from Python instead of the command line: python examples/from_python.py"""

from __future__ import annotations

import asyncio

from earmark.config import compose_config
from earmark.engine.load import load_benchmark
from earmark.evaluate import Callbacks, evaluate
from earmark.report.table import format_interval, format_number


async def main() -> None:
    """Run one benchmark with one model, and print its scores."""
    benchmark = load_benchmark("acoustics", ("loudness",), {"items": 20})
    config = compose_config(["model=fake", "model.reply=examples.listeners:loudest", "condition=[plain,silence]"])
    outcome = await evaluate(benchmark, config, Callbacks(log=print, progress=lambda _: None))
    for row in outcome.metrics.rows:
        if row.is_slice:  # one of its levels or halves
            continue
        name, estimate = row.headline
        score = f"{format_number(estimate.value)} ({format_interval(estimate)})"
        print(f"{row.task} {row.condition}: {name} {score}, n {row.n}")
    print(outcome.folder)


if __name__ == "__main__":
    asyncio.run(main())
